import math

import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import chi, cube
from glassware.theory.leaky.distributions import LeakyParity
from glassware.theory.leaky.first_step import population_step
from glassware.theory.leaky.network import Network, first_step, gradient, initialise, relu6, update
from glassware.theory.leaky.readout import (
    build_readout,
    drift_bounds,
    hinge,
    kinks,
    lemma10,
    matching_probability,
    matching_readin,
    online_bound,
    parity_coefficients,
    theorem2_bound,
)

RNG = np.random.default_rng


def combination(k, **printed):
    t = kinks(k)
    return sum(a * hinge(r, t) for r, a in zip(t, parity_coefficients(k, **printed), strict=True))


@pytest.mark.parametrize("k", [3, 5, 7, 9, 11])
def test_the_parity_is_a_sum_of_hinges(k):
    x = cube(k)
    label = dict(zip(x.sum(axis=1), chi(x, range(k)), strict=True))
    expected = np.array([label[t] for t in kinks(k)])
    np.testing.assert_allclose(combination(k), expected, atol=1e-12)
    assert np.max(np.abs(combination(k, printed=True) - expected)) > 1


def test_the_printed_coefficients_give_something_else():
    np.testing.assert_allclose(np.sort(combination(3, printed=True)), [-4, -3, 3, 4], atol=1e-12)


def test_clipped_hinges_fail_from_five_bits_on():
    for k, same in [(3, True), (5, False), (7, False)]:
        t = kinks(k)
        clipped = sum(a * hinge(r, t, printed=True) for r, a in zip(t, parity_coefficients(k), strict=True))
        assert np.allclose(clipped, combination(k)) is same


@pytest.mark.parametrize("k", [3, 7])
def test_the_right_readin_makes_a_neuron_a_hinge(k):
    n, alpha, bias, t = 1000, 0.25, 1 / (8 * k), kinks(k)
    for r in kinks(k):
        u = matching_readin(r, n, alpha, bias)
        np.testing.assert_allclose(abs(r) / bias * relu6(alpha * u * t / n + bias), hinge(r, t), atol=1e-12)
        assert abs(u) <= n / (2 * k) + 1e-9  # and such u are drawn


@pytest.mark.parametrize(("r", "formula"), [(1, 0.0357), (3, 0.0119), (7, 0.0051), (-5, 0.0071)])
def test_how_often_a_random_readin_is_close_enough(r, formula):
    n, k, alpha, eps = 1000, 7, 0.25, 0.5
    bias, t = 1 / (8 * k), np.linspace(-k, k, 57)
    assert matching_probability(r, alpha, bias, eps) == pytest.approx(formula, abs=5e-5)
    assert matching_probability(r, alpha, bias, eps) >= eps / (8 * k**2)
    u = RNG(0).uniform(-n / k, n / k, 40_000)
    error = np.max(np.abs(abs(r) / bias * relu6(alpha * u[:, None] * t / n + bias) - hinge(r, t)), axis=1)
    rate = np.mean(error <= eps)
    assert rate == pytest.approx(formula, abs=4 * math.sqrt(formula / 40_000) + 1e-4)


@pytest.mark.parametrize("k", [3, 5])
def test_the_readout_built_from_a_real_first_step_computes_the_parity(k):
    rng = RNG(0)
    task = LeakyParity.draw(101, k, rng)
    stepped = population_step(initialise(101, k, 4000, rng), task)
    sample = task.sample(1000, rng, component=1)
    for margin in (1.0, 2.0):
        built = Network(stepped.w, stepped.b, build_readout(stepped, task, margin=margin))
        assert np.min(sample.y * built(sample.x)) >= margin / 2
    printed = Network(stepped.w, stepped.b, build_readout(stepped, task, printed=True))
    assert np.mean(sample.y * printed(sample.x) > 0) < 0.8


def test_a_readout_needs_good_neurons():
    rng = RNG(0)
    with pytest.raises(GlasswareError, match="larger q"):
        build_readout(initialise(31, 3, 10, rng), LeakyParity.draw(31, 3, rng))
    with pytest.raises(GlasswareError, match="odd k"):
        parity_coefficients(4)


def test_the_sizes_the_theorem_implies():
    needs = lemma10(7, 0.1)
    assert needs.neurons == pytest.approx(9.05e12, rel=2e-3)
    assert needs.probability == pytest.approx(1 / (1120 * 7**3.5))
    assert pytest.approx(3.3e13, rel=0.01) == 7**16
    assert theorem2_bound(7, 1e4, 1e4, 1e4) > 1  # vacuous at any size that runs
    q = 1e20
    assert theorem2_bound(7, q, 1e60, 1e30) < 0.01
    base = theorem2_bound(7, q, 1e44, 1e14)
    assert theorem2_bound(7, q, 1e45, 1e14) < base
    assert theorem2_bound(7, q, 1e44, 1e15) < base
    assert theorem2_bound(9, q, 1e44, 1e14) > base


def test_the_printed_drift_bound_is_broken_by_the_first_small_step():
    rng, (n, k, eta) = RNG(0), (31, 3, 1e-4)
    task = LeakyParity.draw(n, k, rng)
    sample = task.sample(6200, rng)
    network = first_step(initialise(n, k, 100, rng), sample.x, sample.y)
    batch = task.sample(512, rng)
    last = update(network, gradient(network, batch.x, batch.y), eta, 0.0)
    moved = np.max(np.linalg.norm(last.w - network.w, axis=1))
    assert drift_bounds(2, eta, 0.0, n, k, printed=True).w < moved <= drift_bounds(2, eta, 0.0, n, k).w


@pytest.mark.parametrize("seed", range(5))
def test_online_descent_obeys_its_bound(seed):
    rng, eta, rounds = RNG(seed), 0.05, 200
    x, best = rng.standard_normal((rounds, 6)), rng.standard_normal(6)
    y = np.sign(x @ best)
    theta = start = rng.standard_normal(6)
    losses, norms = [], []
    for features, label in zip(x, y, strict=True):
        short = label * (features @ theta) < 1
        gradient = -label * features * short
        losses.append(max(1 - label * (features @ theta), 0))
        norms.append(np.linalg.norm(gradient))
        theta = theta - eta * gradient
    at_best = np.maximum(1 - y * (x @ best), 0)
    assert np.mean(losses) <= online_bound(at_best, best, start, np.array(norms), eta)
