"""Intervals for what is read off several cells at once (a slope over sizes, a threshold): shared by the studies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from glassware.foundation import statistics
from glassware.foundation.statistics import Estimate

RESAMPLES = 400  # a statistic of a whole table takes milliseconds, not microseconds


def resampled(frame: pl.DataFrame, cells: Sequence[str], statistic: Callable[[pl.DataFrame], float | None]) -> Estimate:
    """A statistic of a table, with an interval from drawing the rows of every cell again.

    ``statistic`` returns None where the rows do not determine it: such a resample counts as unknown, and where more
    than a tenth of them are unknown the interval is, too.

    Args:
        frame: one row per run.
        cells: columns whose values make a cell; runs are drawn again within their cell.
        statistic: from such a table to a number.
    """
    value = statistic(frame)
    if value is None:
        return Estimate(math.nan)
    rng, rows = np.random.default_rng(0), frame.with_row_index("row")
    places = [part["row"].to_numpy() for part in rows.partition_by(cells, maintain_order=True)]
    again = [
        statistic(frame[np.concatenate([rng.choice(place, len(place)) for place in places])])
        for _ in range(min(RESAMPLES, statistics.RESAMPLES))
    ]
    drawn = [found for found in again if found is not None]
    if len(drawn) < 0.9 * len(again) or all(len(place) < 2 for place in places):
        return Estimate(value)
    low, high = np.quantile(drawn, [0.025, 0.975], method="nearest")
    return Estimate(value, float(low), float(high))
