"""Intervals against textbook values, brute force and their own coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from glassware.statistics import (
    NEVER,
    bootstrap,
    cross_validated,
    difference,
    fisher_exact,
    median,
    median_ratio,
    wilson,
)


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


def test_cross_validated_is_the_corrected_t_interval() -> None:
    values = [0.1, 0.2, 0.15, 0.3, 0.25]
    estimate = cross_validated(values, 0.25)
    half = stats.t.ppf(0.975, 4) * np.std(values, ddof=1) * math.sqrt(0.2 + 0.25)
    assert estimate == pytest.approx((0.2, 0.2 - half, 0.2 + half))


def test_cross_validated_covers_the_truth_and_the_spread_of_folds_alone_does_not() -> None:
    """A linear classifier on 60 rows; its true error is known in closed form."""
    rng, found, truth = np.random.default_rng(0), [], []
    folds = np.arange(60) % 5
    for _ in range(400):
        y = rng.choice([-1.0, 1.0], 60)
        x = rng.normal(size=(60, 5)) + 0.5 * y[:, None] * (np.arange(5) < 2)
        errors = []
        for fold in range(5):
            w = (x[folds != fold] * y[folds != fold, None]).mean(0)
            errors.append(float(np.mean(np.sign(x[folds == fold] @ w) != y[folds == fold])))
            truth.append(stats.norm.cdf(-0.5 * (w[0] + w[1]) / np.linalg.norm(w)))
        found.append(errors)
    inside = lambda estimate: estimate.low <= np.mean(truth) <= estimate.high
    assert np.mean([inside(cross_validated(errors, 0.25)) for errors in found]) >= 0.94
    assert np.mean([inside(bootstrap(lambda v: sum(v) / 5, errors)) for errors in found[:40]]) < 0.9
