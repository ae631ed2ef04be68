import math

import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import chi, cube
from glassware.theory.pareto.lower_bound import (
    adversarial_descent,
    cell_luck,
    cell_margin,
    cell_verdict,
    chance_of_a_trace,
    frontier,
    mean_square_correlation,
    parameters,
)

N, K = 10, 3
X = cube(N)


def gates(theta):
    """h = mean_i tanh(w_i . x): every partial derivative is at most 1 in size."""
    return np.tanh(X @ theta.reshape(N, -1))


def gradients(theta):
    """dh/dtheta at every point, (2**n, parameters)."""
    slope = (1 - gates(theta) ** 2) / (theta.size // N)
    return (X[:, :, None] * slope[:, None, :]).reshape(len(X), -1)


def test_gradients_see_little_of_most_parities():
    theta = np.random.default_rng(0).standard_normal(N * 4)
    for column in gradients(theta).T:
        assert np.max(np.abs(column)) <= 1
        assert mean_square_correlation(column, K) <= 1 / math.comb(N, K)


def test_the_mean_is_over_all_supports_of_size_k():
    assert mean_square_correlation(chi(X, (1, 4, 7)), K) == pytest.approx(1 / 120, rel=1e-12)
    assert mean_square_correlation(chi(X, (1, 4)), K) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(("tau", "hidden"), [(0.05, True), (1e-4, False)])
def test_noise_hides_the_target_bit_for_bit(tau, hidden):
    label = chi(X, (0, 3, 8))

    def gradient(theta, t):
        return gradients(theta).T @ (gates(theta).mean(axis=1) - label) / len(X)

    def target_free(theta, t):
        return gradients(theta).T @ gates(theta).mean(axis=1) / len(X)

    start = np.random.default_rng(1).standard_normal(N * 4) / 2
    path = adversarial_descent(gradient, target_free, start, 0.5, tau, 30)
    assert (path.hidden == 30) is hidden
    assert np.array_equal(path.theta, path.free) is hidden


def test_the_printed_constant_doubles_the_chance_of_a_trace():
    delta, tau, count, steps = 0.01, 0.5, 3, 7
    for printed, expected in [(True, 2 * delta), (False, delta)]:
        bound = frontier(30, 6, count, steps, tau, delta, printed)
        scale = bound.needed / bound.spent  # resources exactly on the frontier
        assert chance_of_a_trace(30, 6, 1, 1, tau / math.sqrt(count * steps * scale)) == pytest.approx(expected)


def test_what_the_bound_says_about_cells():
    assert math.comb(300, 4) == pytest.approx(3.3e8, rel=0.01)
    assert parameters(300, 10) * 1e5 >= 3e8  # so the narrowest cell of the hardest panel is already free
    for n in (50, 300):
        for width in (10, 100_000):
            assert cell_verdict(n, 4, 100, width, 100_000, 1.0) == "silent"
    assert cell_margin(300, 4, 100, 10, 100_000, 1.0) > 2
    luck = cell_luck(100, 10, 100, 10, 1000)
    assert 0 < luck < 1
    assert cell_verdict(100, 10, 100, 10, 1000, min(1.0, luck * 1.01)) == "contradicts"
    assert cell_verdict(100, 10, 100, 10, 1000, luck * 0.99) == "agrees"
    assert cell_verdict(100, 10, 100, 10, 1000, 0.0) == "agrees"
    assert cell_verdict(100, 10, math.inf, 10, 1000, 1.0) == "silent"


def test_impossible_cells_are_refused():
    with pytest.raises(GlasswareError, match="no such cell"):
        frontier(5, 6, 1, 1, 0.1, 0.1)
