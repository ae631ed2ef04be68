"""The cells of a heat map: their numbers, labels and positions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import polars as pl

from glassware.charts.backend import Record
from glassware.charts.cells import cells, middles
from glassware.charts.labels import WORDS, keys, labels, name, need, percent, phrase

NULL_GAP = 0.45  # of a cell, before the column for a missing number, such as online
CROWDED = 10  # columns; an axis with more numbers labels only powers of ten


Row: TypeAlias = dict[str, Any]  # of a table, as Polars returns it


@dataclass(frozen=True)
class Grid:
    """Cells and axes.

    Attributes:
        table: one row per cell: its keys, counts, ``value`` with its interval ``low`` to ``high`` (where it was
            inferred no runs, and ``guess``), and ``cell`` (a number), ``left`` (its edge), ``init_label``, ``x_label``,
            ``y_label``, ``row_label`` and ``column_label``.
        x, y, value: the columns that are drawn.
        by: the columns that identify a cell.
        panels_by: the columns that define the rows and columns of panels.
        rows: labels of the rows of panels, if any.
        columns: labels of the columns of panels, if any.
        xs: labels along the horizontal axis; a missing number, such as online, is last.
        ys: labels along the vertical axis, upwards.
        lefts: left edge of every column of cells, in cells.
        shares: whether the value is a share of runs rather than a number.
    """

    table: pl.DataFrame
    x: str
    y: str
    value: str
    by: list[str]
    panels_by: dict[str, str]
    rows: list[str]
    columns: list[str]
    xs: list[str]
    ys: list[str]
    lefts: list[float]
    shares: bool

    @property
    def panels(self) -> int:
        """How many panels there are."""
        return max(1, len(self.rows)) * max(1, len(self.columns))

    @property
    def side(self) -> int:
        """Pixels per cell, so that the figure is as wide as a page."""
        return max(11, min(40, 600 // (max(1, len(self.columns)) * (len(self.xs) + 1))))

    @property
    def width(self) -> int:
        """Width of a panel in pixels."""
        return round(self.side * (self.lefts[-1] + 1))

    @property
    def height(self) -> int:
        """Height of a panel: cells are square, but one row of panels is as high as the curves beside it."""
        count = len(self.ys)
        return max(self.side * count, min(180, 60 * count)) if len(self.rows) <= 1 else self.side * count

    @property
    def value_title(self) -> str:
        """What the colours mean."""
        if self.shares:
            return "successful runs (%)" if self.value == "success" else f"runs with {name(self.value)} (%)"
        return f"median {name(self.value)}"

    def ticks(self) -> dict[float, str]:
        """The label in the middle of every column of cells; on a crowded axis of numbers most are blank."""
        shown = self.xs
        if len(self.xs) > CROWDED and not isinstance(self.table.schema[self.x], WORDS):
            values = dict(self.table.select("x_label", self.x).iter_rows())
            last = len(self.xs) - 1
            # The label to the left of online would overlap it.
            beside = last - 1 if values[self.xs[last]] is None else None
            shown = [label if _round(values[label]) and i != beside else "" for i, label in enumerate(self.xs)]
            if sum(map(bool, shown)) < 2:  # too few powers of ten: label some values, evenly spaced
                every = math.ceil(len(self.xs) / CROWDED)
                shown = [label if i % every == 0 else "" for i, label in enumerate(self.xs)]
        return {left + 0.5: label for left, label in zip(self.lefts, shown, strict=True)}

    def records(self) -> list[Record]:
        """The cells as chart data."""
        return [self._record(cell) for cell in self.table.filter(pl.col("trials") > 0).iter_rows(named=True)]

    def inferred(self) -> list[Record]:
        """The cells that were inferred, likewise."""
        return [
            {**_panel(cell), "x": cell["x_label"], "y": cell["y_label"], "left": cell["left"]}
            | {"right": cell["left"] + 1, "shade": 100 * cell["guess"], "known": "inferred"}
            for cell in self.table.filter(pl.col("trials") == 0).iter_rows(named=True)
        ]

    def words(self, shown: dict[int, int]) -> list[Record]:
        """Two lines of text per cell, to stand above its curves; ``shown`` says how many there are."""
        measured = self.table.filter(pl.col("trials") > 0)
        return [self._words(cell, shown.get(cell["cell"], 0)) for cell in measured.iter_rows(named=True)]

    def tooltip(self) -> dict[str, str]:
        """Fields of a record that a tooltip shows, with their titles."""
        panels = {place: name(column) for place, column in self.panels_by.items() if column != "init"}
        drawn = (*self.panels_by.values(), self.x, self.y)
        return {
            **panels,
            **({"init": name("init")} if "init_label" in self.table.columns or "init" in drawn else {}),
            **{place: name(column) for place, column in (("x", self.x), ("y", self.y)) if column != "init"},
            "counts": self.value_title.removesuffix(" (%)") if self.shares else "runs",
            **({"rate": "rate"} if self.shares else {"rate": self.value_title}),
            "interval": "95% interval" if self.shares else "quartiles",
            **({"median": "median steps to success"} if self.shares else {}),
        }

    def _record(self, cell: Row) -> Record:
        return {
            "cell": cell["cell"],
            "left": cell["left"],
            "right": cell["left"] + 1,
            "middle": cell["left"] + 0.5,
            "shade": cell["value"] if not self.shares else round(100 * cell["value"], 2),
            "check": "all runs" if self.shares and cell["successes"] == cell["trials"] else None,
            **_panel(cell),
            "init": cell.get("init_label"),
            "x": cell["x_label"],
            "y": cell["y_label"],
            **self._counts(cell),
            **({"median": "–" if cell["median"] is None else f"{cell['median']:,.0f}"} if self.shares else {}),
        }

    def _counts(self, cell: Row) -> dict[str, str]:
        if not self.shares:
            ends = "–".join("?" if cell[end] is None else f"{cell[end]:.3g}" for end in ("low", "high"))
            middle = "–" if cell["value"] is None else f"{cell['value']:.3g}"
            return {"counts": f"{cell['trials']}", "rate": middle, "interval": ends}
        return {
            "counts": f"{cell['successes']} of {cell['trials']}",
            "rate": percent(cell["value"]),
            "interval": f"{100 * cell['low']:.0f}–{100 * cell['high']:.0f}%",
        }

    def _words(self, cell: Row, shown: int) -> Record:
        counts = self._counts(cell)
        place = [phrase(self.table, self.x, cell["x_label"]), phrase(self.table, self.y, cell["y_label"])]
        if self.shares:
            held = "succeed" if self.value == "success" else f"have {name(self.value)}"
            what = f"{counts['counts']} runs {held} (95% interval {counts['interval']})"
        else:
            what = f"{self.value_title} {counts['rate']} (quartiles {counts['interval']}) of {counts['counts']} runs"
        where = ", ".join([*_panel(cell).values(), *place])
        return {"cell": cell["cell"], "where": where, "what": f"{what}, {shown or 'none'} shown"}


def make_grid(
    frame: pl.DataFrame,
    row: str | None,
    column: str | None,
    x: str = "m",
    y: str = "width",
    value: str = "success",
    inferred: pl.DataFrame | None = None,
) -> Grid:
    """Gather the runs of a frame into cells; ``inferred`` ones have no runs, but a ``rate``."""
    panels = {place: source for place, source in (("row", row), ("column", column)) if source is not None}
    by = [*panels.values(), x, y]
    need(frame, [*by, value])
    extra = [_inits(frame)] if "init" in frame.columns and "init" not in by else []
    shares = frame.schema[value] == pl.Boolean
    if shares:
        table = cells(frame, by, *extra, success=value).with_columns(value=pl.col("rate"))
    else:
        table = middles(frame, by, value, *extra)
    if inferred is not None and len(inferred):
        more = inferred.select(*(column for column in table.columns if column in keys(frame, by)), guess="rate")
        table = pl.concat([table, more.with_columns(trials=0, successes=0)], how="diagonal_relaxed")
    orders: dict[str, list[str]] = {"row": [], "column": []}
    for place, source in {**panels, "x": x, "y": y}.items():
        found, order = labels(table, source)
        if place in panels:
            found, order = ([phrase(table, source, label) for label in each] for each in (found, order))
        orders[place] = order
        table = table.with_columns(pl.Series(f"{place}_label", found, pl.String))
    missing = set(table.filter(pl.col(x).is_null())["x_label"]) if not isinstance(table.schema[x], WORDS) else set()
    lefts = [i + (NULL_GAP if label in missing and i else 0.0) for i, label in enumerate(orders["x"])]
    left = dict(zip(orders["x"], lefts, strict=True))
    if "init" in table.columns:
        table = table.with_columns(pl.Series("init_label", labels(table, "init")[0], pl.String))
    table = table.with_columns(
        pl.int_range(pl.len()).alias("cell"),
        pl.Series("left", [left[label] for label in table["x_label"]], pl.Float64),
    )
    places = (orders["row"], orders["column"], orders["x"], orders["y"])
    return Grid(table, x, y, value, keys(frame, by), panels, *places, lefts, shares)


def _inits(frame: pl.DataFrame) -> pl.Expr:
    """The initial weights of a cell's runs, in case its panel does not name them."""
    ones = pl.col("s").cast(pl.String) + "-sparse" if "s" in frame.columns else pl.lit(None, pl.String)
    label = pl.when(pl.col("init") == "sparse").then(pl.coalesce(ones, "init")).otherwise("init")
    return label.unique(maintain_order=True).str.join(", ").alias("init_label")


def _panel(cell: Row) -> dict[str, str]:
    return {place: cell[f"{place}_label"] for place in ("row", "column") if f"{place}_label" in cell}


def _round(value: float | None) -> bool:
    """Whether a number is a power of ten; a missing one is always labelled."""
    return value is None or (value > 0 and abs(math.log10(value) - round(math.log10(value))) < 1e-9)
