"""Intervals that the claims of this paper share: a gain averaged over cells, and the best of several estimates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from scipy.special import ndtri, stdtrit

from glassware.foundation.statistics import Estimate, mean, wilson

Count: TypeAlias = tuple[int, int]  # successes and trials of a cell


def joint_z(intervals: int, confidence: float = 0.95) -> float:
    """The z at which so many intervals contain their numbers all at once (Bonferroni); for one of them 1.96."""
    return float(ndtri(1 - (1 - confidence) / (2 * intervals)))


def joint_mean(values: Sequence[float], intervals: int = 1) -> Estimate:
    """A mean with Student's t interval, one of so many that contain their means all at once (Bonferroni)."""
    value, low, _ = mean(values) if values else Estimate(math.nan)
    if math.isnan(low):
        return Estimate(value)
    wider = float(stdtrit(len(values) - 1, 1 - 0.025 / intervals) / stdtrit(len(values) - 1, 0.975))
    return Estimate(value, value - wider * (value - low), value + wider * (value - low))


def mean_gain(pairs: Sequence[tuple[Count, Count]], z: float = 1.959964) -> Estimate:
    """First share minus second, averaged over pairs of independent cells; unknown where a cell has no run.

    A pair weighs as much as its runs tell (Mantel and Haenszel): where all cells have as many runs, all weigh the same.
    The distances to the Wilson limits of all cells are added in quadrature (MOVER; of one pair it is Newcombe's
    interval). Cells are not pooled first: a cell that always succeeds and one that never does add little uncertainty.
    """
    if not pairs or any(not trials for pair in pairs for _, trials in pair):
        return Estimate(math.nan)
    cells = [(wilson(*first, z), wilson(*second, z)) for first, second in pairs]
    # In one division for a single pair: 7/10 - 4/10 is 30 points, not a hair less.
    gains = [(a * m - b * n) / (n * m) for (a, n), (b, m) in pairs]
    weights = [n * m / (n + m) for (_, n), (_, m) in pairs]
    shares = [weight / math.fsum(weights) for weight in weights]
    value = math.fsum(share * gain for share, gain in zip(shares, gains, strict=True))
    both = [*zip(shares, cells, strict=True)]
    below = math.hypot(*(share * d for share, (a, b) in both for d in (a.value - a.low, b.high - b.value)))
    above = math.hypot(*(share * d for share, (a, b) in both for d in (a.high - a.value, b.value - b.low)))
    return Estimate(value, value - below, value + above)


def largest(estimates: Sequence[Estimate]) -> Estimate:
    """The largest of several numbers, from intervals that contain all of them at once; unknown ones are left out."""
    known = [estimate for estimate in estimates if not any(math.isnan(v) for v in estimate)]
    return Estimate(*(max(column) for column in zip(*known, strict=True))) if known else Estimate(math.nan)


def smallest(estimates: Sequence[Estimate]) -> Estimate:
    """The smallest of several numbers, likewise."""
    known = [estimate for estimate in estimates if not any(math.isnan(v) for v in estimate)]
    return Estimate(*(min(column) for column in zip(*known, strict=True))) if known else Estimate(math.nan)
