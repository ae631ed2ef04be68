"""How far the weights have moved along a run: what the study of hidden progress measures."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

import polars as pl

from glassware.foundation.statistics import NEVER, power_law_exponent
from glassware.studies.hidden_progress.shared.curves import has
from glassware.studies.hidden_progress.shared.rows import rows

RHO = "curve_movement"
MOVED = "curve_relevant_moved", "curve_irrelevant_moved"
WEIGHTS = "curve_relevant_weight", "curve_irrelevant_weight"
Cell = tuple[str, int]  # setting and batch size
Row = Mapping[str, Any]


def cell_rows(frame: pl.DataFrame, cell: Cell, *, noise: float) -> list[Row]:
    """Runs of a cell with the parity's labels (noise 0) or with random ones (1/2)."""
    if not has(frame, [RHO, *MOVED, *WEIGHTS]):
        return []
    found = rows(frame, setting=cell[0], batch=cell[1], noise=noise).filter(pl.col(RHO).list.len() > 0)
    return list(found.iter_rows(named=True))


def learned(frame: pl.DataFrame, cell: Cell) -> list[Row]:
    """Runs with the parity's labels that converged."""
    return [row for row in cell_rows(frame, cell, noise=0.0) if row["steps_to_success"]]


def exponent(row: Row, end: float = NEVER) -> float:
    """Slope of log rho against log t up to a step; not a number where there are fewer than three points."""
    pairs = [(t, rho) for t, rho in zip(row["curve_step"], row[RHO], strict=True) if 0 < t <= end and rho > 0]
    return power_law_exponent(*zip(*pairs, strict=True)) if len(pairs) >= 3 else math.nan


def value_at(row: Row, column: str, t: float) -> float:
    """A curve's value at the last examined step that is not after t."""
    return float(row[column][max(0, bisect_right(row["curve_step"], t) - 1)])


def overtaking(row: Row, columns: tuple[str, str] = MOVED) -> float:
    """The step from which on, up to convergence, the first curve is above the second; never if it ends below."""
    first, second = (row[column] for column in columns)
    steps = [t for t in row["curve_step"] if t <= row["steps_to_success"]]
    behind = [i for i in range(len(steps)) if first[i] <= second[i]]
    if not behind:
        return 0.0
    return float(steps[behind[-1] + 1]) if behind[-1] + 1 < len(steps) else NEVER
