import math

import numpy as np
import pytest

from glassware.theory.boolean import random_signs
from glassware.theory.pareto.good_neurons import good_per_bias
from glassware.theory.pareto.over_sparse import first_step, good_feature, initialise, population_step, step_size
from glassware.theory.pareto.over_sparse_bounds import (
    feature_distance,
    feature_norm,
    frontier_family,
    generalisation_gap,
    gradient_samples,
    ideal_loss,
    precision_needed,
    theorem_16,
)
from glassware.theory.pareto.over_sparse_readout import biases, over_sparse_readout
from glassware.theory.pareto.sparse_gradients import over_sparse_signal


@pytest.mark.parametrize(("n", "k", "s"), [(101, 2, 51), (401, 4, 201)])
def test_the_corrected_resources_satisfy_the_lemmas_they_feed(n, k, s):
    needs, eps, delta = theorem_16(n, k, s, 0.1, 0.05), 0.1, 0.05
    eta = step_size(k, s)
    assert feature_distance(n, k, needs.good, eta, needs.precision) <= eps / needs.norm * (1 + 1e-12)
    assert needs.precision <= 1 / (16 * eta * k * n) * (1 + 1e-12)
    assert needs.samples >= gradient_samples(n, needs.width, needs.precision, delta)
    assert needs.steps / math.log(needs.steps) == pytest.approx(
        100 / eps**2 * (feature_norm(k, needs.good) + 1 / needs.norm) ** 2, rel=1e-9
    )
    norm, size = 2 * math.sqrt(2) * needs.norm, feature_norm(k, needs.good)
    bound = generalisation_gap(norm, size, eps / needs.norm, needs.samples, delta)
    assert bound <= (1 + 4 * math.sqrt(2)) * eps


@pytest.mark.parametrize(("n", "k", "s"), [(101, 2, 51), (401, 4, 201)])
def test_the_printed_precision_is_too_coarse_even_for_the_printed_count(n, k, s):
    printed = theorem_16(n, k, s, 0.1, 0.05, printed=True)
    assert printed.precision > precision_needed(n, k, s, printed.good, printed.norm, 0.1)
    assert printed.good < good_per_bias(n, k, s, printed.width) / 2


def test_the_printed_sample_size_forgets_the_accuracy():
    coarse, fine = (theorem_16(101, 2, 51, eps, 0.05, printed=True).samples for eps in (0.2, 0.1))
    assert coarse == pytest.approx(fine, rel=1e-9)
    coarse, fine = (theorem_16(101, 2, 51, eps, 0.05).samples for eps in (0.2, 0.1))
    assert fine == pytest.approx(4 * coarse, rel=1e-9)


def test_gradients_of_a_sample_are_as_close_as_promised():
    n, k, s, width, delta, tau = 15, 2, 9, 40, 0.1, 0.05
    rng, m = np.random.default_rng(0), math.ceil(gradient_samples(15, 40, 0.05, 0.1))
    network = initialise(n, k, s, width, rng)
    exact, misses = population_step(network, (0, 1), 1.0).w, 0
    for _ in range(20):
        x = rng.choice([-1.0, 1.0], (m, n))
        misses += bool(np.max(np.abs(first_step(network, x, x[:, 0] * x[:, 1], 1.0).w - exact)) > tau)
    assert misses <= 20 * delta


@pytest.mark.parametrize(("n", "k", "s"), [(401, 2, 301), (301, 4, 201)])
def test_the_exact_readout_loses_no_more_than_promised(n, k, s):
    rng, each = np.random.default_rng(0), 4
    exact, levels = over_sparse_readout(k), biases(k)
    x = random_signs(rng, (4000, n))
    relevant, output = x[:, :k].sum(axis=1), np.full(4000, exact.weights[0])
    for j, level in enumerate(levels):
        for _ in range(each):
            rest = x[:, k + rng.choice(n - k, s - k, replace=False)].sum(axis=1)
            for sign, place in [(1.0, 1 + j), (-1.0, 1 + len(levels) + j)]:
                turned = sign * np.sign(over_sparse_signal(k, s).relevant)
                output += exact.weights[place] / each * good_feature(k, s, level, turned, relevant, rest)
    loss = np.mean(np.maximum(1 - np.prod(x[:, :k], axis=1) * output, 0))
    assert 0 < loss <= ideal_loss(k, s, each, exact.norm)


def test_sparsity_trades_width_for_data():
    family = frontier_family(300, 4)
    under = [t for t in family if t.regime == "under-sparse"]
    assert [t.s for t in under] == [0, 2]
    assert {round(t.width * t.samples) for t in under} == {75**3}
    over = [t for t in family if t.regime == "over-sparse"]
    assert all(t.s % 2 == 1 and t.s > 4 for t in over)
    assert over[-1].s == 299
    for t in over:
        assert t.width * t.samples == pytest.approx(300**6 / (t.s * 4**3), rel=1e-9)
    assert np.all(np.diff([t.width for t in over]) < 0)
    assert np.all(np.diff([t.samples for t in over]) > 0)
