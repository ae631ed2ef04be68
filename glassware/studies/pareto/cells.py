"""Looking up cells of a success table: shared by the Pareto studies."""

from __future__ import annotations

from typing import Any

import polars as pl

from glassware.statistics import NEVER


def rows(frame: pl.DataFrame, **where: Any) -> pl.DataFrame:
    """Rows whose columns have these values; ``m=None`` means online."""
    for column, value in where.items():
        frame = frame.filter(pl.col(column).is_null() if value is None else pl.col(column) == value)
    return frame


def counts(frame: pl.DataFrame, **where: Any) -> tuple[int, int]:
    """Successes and trials of a cell."""
    cell = rows(frame, **where)
    return int(cell["success"].sum()), len(cell)


def times(frame: pl.DataFrame, **where: Any) -> list[float]:
    """Steps to success of a cell's runs; a failure counts as never."""
    return [NEVER if t is None else float(t) for t in rows(frame, **where)["steps_to_success"]]


def rates(frame: pl.DataFrame, *by: str) -> pl.DataFrame:
    """Successes, trials and rate of every cell."""
    cells = frame.group_by(by).agg(pl.col("success").sum().alias("successes"), pl.len().alias("trials"))
    return cells.with_columns((pl.col("successes") / pl.col("trials")).alias("rate")).sort(by, nulls_last=True)
