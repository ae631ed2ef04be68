"""Proportions, means, medians, power laws and their intervals: what stands behind every number in a claims table.

Each function that SciPy has and we write ourselves says why. ``scipy.stats`` takes most of a second to import, so only
the function that uses it imports it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincinv, ndtr, stdtrit

from glassware.foundation.errors import GlasswareError

NEVER = math.inf  # the convergence time of a run that failed
RESAMPLES = 2000
FEWEST = 5  # values of a sample that can be resampled: fewer give intervals that are too short
RARE = 2  # successes (or failures) up to which a proportion's interval takes the Poisson limit
Numbers: TypeAlias = Sequence[float] | npt.NDArray[np.number]


class Estimate(NamedTuple):
    """A number and the interval that goes with it (95% unless stated otherwise); NaN where there is none.

    >>> import glassware as gw
    >>> gw.Estimate(0.5, low=0.4, high=0.6).value
    0.5
    """

    value: float
    low: float = math.nan
    high: float = math.nan

    @classmethod
    def exact(cls, value: float) -> Self:
        """A number without sampling error: computed exactly, or the worst of all cases."""
        number = float(value)  # a null raises here, where it is measured, not where it is judged
        return cls(number, number, number)


def wilson(successes: int, trials: int, z: float = 1.959964) -> Estimate:
    """A proportion with its Wilson score interval; with no trials it is unknown: (nan, 0, 1).

    One or two successes (or failures) take the Poisson limit on their side, as in Brown, Cai and DasGupta (2001):
    Wilson's own stops so far from 0 that intervals contain a rare success in only 84% of cases.

    >>> import glassware as gw
    >>> value, low, high = gw.rate(9, 10)  # public under this name
    >>> value, round(low, 2), round(high, 2)
    (0.9, 0.6, 0.99)
    """
    # Not scipy.stats.binomtest: charts ask for thousands of cells, and this is 500 times as fast. SciPy's exact
    # interval is longer: with 25 trials it contains the truth in 97% of cases.
    if not 0 <= successes <= trials:
        raise GlasswareError(f"a rate is of successes among trials: {successes} of {trials} cannot be")
    if trials == 0:
        return Estimate(math.nan, 0.0, 1.0)
    p = successes / trials
    centre = (p + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    # At the ends the interval touches 0 or 1 exactly; in floating point it would stop a hair short of it.
    low = _poisson_limit(successes, z) / trials if successes <= RARE else centre - half
    high = 1 - _poisson_limit(trials - successes, z) / trials if trials - successes <= RARE else centre + half
    return Estimate(p, low, high)


def _poisson_limit(count: int, z: float) -> float:
    """The expected count below which so many events, or more, are too rare to be seen."""
    return float(gammaincinv(count, 2 * ndtr(-z))) if count else 0.0


def difference(successes: int, trials: int, other_successes: int, other_trials: int) -> Estimate:
    """First proportion minus second, with Newcombe's interval (built from the two Wilson intervals).

    >>> import glassware as gw
    >>> gw.difference(9, 10, 4, 10).value
    0.5
    """
    # SciPy has no interval for a difference of proportions.
    a, b = wilson(successes, trials), wilson(other_successes, other_trials)
    both = trials * other_trials
    # In one division: 7/10 - 4/10 is 30 points, not a hair less.
    value = (successes * other_trials - other_successes * trials) / both if both else math.nan
    low = value - math.hypot(a.value - a.low, b.high - b.value)
    high = value + math.hypot(a.high - a.value, b.value - b.low)
    return Estimate(value, low, high)


def median(times: Sequence[float]) -> float:
    """The middle time where failures count as ``NEVER``; the upper of the two middle ones when there are two."""
    # Not np.median: it would average the two, which is the time of no run.
    return sorted(times)[len(times) // 2] if times else math.nan


def mean(values: Sequence[float]) -> Estimate:
    """A mean with Student's t interval; that of a single value is unknown."""
    return weighted_means([values], [1.0])


def mean_share(shares: Sequence[float]) -> Estimate:
    """The mean of accuracies or errors, with an interval that stays between 0 and 1.

    Where all are 0, or all are 1, nothing is known of their spread: a network that fails one time in ten gives three
    perfect runs in a row more often than not. Then the interval is that of as many successes or failures.
    """
    if len(shares) and all(share == shares[0] for share in shares) and shares[0] in (0, 1):
        return wilson(len(shares) if shares[0] else 0, len(shares))
    value, low, high = mean(shares)
    return Estimate(value, low if math.isnan(low) else max(0.0, low), high if math.isnan(high) else min(1.0, high))


def difference_of_means(values: Sequence[float], others: Sequence[float]) -> Estimate:
    """First mean minus second, independent samples, with Welch's t interval."""
    return weighted_means([values, others], [1.0, -1.0])


def ratio_of_means(values: Sequence[float], others: Sequence[float]) -> Estimate:
    """First mean over second, independent samples of positive numbers, with Welch's t interval of the logarithm.

    Resampling five values each contains the truth in only 87% of cases. Unknown where a mean is not positive.
    """
    above, below = mean(values), mean(others)
    if not (above.value > 0 and below.value > 0):
        return Estimate(math.nan)
    scaled = [[value / estimate.value for value in sample] for sample, estimate in ((values, above), (others, below))]
    _, low, high = difference_of_means(*scaled)
    value = above.value / below.value
    return Estimate(value, value * math.exp(low), value * math.exp(high))


def weighted_means(samples: Sequence[Sequence[float]], weights: Sequence[float]) -> Estimate:
    """A weighted sum of the means of independent samples, with Welch's t interval.

    With five values these intervals contain the mean in 95% of cases (normal) or 88% (exponential). A sample of one
    value has no variance of its own: it gets the mean variance of the others, and where all samples have one value the
    interval is unknown.
    """
    # scipy.stats.ttest_ind compares two means, not a weighted sum of several, and takes no sample of one value.
    arrays = [np.asarray(sample, float) for sample in samples]
    if not all(len(a) for a in arrays):
        return Estimate(math.nan)
    value = float(sum(w * a.mean() for w, a in zip(weights, arrays, strict=True)))
    several = [(w, a) for w, a in zip(weights, arrays, strict=True) if len(a) > 1]
    if not several:
        return Estimate(value)
    # The variance of equal values is 0, whatever rounding says.
    spreads = [float(a.var(ddof=1)) if np.ptp(a) else 0.0 for _, a in several]
    parts = [w * w * spread / len(a) for (w, a), spread in zip(several, spreads, strict=True)]
    if not any(parts):
        return Estimate.exact(value)
    lone = sum(w * w for w, a in zip(weights, arrays, strict=True) if len(a) == 1) * sum(spreads) / len(spreads)
    freedom = sum(parts) ** 2 / sum(part**2 / (len(a) - 1) for part, (_, a) in zip(parts, several, strict=True))
    half = float(stdtrit(freedom, 0.975)) * math.sqrt(sum(parts) + lone)
    return Estimate(value, value - half, value + half)


def bootstrap(
    statistic: Callable[..., float], *samples: Sequence[float], seed: int = 0, confidence: float = 0.95
) -> Estimate:
    """A statistic of independent samples with its percentile bootstrap interval.

    ``statistic`` takes one list per sample. Infinite values are allowed; a resample whose statistic is not a number is
    left out. Right for medians, their ratios, differences and slopes, and for resampling groups of runs by their
    numbers; for means there is ``mean``, for ratios of means ``ratio_of_means``, and a smallest or largest value has no
    such interval: no resample goes beyond the sample. Where a sample has fewer than ``FEWEST`` values the interval is
    unknown.

    The interval of a lone sample is widened for its size as in Hesterberg (2015, "What teachers should know about the
    bootstrap"): without that it contains the truth too seldom. That of several samples is not: it is wide enough.
    """
    # scipy.stats.bootstrap interpolates between resamples, which infinite times do not survive, and keeps NaN.
    rng = np.random.default_rng(seed)
    arrays = [np.asarray(sample, float) for sample in samples]
    value = statistic(*(array.tolist() for array in arrays))
    smallest = min(len(array) for array in arrays)
    if smallest < FEWEST:
        return Estimate(value)
    resampled = [array[rng.integers(0, len(array), (RESAMPLES, len(array)))].tolist() for array in arrays]
    drawn = [again for again in map(statistic, *resampled) if not math.isnan(again)]
    if not drawn:
        return Estimate(value)
    tail = (1 - confidence) / 2
    if len(arrays) == 1:
        wide = math.sqrt(smallest / (smallest - 1)) * float(stdtrit(smallest - 1, 1 - tail))
        tail = float(ndtr(-wide))
    low, high = np.quantile(drawn, [tail, 1 - tail], method="nearest")
    return Estimate(value, float(low), float(high))


def cross_validated(values: Sequence[float], held_out: float) -> Estimate:
    """Mean over the folds of a cross-validation, with Nadeau and Bengio's corrected t interval.

    Five folds are few, and they share most of their training rows, which makes Student's interval too short.

    Args:
        values: one per fold (and repetition), at least two.
        held_out: test rows over training rows, 1/4 for five folds.
    """
    array = np.asarray(values, float)
    mean, spread = float(array.mean()), float(array.std(ddof=1))
    half = float(stdtrit(len(array) - 1, 0.975)) * spread * math.sqrt(1 / len(array) + held_out)
    return Estimate(mean, mean - half, mean + half)


def ratio(numerator: float, denominator: float) -> float:
    """The ratio of two times; not a number when both are infinite or the denominator is 0."""
    unknown = not denominator or (math.isinf(numerator) and math.isinf(denominator))
    return math.nan if unknown else numerator / denominator


def median_ratio(numerator: Sequence[float], denominator: Sequence[float]) -> float:
    """Ratio of two medians."""
    return ratio(median(numerator), median(denominator))


def fisher_exact(successes: int, trials: int, other_successes: int, other_trials: int) -> float:
    """One-sided p-value that the first proportion is larger than the second by chance alone."""
    from scipy import stats

    table = [[successes, trials - successes], [other_successes, other_trials - other_successes]]
    return float(stats.fisher_exact(table, alternative="greater").pvalue)


def power_law_exponent(sizes: Numbers, values: Numbers) -> float:
    """The exponent alpha of value = c size^alpha: the slope of a least-squares line through the logarithms.

    Not a number with fewer than two different sizes, or where a value is not positive and finite (a time of ``NEVER``).
    """
    x, y = np.asarray(sizes, float), np.asarray(values, float)
    if not len(x) or x.min() == x.max() or not np.all((y > 0) & (y < math.inf)):
        return math.nan
    x, y = np.log(x), np.log(y)
    x -= x.mean()
    # Not scipy.stats.linregress: a bootstrap asks for thousands of slopes and uses nothing else of it.
    return float(x @ y / (x @ x))
