"""Ridge regression on a conjunction."""

import numpy as np

from glassware.theory.variable_creation import linear


def test_both_systems_solve_the_same_equations():
    rng = np.random.default_rng(0)
    for m in (15, 45):  # fewer examples than bits, and more
        x, y = rng.normal(size=(m, 30)), rng.normal(size=m)
        w = linear.ridge(x, y, 3.0)
        np.testing.assert_allclose(x.T @ (x @ w - y) + 3.0 * w, 0, atol=1e-9)


def test_the_best_cut_is_found():
    scores, positive = np.array([3.0, 2.0, 1.0, 0.0, -1.0]), np.array([True, True, False, True, False])
    assert linear._best_accuracy(scores, positive) == 0.8
    assert linear._best_accuracy(scores, np.zeros(5, bool)) == 1.0


def test_more_examples_help_and_a_longer_context_hurts():
    rates = {
        (length, m): np.mean([linear.ridge_accuracy(np.random.default_rng(i), length, m) for i in range(6)])
        for length, m in ((20, 40), (20, 160), (80, 160))
    }
    assert rates[20, 160] > rates[20, 40] + 0.03
    assert rates[20, 160] > rates[80, 160] + 0.03
