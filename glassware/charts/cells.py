"""From one row per run to one row per cell: counts, rates with their intervals, medians."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import polars as pl

from glassware.charts.labels import keys, need
from glassware.foundation.statistics import NEVER, Estimate, wilson

TIMES = pl.col("steps_to_success").cast(pl.Float64).fill_null(NEVER).alias("times")  # a failure takes forever
_wilson = lru_cache(maxsize=None)(wilson)  # thousands of cells share a few dozen counts


def cells(
    frame: pl.DataFrame, columns: Sequence[str | None], *extra: pl.Expr, success: str = "success"
) -> pl.DataFrame:
    """Successes, trials, rate with its Wilson interval and median time, one row per combination of the columns.

    ``median`` is null where half of the runs or fewer succeed: a failure takes forever. ``success`` names the Boolean
    column to count.
    """
    by = keys(frame, columns)
    need(frame, [*by, success, "steps_to_success"])
    table = frame.group_by(by, maintain_order=True).agg(
        pl.col(success).sum().cast(pl.Int64).alias("successes"),
        pl.len().cast(pl.Int64).alias("trials"),
        TIMES.sort().get(pl.len() // 2).alias("median"),
        *extra,
    )
    found: list[Estimate] = [_wilson(hits, trials) for hits, trials in table.select("successes", "trials").iter_rows()]
    return table.with_columns(
        pl.Series("rate", [estimate.value for estimate in found], pl.Float64),
        pl.Series("low", [estimate.low for estimate in found], pl.Float64),
        pl.Series("high", [estimate.high for estimate in found], pl.Float64),
        pl.when(pl.col("median").is_finite()).then("median").alias("median"),
    )


def middles(frame: pl.DataFrame, columns: Sequence[str | None], value: str, *extra: pl.Expr) -> pl.DataFrame:
    """Trials, and the median of a number with its quartiles ``low`` and ``high``, one row per combination."""
    by = keys(frame, columns)
    need(frame, [*by, value])
    number = pl.col(value).cast(pl.Float64)
    quartiles = {"value": 0.5, "low": 0.25, "high": 0.75}
    found = (number.quantile(share, "linear").alias(name) for name, share in quartiles.items())
    return frame.group_by(by, maintain_order=True).agg(pl.len().cast(pl.Int64).alias("trials"), *found, *extra)
