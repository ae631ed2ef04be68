import math

import numpy as np
import pytest

from glassware.theory.boolean import chi, cube
from glassware.theory.hidden_progress.convex_sgd import bound_excess, bound_rate, hinge_sgd
from glassware.theory.hidden_progress.one_step import Network
from glassware.theory.hidden_progress.one_step_schedule import parity_readout


@pytest.mark.parametrize("steps", [20, 200, 2000])
def test_the_average_loss_on_frozen_features_keeps_its_bound(steps):
    # The read-out of the construction has loss zero, so the bound is all excess.
    k, rng, x = 4, np.random.default_rng(steps), cube(4)
    biases, best = parity_readout(k)
    network = Network(np.full((k + 1, k), 1 / (2 * k)), biases, best)
    h, y = network.features(x), chi(x, range(k))
    length, gradient = float(np.linalg.norm(best)), float(np.linalg.norm(h, axis=1).max())

    def draw():
        rows = rng.integers(0, len(x), 4)
        return h[rows], y[rows]

    run = hinge_sgd(draw, np.zeros(k + 1), steps, bound_rate(length, gradient, steps))
    assert run.largest_gradient <= gradient
    assert run.mean_loss <= bound_excess(length, gradient, steps)
    assert run.mean_loss > 0


def test_full_gradients_follow_the_hinge_loss():
    rng = np.random.default_rng(0)
    h, y, u = rng.normal(size=(50, 6)), rng.choice([-1.0, 1.0], 50), rng.normal(size=6)
    loss = lambda u: np.maximum(1 - y * (h @ u), 0).mean()
    run = hinge_sgd(lambda: (h, y), u, 1, 1.0)
    assert run.mean_loss == pytest.approx(loss(u), abs=1e-14)
    eye = np.eye(6) * 1e-7
    slope = [(loss(u + e) - loss(u - e)) / 2e-7 for e in eye]
    np.testing.assert_allclose(u - run.u, slope, atol=1e-7)
    assert run.largest_gradient == pytest.approx(np.linalg.norm(slope), abs=1e-6)


def test_rate_and_excess_balance():
    assert bound_rate(8.0, 2.0, 16) == 1.0
    assert bound_excess(8.0, 2.0, 16) == 4.0
    assert bound_excess(8.0, 2.0, 64) == pytest.approx(math.sqrt(1 / 4) * 4.0)
