"""Findings about several numbers or several runs at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from glassware.foundation.statistics import Estimate
from glassware.studies.verdict import NOT_ENOUGH, Finding, Threshold, Unit, all_of, counted

MORE_RUNS = "runs were added after fewer had been too close to call"
FEWEST = 5  # runs: a fair coin passes "every run" with five in 3% of the cases


def enough(*samples: Sequence[float]) -> bool:
    """Whether each sample has runs enough for an interval: resampling one or two says that they are all there is."""
    return all(len(sample) >= FEWEST for sample in samples)


def each(estimates: Iterable[Estimate], meets: Threshold, unit: Unit = "", detail: str = "") -> Finding:
    """Each of several numbers meets a threshold, by its own interval.

    Shown is the number that decides; among several such the one closest to the threshold, or furthest beyond it.
    """
    side = 1 if math.isfinite(meets.low) else -1  # smallest first, or largest first; what is unknown before all
    ordered = sorted(estimates, key=lambda e: -math.inf if math.isnan(e.value) else side * e.value)
    return all_of([Finding(e, meets, unit) for e in ordered], detail) if ordered else NOT_ENOUGH


def every_run(met: Sequence[bool], detail: str = "") -> Finding:
    """Every run does something: judged by count, with five runs at least."""
    return counted(sum(met), len(met), max(len(met), FEWEST), detail)
