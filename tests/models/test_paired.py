"""Networks that start as the zero function, and the one step that theorems take with them."""

import numpy as np
import pytest

from glassware.models import Init, Paired
from glassware.sweeps import Store, sweep
from glassware.tasks import Parity
from glassware.training import L2, SGD, Evaluation, Run
from tests.reference import example

LEVELS = (-0.5, 0.0, 0.25)


def paired(**changes):
    fields = {
        "task": Parity(n=9, k=2),
        "m": 50,
        "model": Paired(width=40, levels=LEVELS),
        "init": Init(scheme="sign"),
        "penalty": (L2(weight=0.25, leaves="0.w"),),
        "optimiser": SGD(lr=2.0, layer_rates=(1, 0)),
        "batch": "full",
        "steps": 1,
        "evaluation": Evaluation(every=1, test=50, stop=False),
        "keep": ("first", "final"),
    }
    return Run(**{**fields, **changes})


def stepped(run, store):
    """Its weights before and after, by name."""
    row = sweep([run], store).row(0, named=True)
    return [Store(store).weights(row["id"], step) for step in ("first", "final")]


def test_it_starts_at_zero_with_signs_and_levels(tmp_path):
    first, _ = stepped(paired(), tmp_path)
    assert set(np.unique(first["0.w"])) == {-1.0, 1.0}
    assert set(np.unique(first["0.b"])) == set(LEVELS)
    assert set(np.unique(first["1.w"])) == {-1.0, 1.0}
    assert len(np.unique(first["0.w"][:, :20], axis=1).T) > 15
    x = np.random.default_rng(0).choice([-1.0, 1.0], (100, 9))
    hidden = np.maximum(x @ first["0.w"] + first["0.b"], 0)
    np.testing.assert_allclose(hidden @ first["1.w"] + first["1.b"], 0, atol=1e-12)


def test_sparse_ones_and_a_readout_of_nothing(tmp_path):
    model = Paired(width=20, levels=LEVELS, outgoing=0.0, output_bias=False)
    first, _ = stepped(paired(model=model, init=Init(scheme="sparse", s=3)), tmp_path)
    assert set(first["0.w"].sum(axis=0)) == {3.0}
    assert set(np.unique(first["0.w"])) == {0.0, 1.0}
    assert not first["1.w"].any()
    assert "1.b" not in first


@pytest.mark.parametrize("frozen", [False, True])
def test_the_step_is_the_mean_over_its_examples(frozen, tmp_path):
    run = paired(model=Paired(width=40, levels=LEVELS, frozen_biases=frozen))
    first, final = stepped(run, tmp_path)
    x, y = example(run, np.arange(50, dtype=np.uint32))
    slope = (x @ first["0.w"] + first["0.b"] > 0) * y[:, None] * first["1.w"][:, 0] / 50
    np.testing.assert_allclose(final["0.w"], 2 * x.T @ slope, atol=1e-5)  # the penalty erases what was there
    np.testing.assert_allclose(final["0.b"], first["0.b"] + (0 if frozen else 2) * slope.sum(0), atol=1e-5)
    np.testing.assert_array_equal(final["1.w"], first["1.w"])


@pytest.mark.parametrize("width", [7, (4, 4)])
def test_other_widths_are_refused(width):
    with pytest.raises(ValueError, match="even width"):
        Paired(width=width, levels=LEVELS)
