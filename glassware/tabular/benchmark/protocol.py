"""The paper's protocol: a tenth of the rows held out, the rest cut down to a fraction, both drawn again every trial."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from glassware.tabular.benchmark.printed import BY_NAME
from glassware.tabular.benchmark.tables import Table

FRACTIONS = (
    1.0,
    0.6,
    0.3,
    0.2,
    0.1,
    0.06,
    0.03,
    0.02,
    0.01,
    0.006,
    0.003,
    0.002,
    0.001,
    0.0006,
    0.0003,
    0.0002,
    0.0001,
)
TEST_SHARE = 0.1
TEST_ROWS = 10_000  # at most; only covertype and Higgs have more test rows
ROWS_CAP = 10_000  # training rows of the benchmark's "medium" setting
FEWEST_ROWS = 20


@dataclass(frozen=True)
class Cell:
    """A point of the error curves.

    Attributes:
        task: name of the task.
        fraction: share of the rows that are not held out which are trained on.
        cap: most training rows; None for no limit.
    """

    task: str
    fraction: float
    cap: int | None = ROWS_CAP

    def rows(self, rows: int) -> int:
        """Training rows of this cell in a table with this many rows."""
        wanted = int((rows - held_out(rows)) * self.fraction)
        return wanted if self.cap is None else min(wanted, self.cap)

    @property
    def label(self) -> str:
        """For keys and progress: ``credit 10%``, ``covertype 100% all rows``."""
        return f"{self.task} {100 * self.fraction:g}%" + (" all rows" if self.cap is None else "")


@dataclass(frozen=True, eq=False)
class Split:
    """Rows of one trial, as they are in the table; whoever needs a scale fits it on the training part (A12)."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def held_out(rows: int) -> int:
    """Rows held out for testing."""
    return round(TEST_SHARE * rows)


def split(table: Table, cell: Cell, trial: int) -> Split | None:
    """The rows of a trial; None where fewer than twenty would be trained on, or a single class (A11).

    They depend on task, trial and fraction alone, so all methods see the same ones. A smaller fraction's rows are a
    subset of a larger one's.
    """
    order = np.random.default_rng([BY_NAME[table.name].number, trial]).permutation(table.rows)
    out = held_out(table.rows)
    test, train = order[: min(out, TEST_ROWS)], order[out : out + cell.rows(table.rows)]
    y = table.y[train]
    if len(train) < FEWEST_ROWS or len(np.unique(y)) < 2:
        return None
    return Split(table.X[train], y, table.X[test], table.y[test])


def describe(family: str, table: Table, cell: Cell, trial: int, rows: Split, seconds: float) -> dict[str, pl.Expr]:
    """Columns that every row of the benchmark's table has."""
    return {
        "family": pl.lit(family),
        "task": pl.lit(cell.task),
        "fraction": pl.lit(cell.fraction),
        "cap": pl.lit(cell.cap, pl.Int64),
        "trial": pl.lit(trial, pl.Int64),
        "columns": pl.lit(len(table.columns), pl.Int64),
        "rows": pl.lit(table.rows, pl.Int64),
        "train_rows": pl.lit(len(rows.y), pl.Int64),
        "test_rows": pl.lit(len(rows.y_test), pl.Int64),
        "seconds": pl.lit(seconds),
    }
