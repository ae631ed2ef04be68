import math
from itertools import combinations

import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import chi, cube, fourier_coefficient
from glassware.theory.hidden_progress.statistical_queries import (
    AdversarialOracle,
    exhaustive_learner,
    heavy_subsets,
    query_lower_bound,
    query_mean,
    random_search_cdf,
    random_search_mean,
    random_search_success,
    random_search_times,
)


def test_the_mean_of_a_query_is_a_constant_plus_a_coefficient():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-0.5, 0.5, (2, 2**8))
    for S in combinations(range(8), 3):
        assert query_mean(a, b, S) == pytest.approx(a.mean() + fourier_coefficient(b, S), abs=1e-14)


@pytest.mark.parametrize("tau", [0.02, 0.03, 0.1, 0.5])
def test_few_coefficients_are_heavy(tau):
    rng = np.random.default_rng(1)
    for _ in range(20):
        b = rng.uniform(-1, 1, 2**10) if rng.random() < 0.5 else np.sign(rng.normal(size=2**10))
        assert heavy_subsets(b, tau) <= 1 / tau**2
    bent = cube(4)[:, 0] * cube(4)[:, 1] * 0.5 + 0.5  # two coefficients of one half
    assert heavy_subsets(bent, 0.4) == 2


def test_the_adversary_keeps_all_but_a_few_candidates():
    oracle = AdversarialOracle(10, 3, 0.1)
    rng = np.random.default_rng(2)
    for _ in range(5):
        before = len(oracle.candidates)
        a, b = rng.uniform(-0.5, 0.5, (2, 2**10))
        answer = oracle.answer(a, b)
        assert before - len(oracle.candidates) <= 1 / 0.1**2
        assert all(abs(query_mean(a, b, S) - answer) <= 0.1 for S in oracle.candidates)
    assert oracle.queries == 5


@pytest.mark.parametrize(("n", "k"), [(6, 2), (8, 3)])
def test_asking_for_single_parities_takes_all_of_them_but_one(n, k):
    oracle = AdversarialOracle(n, k, 0.5)
    assert exhaustive_learner(oracle, n) == math.comb(n, k) - 1
    assert len(oracle.candidates) == 1
    assert oracle.queries >= query_lower_bound(n, k, 0.5)


def test_a_query_that_is_the_parity_removes_only_that_parity():
    oracle = AdversarialOracle(6, 2, 0.9)
    oracle.answer(np.zeros(64), chi(cube(6), (1, 4)))
    assert (1, 4) not in oracle.candidates
    assert len(oracle.candidates) == math.comb(6, 2) - 1


def test_a_tolerance_outside_zero_and_one_is_refused():
    with pytest.raises(GlasswareError, match="tau"):
        AdversarialOracle(6, 2, 1.5)


@pytest.mark.parametrize("copies", [1, 7])
def test_random_search_follows_the_geometric_law(copies):
    times = random_search_times(8, 3, 40_000, np.random.default_rng(3), copies)
    mean = random_search_mean(8, 3, copies)
    assert times.mean() == pytest.approx(mean, rel=0.02)
    assert mean == pytest.approx(56 / copies, rel=0.06)
    for rounds in (1, 5, 20):
        assert (times <= rounds).mean() == pytest.approx(random_search_cdf(rounds, 8, 3, copies), abs=0.01)


def test_copies_that_guess_apart_hit_as_often_as_said():
    guesses = np.random.default_rng(4).integers(0, 56, (200_000, 5))
    assert (guesses == 17).any(1).mean() == pytest.approx(random_search_success(8, 3, 5), abs=0.002)
    assert random_search_mean(30, 3) == pytest.approx(4060, rel=1e-9)
    assert random_search_mean(5, 5) == 1.0


def test_a_geometric_law_is_often_far_below_its_median():
    median = math.log(2) * math.comb(30, 3)
    assert random_search_cdf(median / 4, 30, 3) == pytest.approx(0.159, abs=1e-3)
