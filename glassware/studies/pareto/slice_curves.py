"""What the claims of ``slices`` read off a curve over sample sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from glassware.foundation.statistics import NEVER, Estimate, bootstrap, median, median_ratio, ratio
from glassware.studies.cells import where
from glassware.studies.crossing import half_success


def half_success_ratio(
    frame: pl.DataFrame, samples: Sequence[int], first: tuple[str, int], second: tuple[str, int]
) -> Estimate:
    """50% sample size of one (init, width) over another's, resampling runs; unknown where a cell has no run."""
    curves = [
        [where(frame, init=init, width=width, m=m)["success"].cast(pl.Float64).to_list() for m in samples]
        for init, width in (first, second)
    ]
    if not all(cell for curve in curves for cell in curve):
        return Estimate(math.nan)

    def edges(*cells: Sequence[float]) -> float:
        means = [sum(cell) / len(cell) for cell in cells]
        return ratio(half_success(samples, means[: len(samples)]), half_success(samples, means[len(samples) :]))

    return bootstrap(edges, *curves[0], *curves[1])


def rise_after_minimum(medians: Sequence[float]) -> float:
    """Largest later median over the smallest one; 1 where nothing rises, or where the first is the smallest already."""
    at, peak = _minimum_and_peak(medians)
    return 1.0 if math.isinf(medians[at]) or at == 0 else medians[peak] / medians[at]


def rise_seen_twice(cells: Sequence[Sequence[float]], confidence: float) -> Estimate:
    """The rise after the minimum where every second run puts them, measured on the others.

    The largest of many medians over the smallest is above 1 by chance alone; between two places that other runs have
    chosen it is not.
    """
    at, peak = _minimum_and_peak([median(cell[::2]) for cell in cells])
    return bootstrap(median_ratio, cells[peak][1::2], cells[at][1::2], confidence=confidence)


def _minimum_and_peak(medians: Sequence[float]) -> tuple[int, int]:
    at = min(range(len(medians)), key=lambda i: medians[i])
    return at, max(range(at, len(medians)), key=lambda i: medians[i])


def first_learned(cells: Sequence[Sequence[float]]) -> int:
    """Of cells in order of m, the first in which at least half of the runs succeed; the last if there is none."""
    learned = (i for i, cell in enumerate(cells) if 2 * sum(t < NEVER for t in cell) >= len(cell))
    return next(learned, len(cells) - 1)


def edge_over_plenty(*cells: Sequence[float]) -> float:
    """Median time where learning begins over that at the largest m."""
    return median_ratio(cells[first_learned(cells)], cells[-1])
