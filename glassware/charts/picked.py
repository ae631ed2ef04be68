"""The training curves of the cell that is picked in a heat map."""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import Figure, alt
from glassware.charts.grid import Grid
from glassware.charts.save import BROWSER
from glassware.charts.theme import INK, MUTED, inline
from glassware.charts.traces import Curves, curve_layers, traces, unroll

PICKED = "picked"  # the selection; its cells are numbers
NONE = -1  # the cell while none is picked, so that axes and text keep their places
RUNS, POINTS = 10, 40  # per cell
TOTAL = 80_000  # points in one figure; above that a cell shows fewer runs, then fewer points
SIZE = {"width": 310, "height": 180}


def cell_traces(frame: pl.DataFrame, curves: Curves, grid: Grid) -> tuple[pl.DataFrame, list[str]]:
    """A few thinned runs of every cell that has curves, and the kinds of line among them."""
    count = len(grid.table)
    runs = min(RUNS, max(3, TOTAL // (POINTS * count)))
    points = min(POINTS, max(10, TOTAL // (runs * count)))
    table, kinds = traces(frame, curves, grid.by, runs=runs, points=points)
    return table.join(grid.table.select(*grid.by, "cell"), on=grid.by, how="left", nulls_equal=True), kinds


def first_pick(grid: Grid, drawn: pl.DataFrame) -> int:
    """The cell whose curves are shown first: offline, success rate nearest to one half, the upper one on a tie."""
    table = grid.table.join(drawn, on="cell", how="semi")
    height = pl.col("y_label").replace_strict(grid.ys, range(len(grid.ys)), return_dtype=pl.Int64)
    middle = (pl.col("value") - (0.5 if grid.shares else pl.col("value").median())).abs()
    nearest = table.sort(pl.col(grid.x).is_null(), middle, -height, maintain_order=True)
    return int(nearest["cell"][0])


def selection(first: int | None) -> alt.Parameter:
    """What a click on a cell changes."""
    value = alt.Undefined if first is None else [{"cell": first}]
    return alt.selection_point(name=PICKED, fields=["cell"], empty=False, toggle=False, value=value)


def curves_panel(grid: Grid, curves: Curves, table: pl.DataFrame, kinds: list[str], first: int | None) -> Figure:
    """The curves of the picked cell below two lines that say which cell it is and how its runs ended."""
    drawn = table.filter(pl.col("cell") == first)["kind"].unique().to_list() if first is not None else None
    some = f"isValid({PICKED}.cell)"
    this = f"datum.cell == ({some} ? {PICKED}.cell[0] : {NONE})"
    longest = max(steps[-1] for steps in table["step"])
    none = [None, None]
    blank = {"cell": NONE, "kind": kinds[0], "run": NONE, "step": [0, longest], "test": none, "train": none}
    records = [blank, *table.select("cell", "kind", "run", "step", "test", "train").to_dicts()]
    shown = dict(table.group_by("cell").len().iter_rows())
    hint = {"cell": NONE, "where": "click a cell", "what": "and its training curves appear here"}

    words = alt.Chart(inline([hint, *grid.words(shown)])).transform_filter(this).encode(x=alt.value(0))
    where = words.mark_text(align="left", baseline="bottom", color=INK, fontSize=13, fontWeight="bold")
    what = words.mark_text(align="left", baseline="bottom", color=MUTED, fontSize=12)
    more = alt.Chart(inline([{}])).transform_calculate(text=f"{BROWSER} && {some} ? 'click another cell' : ''")
    more = more.mark_text(align="right", baseline="top", color=MUTED, fontSize=12, fontStyle="italic")
    panel = alt.layer(
        *curve_layers(table, curves, kinds, on_paper=drawn),
        where.encode(text="where:N", y=alt.value(-24)),
        what.encode(text="what:N", y=alt.value(-8)),
        more.encode(text="text:N", x=alt.value("width"), y=alt.value(4)),
        data=inline(records),
    )
    return unroll(panel.transform_filter(this)).properties(**SIZE)
