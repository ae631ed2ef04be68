import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import cube
from glassware.theory.hidden_progress.gradients import others_product
from glassware.theory.hidden_progress.polynet_flow import (
    blow_up_bound,
    flow_growth,
    flow_time,
    flow_weights,
    ones_time,
    ones_weights,
    pair_growth_bounds,
    pair_weights,
    population_gradient,
    reach_bound,
    remaining_bound,
)


def start(rng, k, *shape):
    v0 = rng.normal(size=(*shape, k))
    v0[..., 0] *= np.sign(v0.prod(-1))
    return v0


@pytest.mark.parametrize(("k", "block"), [(2, 5), (3, 4), (4, 3)])
def test_only_relevant_weights_have_a_gradient(k, block):
    w = np.random.default_rng(k).normal(size=(k, block))
    x = cube(k * block).reshape(-1, k, block)
    y, parts = x[:, :, 0].prod(-1), (x * w).sum(-1)
    summed = -(y[:, None] * others_product(parts))[:, :, None] * x
    np.testing.assert_allclose(population_gradient(w), summed.mean(0), atol=1e-13)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_times_are_those_of_quadrature(k):
    rng = np.random.default_rng(k)
    v0 = start(rng, k, 5)
    v0[0, 1] = math.copysign(1e-4, v0[0, 1])
    for v in v0:
        a = v**2
        # g = h^2 takes the edge off a weight near zero.
        density = lambda h, a=a: h / np.sqrt(np.prod(h * h + a))
        for q in (0.01, 1.0, 30.0):
            mid = float(np.abs(v).min())
            exact = sum(
                quad(density, low, high, epsabs=1e-14, epsrel=1e-13, limit=200)[0]
                for low, high in [(0, min(mid, math.sqrt(q))), (min(mid, math.sqrt(q)), math.sqrt(q))]
            )
            assert flow_time(v, q) == pytest.approx(exact, rel=1e-10)
    np.testing.assert_allclose(flow_time(v0, 2.0), [flow_time(v, 2.0) for v in v0], rtol=1e-14)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_weights_are_those_of_an_ode_solver(k):
    v0 = start(np.random.default_rng(10 + k), k)
    end = float(flow_time(v0, 4.0))
    solved = solve_ivp(lambda _, v: others_product(v), (0, end), v0, rtol=1e-12, atol=1e-13).y[:, -1]
    np.testing.assert_allclose(flow_weights(v0, end), solved, rtol=1e-9)
    assert flow_growth(v0, end) == pytest.approx(4.0, rel=1e-10)
    np.testing.assert_array_equal(flow_weights(v0, 0.0), np.sign(v0) * np.sqrt(v0**2))


@pytest.mark.parametrize("k", [3, 4, 7])
def test_all_ones_have_closed_forms(k):
    ones = np.ones(k)
    for b in (1.5, 4.0, 1000.0):
        assert flow_time(ones, b * b - 1) == pytest.approx(float(ones_time(b, k)), rel=1e-12)
    t = 0.7 / (k - 2)
    np.testing.assert_allclose(flow_weights(ones, t), ones_weights(t, k), rtol=1e-11)
    assert flow_time(ones, math.inf) == pytest.approx(1 / (k - 2), rel=1e-12)
    assert blow_up_bound(ones) == pytest.approx(1 / (k - 2))
    assert flow_growth(ones, 1.0 / (k - 2) + 1e-6) == math.inf


def test_two_weights_turn_hyperbolically():
    v0 = np.array([-0.3, -2.0])
    for t in (0.1, 1.0, 3.0):
        np.testing.assert_allclose(flow_weights(v0, t), pair_weights(v0, t), rtol=1e-11)
        low, high = pair_growth_bounds(v0, t)
        assert low <= flow_growth(v0, t) <= high
    equal = np.array([1.3, 1.3])
    low, high = pair_growth_bounds(equal, 1.0)
    assert low == pytest.approx(high)
    assert flow_growth(equal, 1.0) == pytest.approx(float(low), rel=1e-12)


def test_the_bounds_of_lemma_five_hold_on_random_instances():
    rng = np.random.default_rng(3)
    for _ in range(200):
        k = int(rng.integers(3, 7))
        v0 = start(rng, k)
        b = float(np.abs(v0).max() * rng.uniform(1.0, 5.0))
        exact = np.array([flow_time(v0, b * b - v * v) for v in v0])
        whole = float(flow_time(v0, math.inf))
        assert np.all(exact >= reach_bound(v0, b) - 1e-12 * whole)
        assert np.all(whole - exact <= remaining_bound(v0, b) * (1 + 1e-9) + 1e-12 * whole)
        assert whole <= blow_up_bound(v0) * (1 + 1e-12)


def test_the_bounds_are_tight_for_equal_weights():
    v0 = np.full(4, 1.7)
    exact = flow_time(v0, 9.0 - 1.7**2)
    np.testing.assert_allclose(reach_bound(v0, 3.0), exact, rtol=1e-12)
    np.testing.assert_allclose(remaining_bound(v0, 3.0), flow_time(v0, math.inf) - exact, rtol=1e-10)


def test_weights_that_would_shrink_and_times_that_do_not_end_are_refused():
    with pytest.raises(GlasswareError, match="product"):
        flow_time(np.array([1.0, -1.0, 2.0]), 1.0)
    with pytest.raises(GlasswareError, match="k > 2"):
        flow_time(np.ones(2), math.inf)
