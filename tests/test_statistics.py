"""Intervals against textbook values, brute force and their own coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from glassware.statistics import NEVER, bootstrap, difference, fisher_exact, median, median_ratio, wilson


@pytest.mark.parametrize(("successes", "trials"), [(0, 25), (25, 25), (1, 8), (12, 25), (98, 100)])
def test_wilson_equals_scipy(successes: int, trials: int) -> None:
    ours, theirs = wilson(successes, trials), stats.binomtest(successes, trials).proportion_ci(method="wilson")
    assert ours.value == successes / trials
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-6)


def test_wilson_contains_its_own_rate_even_at_the_ends() -> None:
    for trials in range(1, 60):
        for successes in (0, trials):
            estimate = wilson(successes, trials)
            assert estimate.low <= estimate.value <= estimate.high


def test_wilson_knows_when_it_knows_nothing() -> None:
    assert math.isnan(wilson(0, 0).value)
    assert wilson(0, 0)[1:] == (0.0, 1.0)


def test_difference_is_newcombes() -> None:
    # Newcombe (1998), method 10, the example 56/70 against 48/80.
    estimate = difference(56, 70, 48, 80)
    assert estimate == pytest.approx((0.2, 0.0524, 0.3339), abs=1e-4)


def test_difference_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(2000):
        a, b = int(rng.binomial(25, 0.7)), int(rng.binomial(40, 0.3))
        estimate = difference(a, 25, b, 40)
        hits += estimate.low <= 0.4 <= estimate.high
    assert 0.93 <= hits / 2000 <= 0.975


def test_median_counts_failures_as_never() -> None:
    assert median([3.0, NEVER, 1.0]) == 3.0
    assert median([NEVER, 1.0]) == NEVER
    assert median([NEVER, NEVER, 5.0]) == NEVER
    assert math.isnan(median([]))


def test_median_ratio_of_two_failures_is_unknown() -> None:
    assert median_ratio([4.0, 4.0], [2.0]) == 2.0
    assert median_ratio([NEVER], [2.0]) == math.inf
    assert math.isnan(median_ratio([NEVER], [NEVER]))


def test_bootstrap_covers_the_median() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for seed in range(60):
        estimate = bootstrap(median, list(rng.normal(size=31)), seed=seed)
        hits += estimate.low <= 0.0 <= estimate.high
    assert hits >= 52


@pytest.mark.parametrize("table", [(12, 12, 5, 24), (3, 10, 3, 10), (0, 5, 4, 6)])
def test_fisher_equals_scipy(table: tuple[int, int, int, int]) -> None:
    a, n, b, m = table
    expected = stats.fisher_exact([[a, n - a], [b, m - b]], alternative="greater").pvalue
    assert fisher_exact(*table) == pytest.approx(expected, rel=1e-9)
