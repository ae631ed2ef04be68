"""The success frontier: percent successful runs over sample size and width, with the curves behind each cell."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.grid import Grid, make_grid
from glassware.charts.labels import name, need
from glassware.charts.overlay import overlay_layers, overlay_records
from glassware.charts.picked import cell_traces, curves_panel, first_pick, selection
from glassware.charts.save import BROWSER, ON_PAPER
from glassware.charts.theme import HEAT, INK, PICK, heading, inline
from glassware.charts.traces import has_curves

PANELS_WITH_CURVES = 4  # a figure of more panels is printed without training curves
CHECK = "M-0.5,0.02 L-0.15,0.38 L0.5,-0.36"  # drawn, for not every font has the sign
SMALL = 15  # pixels; smaller cells have thinner lines and smaller names


def success_heat_map(
    frame: pl.DataFrame,
    *,
    title: str,
    row: str | None = None,
    column: str | None = "init",
    subtitle: str = "",
    overlay: pl.DataFrame | None = None,
) -> alt.TopLevelMixin:
    """Percent of successful runs by sample size m (online rightmost) and width, in panels by ``row`` and ``column``.

    A check mark means all runs. On a page, hovering over a cell gives its numbers and a click its training curves.
    ``overlay`` draws lines over the cells (see ``overlay_records``); such a figure has no training curves.
    """
    need(frame, ["m", "width"])
    grid = make_grid(frame, row, column)
    head = heading(title, subtitle)
    if overlay is not None or not has_curves(frame):
        return _panels(grid, None, [] if overlay is None else overlay_records(grid, overlay)).properties(title=head)
    drawn, kinds = cell_traces(frame, grid)
    first = first_pick(grid, drawn) if grid.panels <= PANELS_WITH_CURVES else None
    figure = alt.hconcat(_panels(grid, selection(first)), curves_panel(grid, drawn, kinds), spacing=40)
    figure = figure.resolve_scale(color="independent", shape="independent").properties(title=head)
    figure = figure.add_params(alt.param(name=BROWSER, value=False))
    return figure if first is not None else figure.properties(usermeta={ON_PAPER: 1})


def _panels(grid: Grid, picked: Any, drawn_over: list[dict[str, Any]] | None = None) -> Any:
    """The panels: cells, check marks, lines over them and, where cells can be picked, a box around the picked one."""
    base = alt.Chart()
    small = grid.side < SMALL
    scale = alt.Scale(domain=[0, grid.lefts[-1] + 1], nice=False, zero=False)
    left = alt.X("x:Q", scale=scale, axis=_m_axis(grid))
    widths = list(reversed(grid.widths))
    y = alt.Y(
        "r:O",
        sort=widths,
        scale=alt.Scale(domain=widths, padding=0),
        axis=alt.Axis(title=name("width"), domain=False, ticks=False, labelFontSize=10 if small else 12),
    )
    tooltip = [alt.Tooltip(f"{field}:N", title=title) for field, title in grid.tooltip().items()]
    cells = base.transform_filter("isValid(datum.cell)")
    rect = cells.mark_rect(stroke="white", strokeWidth=0.5 if small else 1, cursor="pointer" if picked else "default")
    rect = rect.encode(x=left, x2="x2:Q", y=y, color=_colour(), tooltip=tooltip)
    size = max(6.0, 0.3 * grid.side) ** 2
    check = base.transform_filter("datum.check").mark_point(
        size=size, stroke=INK, strokeWidth=1.1 if small else 1.6, fill="transparent", opacity=1, tooltip=None
    )
    # Without a tooltip of its own it lets hovers and clicks through to its cell.
    check = check.encode(x=alt.X("middle:Q", scale=scale), y=y, shape=_check(size))
    layers = [rect, check]
    if picked:
        layers[0] = rect.add_params(picked)
        box = base.transform_filter(picked).mark_rect(fill=None, stroke=PICK, strokeWidth=2.5)
        layers.append(box.encode(x=left, x2="x2:Q", y=y))
    if drawn_over:
        layers += overlay_layers(base, drawn_over)
    panel = alt.layer(*layers, data=inline([*grid.records(), *(drawn_over or [])])).properties(
        width=grid.width, height=grid.height
    )
    facets: dict[str, Any] = {}
    if grid.rows:
        header = alt.Header(labelAngle=0, labelAlign="left", labelPadding=8)
        facets["row"] = alt.Row("row:N", sort=grid.rows, title=None, header=header)
    if grid.columns:
        header = alt.Header(labelPadding=6)
        facets["column"] = alt.Column("column:N", sort=grid.columns, title=None, header=header)
    spacing = {"row": 14, "column": 26 if small else 20}  # wide enough for the name of the online column
    return panel.facet(**facets, spacing=spacing) if facets else panel


def _m_axis(grid: Grid) -> alt.Axis:
    ticks = grid.ticks()
    names = json.dumps({f"{position:g}": label for position, label in ticks.items()})
    return alt.Axis(
        title=name("m"),
        values=list(ticks),
        tickCount=len(ticks),  # with fewer, Vega drops some of the values
        labelExpr=f"({names})[format(datum.value, '~g')]",
        grid=False,
        domain=False,
        ticks=False,
        labelFlush=False,
        labelOverlap=False,
    )


def _colour() -> alt.Color:
    legend = alt.Legend(
        title="successful runs (%)", orient="bottom", direction="horizontal", gradientLength=180, gradientThickness=11
    )
    return alt.Color("percent:Q", scale=alt.Scale(scheme=HEAT, domain=[0, 100]), legend=legend)


def _check(size: float) -> alt.Shape:
    legend = alt.Legend(
        title="", orient="bottom", symbolSize=size, symbolStrokeWidth=1.6, symbolStrokeColor=INK, symbolOpacity=1
    )
    return alt.Shape("check:N", scale=alt.Scale(domain=["all runs"], range=[CHECK]), legend=legend)
