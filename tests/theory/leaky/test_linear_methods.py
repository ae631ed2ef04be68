import math
from itertools import combinations

import numpy as np
import pytest

from glassware.theory.boolean import chi, cube
from glassware.theory.leaky.distributions import LeakyParity
from glassware.theory.leaky.linear_methods import feature_energy, forster_bound, hinge_bound, norm_needed

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
