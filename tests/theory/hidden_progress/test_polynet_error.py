import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import cube
from glassware.theory.hidden_progress.polynet_error import (
    error_bounds,
    error_without_ties,
    exact_error,
    inside_binomial,
    inside_enumerated,
    inside_gaussian,
)


def enumerated_error(w):
    k, block = w.shape
    x = cube(k * block).reshape(-1, k, block)
    f = (x * w).sum(-1).prod(-1)
    return np.mean(np.sign(f) != x[:, :, 0].prod(-1))


@pytest.mark.parametrize("seed", range(6))
def test_the_error_is_that_of_all_inputs_ties_and_signs_included(seed):
    rng = np.random.default_rng(seed)
    w = rng.integers(-2, 3, (3, 4)).astype(float) if seed % 2 else rng.normal(size=(3, 4))
    assert exact_error(w) == pytest.approx(enumerated_error(w), abs=1e-14)


def test_many_networks_are_examined_at_once():
    w = np.random.default_rng(0).choice([-1.0, 1.0], (2, 5, 2, 3))
    w[..., 0] *= 1.5
    errors = exact_error(w)
    assert errors.shape == (2, 5)
    assert errors[1, 3] == pytest.approx(enumerated_error(w[1, 3]), abs=1e-14)


def test_without_ties_the_error_is_a_product_over_blocks():
    rng = np.random.default_rng(1)
    w = rng.normal(size=(3, 6))
    w[0, 0] *= np.sign(w[:, 0].prod())
    inside = inside_enumerated(w[:, 1:], w[:, 0])
    assert error_without_ties(inside) == pytest.approx(exact_error(w), abs=1e-14)


@pytest.mark.parametrize("m", [1, 2, 7, 10])
def test_the_binomial_law_is_that_of_unit_weights(m):
    v = np.concatenate([np.arange(0, m + 3), np.arange(0, m + 2) + 0.5, [-1.5]]).astype(float)
    u = np.ones((len(v), m))
    np.testing.assert_allclose(inside_binomial(m, v), inside_enumerated(u, v), atol=1e-14)


def test_the_normal_approximation_is_close_for_many_weights():
    v = np.linspace(0.5, 200.5, 9)
    np.testing.assert_allclose(inside_gaussian(100.0, v), inside_binomial(10_000, v), atol=0.01)


def instances(count):
    rng = np.random.default_rng(2)
    for _ in range(count):
        k, m = rng.integers(2, 5), rng.integers(2, 11)
        u = rng.normal(size=(k, m)) * rng.uniform(0.3, 10)
        v = np.linalg.norm(u, axis=1) * np.abs(rng.normal(size=k)) * rng.uniform(0.3, 3)
        yield v, u, float(exact_error(np.concatenate([v[:, None], u], axis=1)))


def test_both_bounds_hold_and_the_printed_lower_one_often_does_not():
    broken = 0
    for v, u, error in instances(400):
        low, high = error_bounds(v, u)
        assert low - 1e-12 <= error <= high + 1e-12
        broken += error_bounds(v, u, printed=True)[0] > error + 1e-12
    assert broken >= 20


def test_the_printed_upper_bound_is_below_an_exact_error():
    v, u = np.full(3, 25.0), np.ones((3, 100))
    error = float(error_without_ties(inside_binomial(100, v)))
    assert error == pytest.approx(0.0178, abs=5e-5)
    assert error_bounds(v, u, printed=True)[1] == pytest.approx(0.0116, abs=5e-5)
    assert error <= error_bounds(v, u)[1]


def test_other_shapes_are_refused():
    with pytest.raises(GlasswareError, match="shapes"):
        error_bounds(np.ones(3), np.ones((2, 5)))
