"""The cells of ``success_frontier``'s heat map that its claims look at, and which of them have no runs."""

from __future__ import annotations

from typing import Any

import polars as pl

from glassware.studies.cells import rates, where
from glassware.studies.pareto.panels import WIDTHS

INITS = ("dense", "sparse")
PANELS, STEPS = 24, 100_000  # (n, k, init) of the paper's grid, and steps of its runs


def heat_map_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of the heat map."""
    return where(frame, train_size=0)


def cell_counts(table: pl.DataFrame, *by: str) -> list[tuple[Any, ...]]:
    """Cells as tuples: the values of these columns, then successes and trials."""
    if not len(table):
        return []
    return [(*row[:-2], row[-2:]) for row in rates(table, *by).drop("rate").iter_rows()]


def panels_of(table: pl.DataFrame) -> set[tuple[Any, ...]]:
    """(n, k, init) of these rows."""
    return set(table.select("n", "k", "init").unique().iter_rows())


def _at_paper_scale(table: pl.DataFrame) -> bool:
    return bool((table["steps"] == STEPS).any())


def widths_of(table: pl.DataFrame) -> list[int]:
    """The widths of the grid: at paper scale all of them, whatever was measured."""
    return WIDTHS if _at_paper_scale(table) else table["width"].unique().sort().to_list()


def missing(table: pl.DataFrame, panels: int | None = None, narrowest: int = 0) -> str:
    """How many panels, and rows of them (one per width from the narrowest), have runs, in words; nothing if all have.

    At paper scale all panels and widths of the paper are expected; else what is seen, or so many panels.
    """
    seen, wide = len(panels_of(table)), table.filter(pl.col("width") >= narrowest)
    measured = wide.select("n", "k", "init", "width").n_unique()
    wanted = PANELS if _at_paper_scale(table) else panels or seen
    rows = wanted * sum(width >= narrowest for width in widths_of(table))
    return "" if measured == rows else f"; {seen} of {wanted} panels, {measured} of {rows} rows of them have runs"
