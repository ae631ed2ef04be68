import numpy as np
import pytest

from glassware.engine import train
from glassware.foundation.errors import GlasswareError
from glassware.probes import PROBES
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


def test_an_unknown_probe_is_refused_with_those_there_are():
    with pytest.raises(GlasswareError, match=r"unknown probe 'sharpness'; known: .*weight_norms"):
        tiny(probes=("sharpness",))


def test_probes_are_a_set():
    assert tiny(probes=("weight_norms", "neuron_norms", "weight_norms")) == tiny(
        probes=("neuron_norms", "weight_norms")
    )
