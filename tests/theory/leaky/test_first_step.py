import math

import numpy as np
import pytest

from glassware.theory.boolean import cube
from glassware.theory.leaky.distributions import LeakyParity
from glassware.theory.leaky.first_step import (
    alpha,
    good_neurons,
    good_probability,
    good_probability_bound,
    irrelevant_bound,
    irrelevant_mean,
    measured_alpha,
    neuron_step,
    noise_to_gap,
    population_step,
)
from glassware.theory.leaky.network import first_step, first_step_samples, initialise

RNG = np.random.default_rng
CELLS = [(11, 3), (11, 5), (12, 3), (11, 7)]


def start(n, k, q=60, leak=0.5, seed=0):
    rng = RNG(seed)
    return LeakyParity.draw(n, k, rng, leak), initialise(n, k, q, rng)


@pytest.mark.parametrize(("n", "k"), CELLS)
@pytest.mark.parametrize("leak", [0.5, 0.2])
def test_the_closed_form_is_the_gradient_of_the_whole_distribution(n, k, leak):
    task, network = start(n, k, leak=leak)
    z = cube(n)
    exact = first_step(network, z / math.sqrt(n), task.label(z), task.probability(z))
    closed = population_step(network, task)
    for name in ("w", "b", "u"):
        np.testing.assert_allclose(getattr(closed, name), getattr(exact, name), atol=1e-12)
    printed = population_step(network, task, printed=True)
    np.testing.assert_allclose(printed.w, -exact.w, atol=1e-12)  # the displayed sign climbs
    assert np.max(np.abs(printed.w - exact.w)) > 0.1


@pytest.mark.parametrize(("n", "k"), [(10, 4), (9, 2), (10, 6)])
@pytest.mark.parametrize("leak", [1.0, 0.5])
def test_the_closed_form_holds_for_even_supports_too(n, k, leak):
    """Nothing of the support leaks then: on the leaking inputs the label is always +."""
    rng = RNG(1)
    task, network = LeakyParity(n, tuple(range(1, k + 1)), leak), initialise(n, k, 60, rng)
    z = cube(n)
    exact = first_step(network, z / math.sqrt(n), task.label(z), task.probability(z))
    closed = population_step(network, task)
    for name in ("w", "b", "u"):
        np.testing.assert_allclose(getattr(closed, name), getattr(exact, name), atol=1e-12)


@pytest.mark.parametrize(("n", "k"), CELLS)
def test_good_neurons_keep_nothing_off_the_support(n, k):
    task, network = start(n, k)
    stepped, good = population_step(network, task), good_neurons(network.w, task.support)
    off = ~np.isin(np.arange(n), task.support)
    assert 0 < good.sum() < len(good)
    assert np.max(np.abs(stepped.w[good][:, off])) < 1e-12
    assert np.max(np.abs(stepped.b - network.b)[good]) < 1e-12
    assert np.max(np.abs(measured_alpha(stepped, network, task)[~good][:, off])) > 0.01
    on = measured_alpha(stepped, network, task)[good][:, ~off]
    assert np.all((on > 1 / 8) & (on < 1 / 2))


def test_leaking_gradients_vanish_off_the_support_for_good_neurons_only():
    task, network = start(11, 3, q=300, leak=1.0)
    off = ~np.isin(np.arange(11), task.support)
    good = good_neurons(network.w, task.support)
    sizes = np.array([np.max(np.abs(neuron_step(row, 1 / 24, task)[0][off])) for row in network.w])
    assert np.max(sizes[good]) == 0
    assert np.max(sizes[~good]) == pytest.approx(0.25, abs=0.08)


@pytest.mark.parametrize(("k", "value"), [(3, 0.25926), (5, 0.20988), (7, 0.17970), (9, 0.15948)])
def test_how_many_neurons_are_good(k, value):
    assert good_probability(k) == pytest.approx(value, abs=5e-6)
    assert good_probability_bound(k) < value
    assert value == pytest.approx(math.sqrt(3 / (4 * math.pi * k)), rel=0.1)
    rows = RNG(0).integers(-1, 2, (100_000, k)).astype(float)
    rate = good_neurons(rows, tuple(range(k))).mean()
    assert abs(rate - value) <= 4 * math.sqrt(value * (1 - value) / 100_000)


def test_alpha_is_half_of_what_is_printed():
    for n, k in [(101, 5), (401, 7), (11, 3)]:
        for active in (2 * (n - k) // 3, 2 * (n - k) // 3 + 1):
            value = alpha(n, k, active, 1 / (8 * k))
            assert value == pytest.approx(0.25, abs=0.08)
            row, task = np.zeros(n), LeakyParity(n, tuple(range(k)))
            row[k : k + active] = 1  # all weights on A are 0: good, and nothing from D1
            assert neuron_step(row, 1 / (8 * k), task)[0][0] == pytest.approx(value, rel=1e-12)
    assert alpha(101, 3, 67, 1 / 24) == pytest.approx(0.25, abs=1e-8)  # an odd sum and a small bias: a fair coin
    assert alpha(10001, 3, 6667, 1 / 24, printed=True) == pytest.approx(0.5, abs=0.05)  # printed: twice that


def test_the_sampled_step_at_the_quoted_size():
    task, network = start(101, 5, q=200)
    sample = task.sample(20_000, RNG(1))
    stepped = first_step(network, sample.x, sample.y)
    good, on = good_neurons(network.w, task.support), np.isin(np.arange(101), task.support)
    values = measured_alpha(stepped, network, task)[good]
    exact = measured_alpha(population_step(network, task), network, task)[good]
    assert values[:, on].mean() == pytest.approx(exact[:, on].mean(), rel=0.05)
    active = np.sum(network.w[good][:, ~on] != 0, axis=1)
    closed = np.mean([alpha(101, 5, int(a), 1 / 40) for a in active])
    assert values[:, on].mean() == pytest.approx(closed, rel=0.05)
    rms = math.sqrt(np.mean(values[:, ~on] ** 2))
    assert rms <= 3 * 0.75 / math.sqrt(20_000)
    assert rms == pytest.approx(0.0054, abs=0.001)
    p = good_probability(5)
    assert abs(good[:200].mean() - p) <= 4 * math.sqrt(p * (1 - p) / 200)


def test_the_lemmas_bound_what_they_say():
    assert irrelevant_mean(11, 3, 1 / 24) == pytest.approx(0.0011, abs=5e-5)
    assert irrelevant_bound(11, 3) == pytest.approx(0.0913, abs=5e-5)
    task, network = start(11, 3, q=2000)
    uniform = LeakyParity(11, task.support, 0.0)
    off = int(np.flatnonzero(~np.isin(np.arange(11), task.support))[0])
    sizes = [abs(neuron_step(row, 1 / 24, uniform)[0][off]) for row in network.w[:2000]]
    assert np.mean(sizes) == pytest.approx(irrelevant_mean(11, 3, 1 / 24), abs=4 * np.std(sizes) / math.sqrt(2000))
    outputs = np.abs(population_step(network, task).u)
    assert np.max(outputs) <= 3 / math.sqrt(11)  # Lemma 12: k / sqrt(n) = 0.905
    assert np.max(outputs) == pytest.approx(0.235, abs=0.005)


def test_the_noise_rule():
    assert noise_to_gap(31, first_step_samples(31)) < 0.1
