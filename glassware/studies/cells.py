"""Looking up cells of a results table by the values of its columns, and points of curves: shared by the studies."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.foundation.reasons import missing_column
from glassware.foundation.statistics import NEVER

ROUNDING = 1e-6  # curves are kept in single precision, in which a tenth is a hair more than 0.1


def where(frame: pl.DataFrame, **columns: Any) -> pl.DataFrame:
    """Rows whose columns have these values; ``m=None`` or ``"online"`` is online. A table without columns stays so."""
    if not frame.columns:
        return frame
    tests = []
    for name, value in columns.items():
        if name not in frame.columns:
            raise GlasswareError(missing_column(name, frame.columns))
        if isinstance(value, str) and frame.schema[name].is_numeric() and (name, value) != ("m", "online"):
            raise GlasswareError(f"the column '{name}' has numbers, not {value!r}")
        online = value is None or (name, value) == ("m", "online")
        tests.append(pl.col(name).is_null() if online else pl.col(name) == value)
    return frame.filter(*tests)


def counts(frame: pl.DataFrame, **columns: Any) -> tuple[int, int]:
    """Successes and trials of a cell: the rows whose columns have these values (``m=None`` or ``"online"``: online).

    >>> import glassware as gw
    >>> import polars as pl
    >>> gw.counts(pl.DataFrame({"width": [10, 100, 100], "success": [False, True, False]}), width=100)
    (1, 2)
    """
    cell = where(frame, **columns)
    return (int(cell["success"].sum()), len(cell)) if cell.columns else (0, 0)


def pooled(cells: Collection[tuple[int, int]]) -> tuple[int, int]:
    """Successes and trials of several cells together."""
    return sum(won for won, _ in cells), sum(trials for _, trials in cells)


def times(frame: pl.DataFrame, **columns: Any) -> list[float]:
    """Steps to success of a cell's runs; a failure counts as never."""
    cell = where(frame, **columns)
    return [NEVER if t is None else float(t) for t in cell["steps_to_success"]] if cell.columns else []


def rates(frame: pl.DataFrame, *by: str) -> pl.DataFrame:
    """Successes, trials and rate of every cell."""
    cells = frame.group_by(by).agg(pl.col("success").sum().alias("successes"), pl.len().alias("trials"))
    return cells.with_columns((pl.col("successes") / pl.col("trials")).alias("rate")).sort(by, nulls_last=True)


def at_most(value: float | None, error: float) -> bool:
    """Whether a point of a curve is at most this."""
    return known(value) <= error * (1 + ROUNDING)


def known(value: float | None) -> float:
    """A point of a curve; one that does not exist (an average before the first step, a diverged run) is above all."""
    return math.inf if value is None or math.isnan(value) else value
