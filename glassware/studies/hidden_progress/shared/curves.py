"""Reading times off the curves of runs, and curves as a long table: shared by the studies of Hidden Progress."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from glassware.foundation.statistics import NEVER
from glassware.studies.cells import ROUNDING, at_most, known

TEST, TRAIN = "curve_test_error", "curve_train_error"
CHANCE_LEFT, LEARNED = 0.4, 0.01  # errors at which a plateau is over, and a parity learned
NO_PLATEAU = 0.45  # a plateau index up to this is that of a curve without a plateau; a straight line has 0.2


def reach(row: Mapping[str, Any], error: float, column: str = TEST) -> float:
    """The first examined step at which an error was at most this; ``NEVER`` if it never was."""
    found = (step for step, value in zip(row["curve_step"], row[column], strict=True) if at_most(value, error))
    return float(next(found, NEVER))


def leave(row: Mapping[str, Any], error: float, column: str = TEST) -> float:
    """The last examined step at which an error was at least this; 0 if it never was."""
    pairs = zip(row["curve_step"], row[column], strict=True)
    found = [step for step, value in pairs if known(value) >= error * (1 - ROUNDING)]
    return float(max(found, default=0.0))


def plateau_index(row: Mapping[str, Any]) -> float:
    """The share of the way to an error of 1% that lies before one of 40%; not a number for a run that never learns."""
    learned = reach(row, LEARNED)
    return math.nan if learned == NEVER or not learned else reach(row, CHANCE_LEFT) / learned


def points(frame: pl.DataFrame, columns: Mapping[str, str], *keep: str) -> pl.DataFrame:
    """Curves as a long table: the columns ``keep``, then run, step, kind and value.

    ``columns`` names the curves to take and what each is called. A run whose curve is missing is left out.
    """
    parts = []
    numbered = frame.with_row_index("run")
    for column, kind in columns.items():
        if column not in frame.columns:
            continue
        chosen = numbered.filter(pl.col(column).list.len() > 0)
        chosen = chosen.select("run", *keep, step="curve_step", kind=pl.lit(kind), value=column)
        parts.append(chosen.explode("step", "value").cast({"value": pl.Float64, "step": pl.Float64}))
    return pl.concat(parts).filter(pl.col("value").is_finite()) if parts else pl.DataFrame()


def has(frame: pl.DataFrame, columns: Sequence[str]) -> bool:
    """Whether the table has these columns at all: those of probes are missing where no run measured them."""
    return all(column in frame.columns for column in columns)
