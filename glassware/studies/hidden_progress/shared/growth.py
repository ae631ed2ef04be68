"""Convergence times against the number of inputs: lines, their exponents, and what a claim may ask of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import polars as pl

from glassware.foundation.statistics import Estimate, bootstrap, median, median_ratio
from glassware.studies.hidden_progress.shared.findings import each, enough
from glassware.studies.hidden_progress.shared.fits import local_slopes, median_exponent, median_slope, slope_rise
from glassware.studies.hidden_progress.shared.rows import cells
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, at_least, at_most
from glassware.studies.words import time_in_words


@dataclass(frozen=True)
class Line:
    """Times of one setting and k at growing n."""

    setting: str
    k: int
    sizes: tuple[int, ...]
    samples: tuple[list[float], ...]

    @cached_property
    def exponent(self) -> Estimate:
        """Exponent of the median time."""
        return median_exponent(self.sizes, self.samples)

    @property
    def medians(self) -> list[float]:
        """Median time at each size."""
        return [median(times) for times in self.samples]

    @property
    def complete(self) -> bool:
        """Whether every size has runs enough."""
        return enough(*self.samples)


Points: TypeAlias = Mapping[tuple[str, int, float, int], list[float]]  # (setting, k, learning rate, n) to times


def points(frame: pl.DataFrame) -> Points:
    """Times of every point, in order of seed."""
    found = cells(frame.sort("seed"), "setting", "k", "lr", "n") if len(frame) else {}
    return {(setting, k, lr, n): times for (setting, k, lr, n), times in found.items()}


def line(found: Points, setting: str, k: int, lr: float, sizes: Sequence[int], most: int | None = None) -> Line:
    """The first ``most`` runs of each size."""
    return Line(setting, k, tuple(sizes), tuple(found.get((setting, k, lr, n), [])[:most] for n in sizes))


def growing_with_k(*groups: Sequence[Line]) -> Finding:
    """In each group the exponent of each line is larger than that of the one before."""
    rises = (_rise(a, b) for lines in groups for a, b in pairwise(lines))
    return each(rises, above(0), "", "; ".join(in_words(lines) for lines in groups))


def _rise(before: Line, after: Line) -> Estimate:
    """Exponent of the second line minus that of the first, all runs resampled."""
    split = len(before.sizes)

    def rise(*samples: Sequence[float]) -> float:
        return median_slope(after.sizes, samples[split:]) - median_slope(before.sizes, samples[:split])

    return bootstrap(rise, *before.samples, *after.samples)


def positive_and_at_most_k(lines: Sequence[Line]) -> Finding:
    """Each exponent is positive and at most k: shown as a share of k.

    A search over all subsets takes C(n, k) steps, whose exponent over n = 10 to 40 is above k; a learner whose time
    does not depend on n has exponent 0.
    """
    shares = [Estimate(*(v / one.k for v in one.exponent)) for one in lines]
    return all_of([each(shares, at_most(1), "", in_words(lines)), each(shares, above(0), "", in_words(lines))])


def at_most_k(lines: Sequence[Line]) -> Finding:
    """Each exponent is at most k: shown as a share of k."""
    return each((Estimate(*(v / one.k for v in one.exponent)) for one in lines), at_most(1), "", in_words(lines))


def below_power_k(lines: Sequence[Line]) -> Finding:
    """No finite median is above c n^k, c being that of the smallest size."""
    excess = [
        Estimate(*(v * (one.sizes[0] / n) ** one.k for v in bootstrap(median_ratio, times, one.samples[0])))
        for one in lines
        for n, times in zip(one.sizes[1:], one.samples[1:], strict=True)
        if math.isfinite(median(times))
    ]
    return each(excess, at_most(1), "times", in_words(lines))


def bending(lines: Sequence[Line], rise: float) -> Finding:
    """The last local exponent of each line is larger than its first by so much."""
    if not all(one.complete for one in lines):
        return NOT_ENOUGH
    rises = [slope_rise(one.sizes, one.samples) for one in lines]
    detail = "; ".join(
        f"k = {one.k}: local exponents {', '.join(f'{a:.2f}' for a in local_slopes(one.sizes, one.medians))}"
        f" at n = {', '.join(map(str, one.sizes))} (rise {found.value:.2f} [{found.low:.2f}, {found.high:.2f}])"
        for one, found in zip(lines, rises, strict=True)
    )
    return each(rises, at_least(rise), "", detail)


def in_words(lines: Sequence[Line]) -> str:
    """Exponents with intervals, and the medians they rest on."""
    return "; ".join(
        f"({one.setting}) k = {one.k}: {one.exponent.value:.2f} [{one.exponent.low:.2f}, {one.exponent.high:.2f}],"
        f" medians {'/'.join(map(time_in_words, one.medians))}"
        for one in lines
    )
