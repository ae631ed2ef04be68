import math
from itertools import combinations

import numpy as np
import pytest

from glassware.theory.boolean import chi, cube
from glassware.theory.leaky.distributions import LeakyParity, majority_agreement
from glassware.theory.leaky.first_step import population_step
from glassware.theory.leaky.linear_methods import (
    accuracy,
    feature_energy,
    forster_bound,
    gaussian_relu,
    hinge_bound,
    linear,
    monomials,
    network_features,
    norm_needed,
    random_fourier,
    ridge,
    tangent_features,
)
from glassware.theory.leaky.network import Network, first_step, initialise

RNG = np.random.default_rng


def test_forster_from_the_sign_matrix_itself():
    z = cube(10)
    matrix = np.array([chi(z, s) for s in combinations(range(10), 3)])
    norm = np.linalg.norm(matrix, 2)
    assert norm == pytest.approx(32, rel=1e-12)
    assert math.sqrt(matrix.size) / norm == pytest.approx(forster_bound(10, 3), rel=1e-12)
    assert forster_bound(10, 3) == pytest.approx(10.954, abs=5e-4)
    assert forster_bound(101, 7) == pytest.approx(1.31e5, rel=5e-3)


def test_features_see_little_of_most_parities():
    rng = RNG(0)
    values = np.tanh(cube(10) @ rng.standard_normal((10, 50)) / 2)
    energy = feature_energy(values, 3)
    assert energy <= 50 / 120
    direct = np.mean([np.sum((chi(cube(10), s) @ values / 1024) ** 2) for s in combinations(range(10), 3)])
    assert energy == pytest.approx(direct, rel=1e-12)


def test_the_hinge_bound_holds_for_the_best_weights():
    """Averaged over all supports, even weights aimed at the support do no better."""
    n, k, count, norm = 8, 3, 6, 1.5
    rng, z = RNG(0), cube(8)
    psi = np.tanh(z @ rng.standard_normal((n, count)))
    losses = []
    for support in combinations(range(n), k):
        task = LeakyParity(n, support)
        y, p, w = task.label(z), task.probability(z), np.zeros(count)
        best = np.inf
        for t in range(1, 150):
            margin = y * (psi @ w)
            best = min(best, float(p @ np.maximum(1 - margin, 0)))
            w = w + (p * y * (margin < 1)) @ psi / math.sqrt(t)
            w *= min(1.0, norm / np.linalg.norm(w))
        losses.append(best)
    assert np.mean(losses) >= hinge_bound(n, k, count, norm) > 0.2
    assert hinge_bound(n, k, count, norm_needed(n, k, count, 0.1)) == pytest.approx(0.1, rel=1e-12)


def scores(embedding, task, rng, m):
    sample = task.sample(m, rng)
    predict = ridge(embedding, sample.z, sample.y)
    parts = [task.sample(2000, rng, component) for component in (1, 2)]
    return [accuracy(predict, part.z, part.y) for part in parts]


@pytest.mark.parametrize(("n", "k", "count"), [(31, 3, 200), (51, 5, 400)])
def test_fixed_features_read_the_leak_and_nothing_else(n, k, count):
    rng = RNG(k)
    task = LeakyParity.draw(n, k, rng)
    uniform, leaky = scores(linear(), task, rng, 5000)
    assert uniform == pytest.approx(majority_agreement(k), abs=0.035)
    assert leaky >= 0.99
    for embedding in (
        network_features(n, k, count // 2, rng),
        gaussian_relu(n, count, rng),
        random_fourier(n, count, rng),
        tangent_features(n, max(1, count // (n + 1)), rng),
    ):
        uniform, leaky = scores(embedding, task, rng, 5000)
        assert uniform <= 0.75
        assert leaky >= 0.7


def test_one_step_of_the_network_beats_all_of_them():
    rng = RNG(0)
    task = LeakyParity.draw(31, 3, rng)
    sample = task.sample(12_000, rng)
    stepped = first_step(initialise(31, 3, 100, rng), sample.x, sample.y)
    uniform, leaky = scores(lambda z: stepped.hidden(z / math.sqrt(31)), task, rng, 5000)
    assert uniform >= 0.99
    assert leaky >= 0.99


def test_without_a_leak_one_step_finds_nothing():
    rng = RNG(0)
    task = LeakyParity.draw(31, 3, rng, leak=0.0)
    start = initialise(31, 3, 100, rng)
    stepped = population_step(start, task)
    noisy = task.sample(6200, rng)
    sampled = first_step(start, noisy.x, noisy.y)
    uniform, _ = scores(lambda z: sampled.hidden(z / math.sqrt(31)), task, rng, 4000)
    assert 0.45 <= uniform <= 0.55
    good = np.sum(start.w[:, list(task.support)] == 0, axis=1) >= 2
    assert not np.any(Network(stepped.w, stepped.b, stepped.u).w[good])


def test_monomials_succeed_exactly_from_degree_k_on():
    rng = RNG(0)
    task = LeakyParity.draw(15, 3, rng)
    reached = []
    for degree, size in [(1, 15), (2, 120), (3, 575)]:
        embedding = monomials(15, degree)
        assert embedding(cube(15)[:1]).shape == (1, size)
        reached.append(scores(embedding, task, rng, 3000)[0])
    assert max(reached[:2]) <= 0.5
    assert reached[2] == 1.0


def test_the_ridge_solves_the_same_problem_in_both_dimensions():
    rng = RNG(0)
    z = rng.choice([-1.0, 1.0], (40, 6))
    y, fresh = chi(z, (0, 1)), cube(6)
    small, large = monomials(6, 2), monomials(6, 4)  # fewer and more features than examples
    np.testing.assert_allclose(ridge(small, z, y)(fresh), chi(fresh, (0, 1)), atol=1e-3)
    features = np.concatenate([large(z), np.ones((40, 1))], axis=1)
    weights = np.linalg.lstsq(features, y, rcond=None)[0]
    expected = np.concatenate([large(fresh), np.ones((64, 1))], axis=1) @ weights
    np.testing.assert_allclose(ridge(large, z, y, 1e-12)(fresh), expected, atol=1e-6)
