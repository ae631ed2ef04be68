"""The success frontier: percent successful runs over two quantities, with the curves behind each cell."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence

import polars as pl

from glassware.charts.backend import Figure, Record, Spec, alt
from glassware.charts.dots import LETTER, SLANT
from glassware.charts.grid import Grid, make_grid
from glassware.charts.inferred import inferred_layer
from glassware.charts.labels import name
from glassware.charts.overlay import overlay_layers, overlay_records
from glassware.charts.picked import cell_traces, curves_panel, first_pick, selection
from glassware.charts.pooling import notes
from glassware.charts.save import BROWSER, ON_PAPER
from glassware.charts.theme import HEAT, INK, PICK, heading, inline
from glassware.charts.traces import find_curves

PANELS_WITH_CURVES = 4  # a figure with more panels is printed without training curves
CHECK = "M-0.5,0.02 L-0.15,0.38 L0.5,-0.36"  # drawn, because not every font has a check mark
SMALL = 15  # pixels; smaller cells have thinner lines and smaller labels


def success_heat_map(
    frame: pl.DataFrame,
    *,
    title: str,
    x: str = "m",
    y: str = "width",
    row: str | None = None,
    column: str | None = "init",
    value: str = "success",
    subtitle: str = "",
    overlay: pl.DataFrame | None = None,
    inferred: pl.DataFrame | None = None,
    over: Sequence[str] = (),
) -> alt.TopLevelMixin:
    """Percent of successful runs by two columns, in panels by two others.

    A check mark means all runs. In the browser, hovering over a cell shows its numbers and clicking it its training
    curves.

    Args:
        frame: one row per run.
        title, subtitle: text. Below them the figure says what all runs have in common, and what is pooled.
        x, y: columns of numbers or words; a missing m means online and comes last.
        row, column: columns that define rows and columns of panels.
        value: what the colours show: the share of true values in a Boolean column, the median of a numeric one.
        overlay: lines over the cells (see ``overlay_records``); such a figure has no training curves.
        inferred: cells that were not measured, with the columns of panels and axes and a ``rate``: drawn pale.
        over: fields of the specification that are pooled on purpose.
    """
    grid = make_grid(frame, row, column, x, y, value, inferred)
    pale = grid.inferred()
    subtitle = "; ".join(filter(None, [subtitle, "pale: inferred, not measured" if pale else ""]))
    lines = notes(frame, [x, y, row, column], subtitle, over, [*grid.rows, *grid.columns])
    head = heading(title, lines)
    curves = find_curves(frame)
    if overlay is not None or curves is None:
        drawn_over = [] if overlay is None else overlay_records(grid, overlay)
        return _panels(grid, None, drawn_over, pale).properties(title=head)
    drawn, kinds = cell_traces(frame, curves, grid)
    first = first_pick(grid, drawn) if grid.panels <= PANELS_WITH_CURVES else None
    panels = _panels(grid, selection(first), pale=pale)
    figure = alt.hconcat(panels, curves_panel(grid, curves, drawn, kinds, first), spacing=40)
    figure = figure.resolve_scale(color="independent", shape="independent").properties(title=head)
    figure = figure.add_params(alt.param(name=BROWSER, value=False))
    return figure if first is not None else figure.properties(usermeta={ON_PAPER: 1})


def _panels(
    grid: Grid, picked: alt.Parameter | None, drawn_over: Sequence[Record] = (), pale: Sequence[Record] = ()
) -> Figure:
    """The panels: cells, check marks, lines over them and, where cells can be picked, a box around the picked one."""
    base = alt.Chart()
    small = grid.side < SMALL
    scale = alt.Scale(domain=[0, grid.lefts[-1] + 1], nice=False, zero=False)
    left = alt.X("left:Q", scale=scale, axis=_x_axis(grid))
    downwards = list(reversed(grid.ys))
    y = alt.Y(
        "y:O",
        sort=downwards,
        scale=alt.Scale(domain=downwards, padding=0),
        axis=alt.Axis(title=name(grid.y), domain=False, ticks=False, labelFontSize=10 if small else 12),
    )
    tooltip = [alt.Tooltip(f"{field}:N", title=title) for field, title in grid.tooltip().items()]
    cells = base.transform_filter("isValid(datum.cell)")
    rect = cells.mark_rect(stroke="white", strokeWidth=0.5 if small else 1, cursor="pointer" if picked else "default")
    rect = rect.encode(x=left, x2="right:Q", y=y, color=_colour(grid), tooltip=tooltip)
    size = max(6.0, 0.3 * grid.side) ** 2
    check = base.transform_filter("datum.check").mark_point(
        size=size, stroke=INK, strokeWidth=1.1 if small else 1.6, fill="transparent", opacity=1, tooltip=None
    )
    # Without a tooltip of its own it passes hovers and clicks through to its cell.
    check = check.encode(x=alt.X("middle:Q", scale=scale), y=y, shape=_check(size))
    layers = [*([inferred_layer(base, left, y, _colour(grid))] if pale else []), rect, check]
    if picked:
        layers[layers.index(rect)] = rect.add_params(picked)
        box = base.transform_filter(picked).mark_rect(fill=None, stroke=PICK, strokeWidth=2.5)
        layers.append(box.encode(x=left, x2="right:Q", y=y))
    if drawn_over:
        layers += overlay_layers(base, drawn_over)
    panel = alt.layer(*layers, data=inline([*grid.records(), *pale, *drawn_over, *_blanks(grid)])).properties(
        width=grid.width, height=grid.height
    )
    facets: Spec = {}
    if grid.rows:
        header = alt.Header(labelAngle=0, labelAlign="left", labelPadding=8)
        facets["row"] = alt.Row("row:N", sort=grid.rows, title=None, header=header)
    if grid.columns:
        header = alt.Header(labelPadding=6)
        facets["column"] = alt.Column("column:N", sort=grid.columns, title=None, header=header)
    spacing = {"row": 14, "column": 26 if small else 20}  # wide enough for the label of the online column
    return panel.facet(**facets, spacing=spacing) if facets else panel


def _blanks(grid: Grid) -> list[Record]:
    """Panels without cells: where a place of the table of panels is left out, the browser moves the others up."""
    if not (grid.rows and grid.columns):
        return []
    there = set(grid.table.select("row_label", "column_label").iter_rows())
    missing = (place for place in itertools.product(grid.rows, grid.columns) if place not in there)
    return [{"row": row, "column": column} for row, column in missing]


def _x_axis(grid: Grid) -> alt.Axis:
    ticks = grid.ticks()
    names = json.dumps({f"{position:g}": label for position, label in ticks.items()})
    return alt.Axis(
        title=name(grid.x),
        labelAngle=SLANT if _crowded(ticks, grid.side) else 0,
        values=list(ticks),
        tickCount=len(ticks),  # with fewer, Vega drops some of the values
        labelExpr=f"({names})[format(datum.value, '~g')]",
        grid=False,
        domain=False,
        ticks=False,
        labelFlush=False,
        labelOverlap=False,
    )


def _crowded(ticks: dict[float, str], side: int) -> bool:
    """Whether neighbouring labels would overlap; the ends of a label may extend beyond its cell."""
    places = [place for place, label in ticks.items() if label]
    room = min((b - a for a, b in itertools.pairwise(places)), default=1.0) * side
    return LETTER * max(map(len, ticks.values())) > 1.15 * room


def _colour(grid: Grid) -> alt.Color:
    legend = alt.Legend(
        title=grid.value_title, orient="bottom", direction="horizontal", gradientLength=180, gradientThickness=11
    )
    scale = alt.Scale(scheme=HEAT, domain=[0, 100]) if grid.shares else alt.Scale(scheme=HEAT, zero=False)
    return alt.Color("shade:Q", scale=scale, legend=legend)


def _check(size: float) -> alt.Shape:
    legend = alt.Legend(
        title="", orient="bottom", symbolSize=size, symbolStrokeWidth=1.6, symbolStrokeColor=INK, symbolOpacity=1
    )
    return alt.Shape("check:N", scale=alt.Scale(domain=["all runs"], range=[CHECK]), legend=legend)
