"""The cells of a success heat map: their numbers, their labels and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from glassware.charts.cells import cells
from glassware.charts.labels import NULLS, keys, labels, name, percent, phrase

ONLINE_GAP = 0.45  # of a cell, before the online column
CROWDED = 10  # columns; on an axis with more, only powers of ten are named


@dataclass(frozen=True)
class Grid:
    """Cells and axes.

    Attributes:
        table: one row a cell: its keys, counts, rate, interval, median, and ``cell`` (a number), ``x`` (its left
            edge), ``init_label``, ``m_label``, ``r_label``, ``row_label`` and ``column_label``.
        by: the columns that tell cells apart.
        panels_by: the columns that make rows and columns of panels.
        rows: labels of the rows of panels, if any.
        columns: labels of the columns of panels, if any.
        ms: labels of the sample sizes, online last.
        widths: labels of the widths, increasing.
        lefts: left edge of every sample size, in cells.
    """

    table: pl.DataFrame
    by: list[str]
    panels_by: dict[str, str]
    rows: list[str]
    columns: list[str]
    ms: list[str]
    widths: list[str]
    lefts: list[float]

    @property
    def panels(self) -> int:
        """How many panels there are."""
        return max(1, len(self.rows)) * max(1, len(self.columns))

    @property
    def side(self) -> int:
        """Pixels of a cell: as many as leave the figure the width of a page."""
        return max(11, min(40, 600 // (max(1, len(self.columns)) * (len(self.ms) + 1))))

    @property
    def width(self) -> int:
        """Pixels of a panel."""
        return round(self.side * (self.lefts[-1] + 1))

    @property
    def height(self) -> int:
        """Pixels of a panel: cells are square, but a single row of panels is as high as the curves beside it."""
        count = len(self.widths)
        return max(self.side * count, min(180, 60 * count)) if len(self.rows) <= 1 else self.side * count

    def ticks(self) -> dict[float, str]:
        """The name at the middle of every column of cells; on a crowded axis most are blank."""
        shown = self.ms
        if len(self.ms) > CROWDED:
            last = len(self.ms) - 1
            # The name left of online would run into it.
            beside = last - 1 if self.ms[last] == NULLS["m"] else None
            shown = [label if _round(label) and i != beside else "" for i, label in enumerate(self.ms)]
        return {left + 0.5: label for left, label in zip(self.lefts, shown, strict=True)}

    def records(self) -> list[dict[str, Any]]:
        """The cells as chart data."""
        return [_record(cell) for cell in self.table.iter_rows(named=True)]

    def words(self, shown: dict[int, int]) -> list[dict[str, Any]]:
        """Every cell as two lines of text, over as many curves as ``shown`` says."""
        return [_words(cell, shown.get(cell["cell"], 0)) for cell in self.table.iter_rows(named=True)]

    def tooltip(self) -> dict[str, str]:
        """Fields of a record that a tooltip shows, with their titles."""
        panels = {place: name(column) for place, column in self.panels_by.items() if column != "init"}
        return {
            **panels,
            **({"init": name("init")} if "init_label" in self.table.columns else {}),
            "m": name("m"),
            "r": name("width"),
            "counts": "successful runs",
            "rate": "rate",
            "interval": "95% interval",
            "median": "median steps to success",
        }


def make_grid(frame: pl.DataFrame, row: str | None, column: str | None) -> Grid:
    """Gather the runs of a frame into cells."""
    panels = {place: source for place, source in (("row", row), ("column", column)) if source is not None}
    by = [*panels.values(), "m", "width"]
    extra = [_inits(frame)] if "init" in frame.columns and "init" not in by else []
    table = cells(frame, by, *extra)
    orders: dict[str, list[str]] = {"row": [], "column": []}
    for place, source in {**panels, "m": "m", "r": "width"}.items():
        found, order = labels(table, source)
        if place in panels:
            found, order = ([phrase(table, source, label) for label in each] for each in (found, order))
        orders[place] = order
        table = table.with_columns(pl.Series(f"{place}_label", found, pl.String))
    lefts = [i + (ONLINE_GAP if label == NULLS["m"] and i else 0.0) for i, label in enumerate(orders["m"])]
    left = dict(zip(orders["m"], lefts, strict=True))
    if "init" in table.columns:
        table = table.with_columns(pl.Series("init_label", labels(table, "init")[0], pl.String))
    table = table.with_columns(
        pl.int_range(pl.len()).alias("cell"), pl.Series("x", [left[label] for label in table["m_label"]], pl.Float64)
    )
    return Grid(table, keys(frame, by), panels, orders["row"], orders["column"], orders["m"], orders["r"], lefts)


def _inits(frame: pl.DataFrame) -> pl.Expr:
    """The initial weights of a cell's runs, for when its panel does not name them."""
    ones = pl.col("s").cast(pl.String) + "-sparse" if "s" in frame.columns else pl.lit(None, pl.String)
    label = pl.when(pl.col("init") == "sparse").then(pl.coalesce(ones, "init")).otherwise("init")
    return label.unique(maintain_order=True).str.join(", ").alias("init_label")


def _panel(cell: dict[str, Any]) -> dict[str, str]:
    return {place: cell[f"{place}_label"] for place in ("row", "column") if f"{place}_label" in cell}


def _counts(cell: dict[str, Any]) -> dict[str, str]:
    return {
        "counts": f"{cell['successes']} of {cell['trials']}",
        "rate": percent(cell["rate"]),
        "interval": f"{100 * cell['low']:.0f}–{100 * cell['high']:.0f}%",
    }


def _record(cell: dict[str, Any]) -> dict[str, Any]:
    return {
        "cell": cell["cell"],
        "x": cell["x"],
        "x2": cell["x"] + 1,
        "middle": cell["x"] + 0.5,
        "percent": round(100 * cell["rate"], 2),
        "check": "all runs" if cell["successes"] == cell["trials"] else None,
        **_panel(cell),
        "init": cell.get("init_label"),
        "m": cell["m_label"],
        "r": cell["r_label"],
        **_counts(cell),
        "median": "–" if cell["median"] is None else f"{cell['median']:,.0f}",
    }


def _words(cell: dict[str, Any], shown: int) -> dict[str, Any]:
    m = cell["m_label"] if cell["m"] is None else f"m = {cell['m_label']}"
    counts = _counts(cell)
    return {
        "cell": cell["cell"],
        "where": ", ".join([*_panel(cell).values(), m, f"r = {cell['r_label']}"]),
        "what": f"{counts['counts']} runs succeed (95% interval {counts['interval']}), {shown or 'none'} shown",
    }


def _round(label: str) -> bool:
    return label == NULLS["m"] or label.rstrip("kMG") in ("1", "10", "100")
