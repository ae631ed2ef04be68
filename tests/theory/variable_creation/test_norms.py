import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassware.theory.variable_creation import norms

RNG = np.random.default_rng


def test_columns_first():
    M = np.array([[3.0, 0.0, 1.0], [4.0, 2.0, 0.0]])
    assert norms.pq_norm(M, 2, 1) == pytest.approx(5 + 2 + 1)
    assert norms.pq_norm(M.T, 2, np.inf) == norms.longest_row(M) == pytest.approx(np.sqrt(20))


@given(st.lists(st.floats(-30, 30), min_size=2, max_size=6), st.integers(0, 2**32))
def test_softmax_moves_at_most_as_far_as_its_largest_score(scores, seed):
    first = np.array(scores)
    second = first + RNG(seed).standard_normal(len(first))
    assert norms.softmax_ratio(first, second) <= 1 + 1e-9  # the text has 2
    assert norms.softmax_jacobian_norm(first) <= 2
    assert np.abs(norms.softmax_jacobian(first)).sum() == pytest.approx(norms.softmax_jacobian_norm(first))


def test_the_constant_of_softmax_is_reached_and_that_of_sparsemax_grows():
    rng = RNG(0)
    assert norms.steepest_softmax(3, rng, 2) > 0.999
    assert norms.largest_jacobian("elu + 1", 4, rng, 2) == pytest.approx(1.5, abs=1e-3)
    assert norms.largest_jacobian("sparsemax", 4, rng, 2) == pytest.approx(6)


@pytest.mark.parametrize("name", norms.JACOBIANS)
def test_jacobians_are_slopes(name):
    function = {"softmax": norms.softmax, "elu + 1": norms.kernel_weights, "sparsemax": norms.sparsemax}[name]
    scores, h = np.array([0.3, -0.2, 0.1, -2.0]), 1e-6
    slopes = np.array([(function(scores + h * e) - function(scores - h * e)) / (2 * h) for e in np.eye(4)]).T
    np.testing.assert_allclose(norms.JACOBIANS[name](scores), slopes, atol=1e-8)
    assert function(scores).sum() == pytest.approx(1)


@given(st.integers(0, 2**32), st.floats(0.1, 5))
def test_sparsemax_is_the_nearest_point_of_the_simplex(seed, size):
    rng = RNG(seed)
    scores = size * rng.standard_normal(5)
    nearest = norms.sparsemax(scores)
    assert nearest.sum() == pytest.approx(1)
    assert nearest.min() >= 0
    other = rng.dirichlet(np.ones(5))
    assert (scores - nearest) @ (other - nearest) <= 1e-9  # what a projection onto a convex set does


@given(st.integers(0, 2**32), st.floats(0.1, 10))
def test_the_projection_moves_nothing_apart(seed, size):
    u, v = size * RNG(seed).standard_normal((2, 4))
    assert np.linalg.norm(norms.project(u) - norms.project(v)) <= np.linalg.norm(u - v) * (1 + 1e-12)
