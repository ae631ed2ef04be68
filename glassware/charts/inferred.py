"""Pale cells of a heat map: what a search inferred from their neighbours and did not measure."""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import Record, alt
from glassware.charts.grid import Grid
from glassware.charts.theme import MUTED

FAINT = 0.32  # opacity of a cell that was inferred


def inferred_records(grid: Grid, inferred: pl.DataFrame) -> list[Record]:
    """Cells with the panels' columns, those of both axes, and ``rate``; others than the grid's places are left out."""
    places = {f"{place}_label": column for place, column in grid.panels_by.items()}
    table, found = grid.table, inferred
    for columns in ([*places.values(), *places], [grid.x, "x_label", "left"], [grid.y, "y_label"]):
        keys = [column for column in columns if column in inferred.columns]
        if keys:
            known = table.select(columns).unique(maintain_order=True)
            found = found.join(known, on=keys, how="inner", nulls_equal=True, maintain_order="left")
    return [
        {
            **{place: cell[f"{place}_label"] for place in grid.panels_by},
            "x": cell["x_label"],
            "y": cell["y_label"],
            "left": cell["left"],
            "right": cell["left"] + 1,
            "shade": 100 * cell["rate"],
            "known": "inferred",
        }
        for cell in found.iter_rows(named=True)
    ]


def inferred_layer(base: alt.Chart, left: alt.X, y: alt.Y, colour: alt.Color) -> alt.Chart:
    """Their rectangles, with a dashed outline."""
    pale = base.transform_filter("isValid(datum.known)").mark_rect(
        stroke=MUTED, strokeWidth=0.5, strokeDash=[2, 2], fillOpacity=FAINT
    )
    tooltip = [alt.Tooltip(f"{field}:N") for field in ("x", "y", "known")]
    return pale.encode(x=left, x2="right:Q", y=y, color=colour, tooltip=tooltip)
