import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import chi, cube
from glassware.theory.hidden_progress.representation import (
    best_correlation,
    feature_correlations,
    fourier_degree,
    kernel_loss_bound,
    layerwise_gradient,
    quadratic_depth,
    quadratic_network,
    relu_parity,
)


def features(kind, n, dimension, seed=0):
    rng = np.random.default_rng(seed)
    drawn = np.maximum(cube(n) @ rng.normal(size=(n, dimension)) + rng.normal(size=dimension), 0)
    if kind == "gaussian":
        drawn = rng.normal(size=(2**n, dimension))
    return drawn / np.linalg.norm(drawn, axis=1).max()


@pytest.mark.parametrize("kind", ["relu", "gaussian"])
@pytest.mark.parametrize(("n", "k", "dimension"), [(8, 3, 40), (10, 2, 20), (10, 4, 300)])
def test_some_parity_is_hidden_from_fixed_features(kind, n, k, dimension):
    found = feature_correlations(features(kind, n, dimension), k)
    assert len(found) == math.comb(n, k)
    assert sum(c**2 for c in found.values()) <= 1
    hardest, correlation = min(found.items(), key=lambda item: item[1])
    assert correlation == pytest.approx(best_correlation(features(kind, n, dimension), hardest, 1.0), abs=1e-13)
    for radius in (0.5, 3.0):
        assert 1 - radius * correlation >= kernel_loss_bound(n, k, radius)
    assert kernel_loss_bound(n, k, 0.5, dimension) < kernel_loss_bound(n, k, 0.5)


def test_training_in_the_ball_stays_above_the_bound():
    n, k, radius = 7, 3, 2.0
    psi = features("relu", n, 30)
    hardest = min(feature_correlations(psi, k).items(), key=lambda item: item[1])[0]
    y = chi(cube(n), hardest)

    def loss(w):  # weights outside of the ball count as their nearest point in it
        w = w * min(1.0, radius / np.linalg.norm(w))
        return np.maximum(1 - y * (psi @ w), 0).mean()

    best = min(minimize(loss, start, method="Powell").fun for start in np.random.default_rng(1).normal(size=(2, 30)))
    assert kernel_loss_bound(n, k, radius) <= best < 1.0


def test_no_such_bound_holds_for_the_share_of_errors():
    psi, rng = features("relu", 8, 10), np.random.default_rng(5)
    assert kernel_loss_bound(8, 4, 0.2, 10) > 0.5
    for S in feature_correlations(psi, 4):
        w = rng.normal(size=10)
        wrong = np.mean(np.sign(psi @ w) != chi(cube(8), S))
        assert min(wrong, np.mean(np.sign(psi @ -w) != chi(cube(8), S))) <= 0.5 + np.mean(psi @ w == 0)


@pytest.mark.parametrize("support", [[], [2], [1, 4], [0, 3, 5], [0, 1, 2, 6]])
def test_a_quadratic_layer_sees_pairs_and_nothing_larger(support):
    w, b, x = np.random.default_rng(2).normal(size=7), 0.8, cube(7)
    slope = chi(x, support) * 2 * (x @ w + b)
    in_w, in_b = layerwise_gradient(w, b, support)
    np.testing.assert_allclose(in_w, slope @ x / len(x), atol=1e-13)
    assert in_b == pytest.approx(slope.mean(), abs=1e-13)
    assert bool(np.any(in_w)) == (len(support) < 3)


@pytest.mark.parametrize("k", range(1, 9))
def test_k_neurons_and_an_output_bias_compute_the_parity(k):
    W, b, u, c = relu_parity(k)
    x = cube(k)
    assert W.shape == (k, k)
    np.testing.assert_allclose(np.maximum(x @ W.T + b, 0) @ u + c, chi(x, range(k)), atol=1e-12)


def test_two_neurons_need_the_output_bias():
    rng = np.random.default_rng(3)
    x = cube(2)
    h = np.maximum(rng.normal(size=(200_000, 2, 2)) @ x.T + rng.normal(size=(200_000, 2, 1)), 0)
    out = (rng.normal(size=(200_000, 2, 1)) * h).sum(1)
    y = chi(x, [0, 1])
    assert not np.any(np.all(out * y > 0, axis=1))
    assert np.any(np.all((out + rng.normal(size=(200_000, 1))) * y > 0, axis=1))


@pytest.mark.parametrize("hidden", [1, 2, 3])
def test_the_degree_of_a_quadratic_network_doubles_with_every_layer(hidden):
    rng = np.random.default_rng(4)
    sizes = [9] + [4] * hidden
    layers = [(rng.normal(size=(b, a)), rng.normal(size=b)) for a, b in pairwise(sizes)]
    f = quadratic_network(cube(9), layers) @ rng.normal(size=4)
    degree = 2**hidden
    assert fourier_degree(f) == degree
    scale = np.abs(f).max()
    assert abs(np.mean(f * chi(cube(9), range(degree)))) > 1e-6 * scale
    assert np.mean(f * chi(cube(9), range(degree + 1))) == pytest.approx(0.0, abs=1e-12 * scale)


def test_depths_that_reach_a_parity():
    assert [quadratic_depth(k) for k in (1, 2, 3, 4, 5, 8, 9)] == [1, 2, 3, 3, 4, 4, 5]
    assert fourier_degree(np.ones(8)) == 0
    assert fourier_degree(np.zeros(8)) == 0


def test_a_parity_of_nothing_is_refused():
    with pytest.raises(GlasswareError, match="k is 0"):
        relu_parity(0)
