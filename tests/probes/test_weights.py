import numpy as np
import pytest

from glassware.engine import train
from glassware.foundation.errors import GlasswareError
from glassware.probes import PROBES
from glassware.studies.leaky.runs import first_step
from glassware.sweeps import Store, sweep
from glassware.theory.leaky.distributions import LeakyParity
from glassware.theory.leaky.first_step import good_neurons as cancelling
from glassware.theory.leaky.first_step import measured_alpha
from glassware.theory.leaky.network import Network
from glassware.training import Run
from tests import reference
from tests.helpers import tiny

MEASURED = ("neuron_norms", "support_share", "weight_norms")


@pytest.fixture(scope="module")
def outcome():
    (found,) = train([tiny(m=50, probes=MEASURED, seed=3)])
    return found


def test_probes_measure_the_plain_trainers_weights(outcome):
    along = [reference.start(outcome.run), *(list(params) for params in reference.sgd(outcome.run))]
    W = along[-1][0]
    support = list(outcome.run.task.hidden_support(outcome.run.key()))
    np.testing.assert_allclose(outcome.final["neuron_norms"], np.linalg.norm(W, axis=0), atol=1e-5)
    share = (W[support] ** 2).sum(axis=0) / (W**2).sum(axis=0)
    np.testing.assert_allclose(outcome.final["support_share"], share, atol=1e-5)
    for column, index in (("norm_1", 0), ("norm_2", 2)):
        expected = [np.linalg.norm(along[int(t)][index]) for t in outcome.curves["step"]]
        np.testing.assert_allclose(outcome.curves[column], expected, atol=1e-5)


def test_a_dead_neuron_has_no_share_and_no_nan():
    params = ({"w": np.zeros((20, 8), np.float32)},)
    run = tiny()
    np.testing.assert_array_equal(PROBES["support_share"].measure(run, run.values(), params)["support_share"], 0)


def test_what_a_step_leaves_of_good_neurons(tmp_path):
    """Against the theory's own functions on the kept weights."""
    run = Run(
        **{**dict(first_step(15, 3, 40, 2000, 5)), "probes": ("components", "good_neurons"), "keep": ("first", "final")}
    )
    row = sweep([run], tmp_path).row(0, named=True)
    before, after = (
        Network(w["0.w"].T.astype(float), w["0.b"], w["1.w"])
        for w in (Store(tmp_path).weights(row["id"], step) for step in ("first", "final"))
    )
    support, on = row["support"], np.isin(np.arange(15), row["support"])
    good = cancelling(before.w, support)
    left = measured_alpha(after, before, LeakyParity(15, tuple(support)))[good]
    assert row["good"] == good.sum() > 5
    expected = [left[:, on].mean(), left[:, on].mean(axis=1).min(), left[:, on].mean(axis=1).max()]
    np.testing.assert_allclose([row["alpha"], row["alpha_low"], row["alpha_high"]], expected, rtol=1e-4)
    assert row["off_rms"] == pytest.approx(np.sqrt(np.mean(left[:, ~on] ** 2)), rel=1e-4)
    active = np.sum(before.w[good][:, ~on] != 0, axis=1)
    assert row["good_active"] == np.bincount(active, minlength=16).tolist()


def test_an_unknown_probe_is_refused_with_those_there_are():
    with pytest.raises(GlasswareError, match=r"unknown probe 'sharpness'; known: .*weight_norms"):
        tiny(probes=("sharpness",))


def test_probes_are_a_set():
    assert tiny(probes=("weight_norms", "neuron_norms", "weight_norms")) == tiny(
        probes=("neuron_norms", "weight_norms")
    )
