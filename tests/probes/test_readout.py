"""Weights on and off the support, the solved readout, and the theorem's descent of it, against NumPy."""

import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.models import MLP
from glassware.studies.theory.over_sparse import descents, first_steps
from glassware.sweeps import Store, sweep
from glassware.theory.pareto.over_sparse import least_squares
from tests import reference
from tests.helpers import tiny


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A first step and the descent from it: their rows, runs and weights."""
    store = tmp_path_factory.mktemp("store")
    step = first_steps("smoke", 1, None)[1]
    step = step.model_copy(update={"probes": ("solved_readout", "weight_sizes")})
    rows = sweep([step], store)
    (descent,) = descents("smoke", 1, rows)
    descent = descent.model_copy(update={"keep": ("final",)})
    both = [rows.row(0, named=True), sweep([descent], store).row(0, named=True)]
    return [(run, row, Store(store).weights(row["id"])) for run, row in zip((step, descent), both, strict=True)]


def features(weights, x):
    hidden = np.maximum(x @ weights["0.w"].astype(float) + weights["0.b"], 0)
    return np.concatenate([np.ones((len(x), 1)), hidden], axis=1)


def test_sizes_of_weights_on_and_off_the_support(trained):
    run, row, weights = trained[0]
    on = np.isin(np.arange(21), run.task.hidden_support(run.key()))
    for kind, size in (("relevant", np.abs(weights["0.w"][on])), ("irrelevant", np.abs(weights["0.w"][~on]))):
        found = [row[f"{kind}_{name}"] for name in ("mean", "low", "high")]
        np.testing.assert_allclose(found, [size.mean(), size.min(), size.max()], rtol=1e-5, atol=1e-7)


def test_the_solved_readout_is_that_of_least_squares(trained):
    run, row, weights = trained[0]
    x, y = reference.example(run, np.arange(run.m, dtype=np.uint32))
    readout = least_squares(features(weights, x), y)
    fresh, labels = reference.held_out(run)
    error = np.mean(labels * (features(weights, fresh) @ readout) <= 0)
    assert row["solved_error"] == pytest.approx(error, abs=2e-3)
    assert 0 < error < 0.1


def test_a_descent_takes_the_steps_of_a_strongly_convex_problem(trained):
    """u <- (1 - 1/t) u - gradient / (lambda t), on the sample of the first step and with its first layer frozen."""
    (_, _, start), (run, _, weights) = trained
    for name in ("0.w", "0.b"):
        np.testing.assert_array_equal(weights[name], start[name])
    x, y = reference.example(run, np.arange(run.m, dtype=np.uint32))
    signed, decay = y[:, None] * features(start, x), run.optimiser.weight_decay
    u = np.zeros(signed.shape[1])
    for t in range(1, run.steps + 1):
        u = (1 - 1 / t) * u + (signed @ u < 1) @ signed / (len(y) * decay * t)
    found = np.concatenate([weights["1.b"], weights["1.w"][:, 0]])
    # A margin that rounding puts on the other side of 1 moves u by 1 / (m lambda t).
    assert np.abs(found - u).max() < 0.05 * np.abs(u).max()

    def loss(u):
        return np.mean(np.maximum(1 - signed @ u, 0)) + decay / 2 * u @ u

    assert loss(found) == pytest.approx(loss(u), rel=0.01)
    assert loss(found) < loss(0 * u) / 2


def test_readouts_that_cannot_be_solved_are_refused():
    for changes in ({"m": 50}, {"m": 50, "batch": "full", "model": MLP(width=(4, 4))}, {"m": 200_000, "batch": "full"}):
        with pytest.raises(GlasswareError, match="solved_readout"):
            tiny(probes=("solved_readout",), **changes)
