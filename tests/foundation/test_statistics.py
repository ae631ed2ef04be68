"""Intervals against textbook values, brute force and their own coverage."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from glassware.foundation import statistics
from glassware.foundation.statistics import (
    NEVER,
    Estimate,
    bootstrap,
    cross_validated,
    difference,
    difference_of_means,
    fisher_exact,
    mean,
    mean_share,
    median,
    median_ratio,
    power_law_exponent,
    ratio,
    ratio_of_means,
    weighted_means,
    wilson,
)


def test_importing_it_does_not_wait_for_scipy_stats() -> None:
    code = "import sys, glassware.foundation.statistics; sys.exit('scipy.stats' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(("successes", "trials"), [(0, 25), (25, 25), (3, 8), (12, 25), (97, 100)])
def test_wilson_equals_scipy(successes: int, trials: int) -> None:
    ours, theirs = wilson(successes, trials), stats.binomtest(successes, trials).proportion_ci(method="wilson")
    assert ours.value == successes / trials
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-6)


@pytest.mark.parametrize("trials", [5, 10, 25, 100])
def test_proportions_near_0_and_1_are_covered(trials: int) -> None:
    """Counted over all outcomes; Wilson's own interval covers a rate near 0.18 / trials in 84% of cases."""
    rates = np.arange(0.0005, 1, 0.0005)
    ends = np.array([wilson(won, trials)[1:] for won in range(trials + 1)])
    chance = stats.binom.pmf(np.arange(trials + 1)[:, None], trials, rates)
    covered = (chance * ((ends[:, :1] <= rates) & (rates <= ends[:, 1:]))).sum(axis=0)
    assert covered.min() >= 0.9
    assert 0.94 <= covered.mean() <= 0.97


def test_rare_successes_take_the_poisson_limit() -> None:
    for count in (1, 2):
        limit = stats.chi2.ppf(0.05, 2 * count) / 2 / 40
        assert wilson(count, 40).low == pytest.approx(limit)
        assert wilson(40 - count, 40).high == pytest.approx(1 - limit)


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


def test_a_difference_of_thirty_points_is_thirty_points() -> None:
    for trials in (5, 10, 20, 25):
        for other in (10, 20, 40):
            for lost in range(other + 1):
                for won in range(trials + 1):
                    exact = won * other - lost * trials
                    assert (difference(won, trials, lost, other).value >= 0.3) == (10 * exact >= 3 * trials * other)
    assert math.isnan(difference(0, 0, 1, 2).value)


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
    assert ratio(3.0, NEVER) == 0.0
    assert math.isnan(ratio(1.0, 0.0))


def test_an_exact_number_is_its_own_interval() -> None:
    assert Estimate.exact(0.25) == (0.25, 0.25, 0.25)


def test_the_exponent_of_a_power_law_is_the_slope_of_its_logarithms() -> None:
    sizes = np.array([10, 15, 20, 30, 40])
    assert power_law_exponent(sizes, 3.0 * sizes**-1.7) == pytest.approx(-1.7)
    assert power_law_exponent([1, 2], [0.5, 0.5]) == pytest.approx(0.0)
    noisy = sizes**0.5 * np.exp(np.random.default_rng(0).normal(size=5))
    assert power_law_exponent(sizes, noisy) == pytest.approx(stats.linregress(np.log(sizes), np.log(noisy)).slope)


@pytest.mark.parametrize(
    ("sizes", "values"),
    [([], []), ([10], [2.0]), ([10, 10], [2.0, 3.0]), ([10, 20], [5.0, NEVER]), ([10, 20], [0.0, 2.0])],
)
def test_an_exponent_that_the_values_do_not_have_is_unknown(sizes: list[float], values: list[float]) -> None:
    assert math.isnan(power_law_exponent(sizes, values))


@pytest.fixture
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "RESAMPLES", 300)


@pytest.mark.usefixtures("_few_resamples")
@pytest.mark.parametrize("count", [5, 9, 10, 31])
def test_bootstrap_covers_the_median(count: int) -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for seed in range(400):
        estimate = bootstrap(median, rng.exponential(size=count).tolist(), seed=seed)
        hits += estimate.low <= math.log(2) <= estimate.high
    assert 0.92 <= hits / 400 <= 0.985


@pytest.mark.usefixtures("_few_resamples")
def test_bootstrap_keeps_infinite_values_and_leaves_out_unknown_ones() -> None:
    never = bootstrap(median, [NEVER] * 6)
    assert never == (NEVER, NEVER, NEVER)
    open_end = bootstrap(median, [1.0, 2.0, 3.0, 4.0, NEVER, NEVER, NEVER])
    assert (open_end.value, open_end.high) == (4.0, NEVER)
    assert open_end.low < 4.0
    both = bootstrap(median_ratio, [5.0, 5.0, 5.0, NEVER, NEVER], [5.0, 5.0, 5.0, NEVER, NEVER])
    assert (both.value, both.low, both.high) == (1.0, 0.0, NEVER)
    unknown = bootstrap(median_ratio, [NEVER] * 5, [NEVER] * 5)
    assert all(math.isnan(end) for end in unknown)


def test_four_values_are_too_few_to_resample() -> None:
    for samples in ([[1.0, 2.0, 3.0, 4.0]], [[1.0, 2.0, 3.0, 4.0], [1.0] * 20]):
        estimate = bootstrap(lambda *cells: median(cells[0]), *samples)
        assert estimate.value == 3.0
        assert math.isnan(estimate.low)
        assert math.isnan(estimate.high)


def test_a_ratio_of_means_has_welchs_interval_of_its_logarithm() -> None:
    few, many = [0.02, 0.03, 0.015, 0.02, 0.025], [0.10, 0.12, 0.09, 0.13, 0.11]
    value, low, high = ratio_of_means(few, many)
    assert value == pytest.approx(0.2)
    other = ratio_of_means(many, few)  # upside down, the interval is the same
    assert (1 / other.high, 1 / other.low) == pytest.approx((low, high))
    assert low < 0.2 < high
    assert math.isnan(ratio_of_means([0.0, 0.0], many).value)


def test_means_have_students_and_welchs_intervals() -> None:
    a, b = [0.1, 0.4, 0.2, 0.9, 0.3], [0.5, 0.6, 0.1]
    theirs = stats.ttest_1samp(a, 0.0).confidence_interval()
    assert mean(a) == pytest.approx((np.mean(a), theirs.low, theirs.high))
    theirs = stats.ttest_ind(a, b, equal_var=False).confidence_interval()
    assert difference_of_means(a, b) == pytest.approx((np.mean(a) - np.mean(b), theirs.low, theirs.high))
    weighed = weighted_means([a, b], [0.5, 0.5])
    assert weighed == pytest.approx(tuple(v / 2 for v in difference_of_means(a, [-x for x in b])))


def test_one_value_does_not_tell_its_spread_and_equal_ones_have_none() -> None:
    assert mean([0.3])[0] == 0.3
    assert all(math.isnan(end) for end in (*mean([0.3])[1:], *mean_share([0.3])[1:]))
    assert mean([0.1] * 7)[1:] == (mean([0.1] * 7).value,) * 2
    two, three = ([0.2, 0.4, 0.3], [0.2, 0.4, 0.3]), ([0.2, 0.4, 0.3], [0.2, 0.4, 0.3], [0.3])
    assert weighted_means(three, [1, 1, 1]).value == pytest.approx(0.9)
    width = lambda estimate: estimate.high - estimate.low
    assert width(weighted_means(three, [1, 1, 1])) == pytest.approx(
        math.sqrt(5 / 2) * width(weighted_means(two, [1, 1]))
    )


def test_perfect_runs_do_not_prove_that_all_are_perfect() -> None:
    """Three networks at 100% say no more than three successes; equal shares in between are exact."""
    assert mean_share([1.0] * 3) == wilson(3, 3)
    assert mean_share([0.0] * 10) == wilson(0, 10)
    assert mean_share([0.25] * 3) == (0.25, 0.25, 0.25)
    assert math.isnan(mean_share([]).value)


def test_the_mean_of_shares_stays_a_share() -> None:
    assert mean_share([1.0, 0.7, 1.0]).high == 1.0
    assert mean_share([0.0, 0.3, 0.0]).low == 0.0
    assert mean_share([0.5, 0.6, 0.55]) == mean([0.5, 0.6, 0.55])


@pytest.mark.usefixtures("_few_resamples")
@pytest.mark.parametrize("count", [5, 10, 25])
def test_intervals_of_means_cover_them(count: int) -> None:
    rng = np.random.default_rng(0)
    normal, skewed = rng.normal(size=(2000, count)), rng.exponential(size=(2000, count))
    covers = lambda estimate, truth: estimate.low <= truth <= estimate.high
    assert 0.935 <= np.mean([covers(mean(values), 0.0) for values in normal]) <= 0.965
    # A long tail costs any interval of this width some of its coverage.
    assert np.mean([covers(mean(values), 1.0) for values in skewed]) >= {5: 0.85, 10: 0.87, 25: 0.9}[count]
    pairs = zip(normal, skewed[:, :5], strict=True)
    assert np.mean([covers(difference_of_means(*pair), -1.0) for pair in pairs]) >= 0.88
    tasks = np.reshape(normal, (400, 5, count)) * np.arange(1, 6)[None, :, None]
    assert 0.92 <= np.mean([covers(weighted_means(trials, [0.2] * 5), 0.0) for trials in tasks]) <= 0.98


@pytest.mark.parametrize("table", [(12, 12, 5, 24), (3, 10, 3, 10), (0, 5, 4, 6), (0, 0, 1, 2)])
def test_fisher_counts_the_tables_at_least_as_far_apart(table: tuple[int, int, int, int]) -> None:
    a, n, b, m = table
    ways = [math.comb(n, i) * math.comb(m, a + b - i) for i in range(min(n, a + b) + 1)]
    assert fisher_exact(*table) == pytest.approx(sum(ways[a:]) / math.comb(n + m, a + b), rel=1e-9)


def test_cross_validated_is_the_corrected_t_interval() -> None:
    values = [0.1, 0.2, 0.15, 0.3, 0.25]
    estimate = cross_validated(values, 0.25)
    half = stats.t.ppf(0.975, 4) * np.std(values, ddof=1) * math.sqrt(0.2 + 0.25)
    assert estimate == pytest.approx((0.2, 0.2 - half, 0.2 + half))


@pytest.mark.usefixtures("_few_resamples")
def test_cross_validated_covers_the_truth() -> None:
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
