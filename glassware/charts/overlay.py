"""Theoretical lines over a heat map, horizontal or vertical in each panel."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from glassware.charts.backend import Record, alt
from glassware.charts.grid import Grid
from glassware.charts.theme import PICK

DASHES = [[6, 3], [2, 2], [1, 0], [10, 2, 2, 2]]


def overlay_records(grid: Grid, overlay: pl.DataFrame) -> list[Record]:
    """Lines in pixel coordinates of their panel.

    ``overlay`` has the columns that define the panels, ``label``, and the column of the vertical axis for a horizontal
    line or of the horizontal axis for a vertical one. Lines beyond the cells are drawn at their edge; lines for panels
    that do not exist are left out.
    """
    places = {f"{place}_label": column for place, column in grid.panels_by.items()}
    named = grid.table.select(*places.values(), *places).unique(maintain_order=True)
    found = overlay.join(named, on=list(places.values()), how="inner", maintain_order="left") if places else overlay
    heights = _known(grid.table, grid.y, "y_label", grid.ys)
    places_along = _known(grid.table, grid.x, "x_label", grid.xs)
    records = []
    for line in found.iter_rows(named=True):
        panel = {place: line[f"{place}_label"] for place in ("row", "column") if f"{place}_label" in line}
        if line.get(grid.y) is not None:
            y = grid.height * (1 - _position(line[grid.y], heights) / len(grid.ys))
            ends = {"from_x": 0.0, "from_y": y, "to_x": grid.width, "to_y": y}
        else:
            x = grid.side * _position(line[grid.x], places_along)
            ends = {"from_x": x, "from_y": 0.0, "to_x": x, "to_y": grid.height}
        records.append({**panel, "line": line["label"], **ends})
    return records


def overlay_layers(base: alt.Chart, records: Sequence[Record]) -> list[alt.Chart]:
    """The lines, in a red that no cell has, with a white edge so that they are visible on every colour."""
    labels = list(dict.fromkeys(str(record["line"]) for record in records))
    lines = base.transform_filter("isValid(datum.line)")
    ends = {
        "x": alt.X("from_x:Q", scale=None),
        "x2": "to_x:Q",
        "y": alt.Y("from_y:Q", scale=None),
        "y2": "to_y:Q",
    }
    dash = alt.StrokeDash(
        "line:N",
        scale=alt.Scale(domain=labels, range=DASHES[: len(labels)]),
        legend=alt.Legend(
            title=None, orient="bottom", symbolType="stroke", symbolStrokeColor=PICK, symbolSize=400, labelLimit=400
        ),
    )
    return [
        lines.mark_rule(stroke="white", strokeWidth=3.4, opacity=0.7).encode(**ends, strokeDash=dash),
        lines.mark_rule(stroke=PICK, strokeWidth=2).encode(**ends, strokeDash=dash),
    ]


def _known(table: pl.DataFrame, column: str, label: str, order: Sequence[str]) -> list[float]:
    """The numeric sizes along an axis; online is not one."""
    values = dict(table.select(label, column).drop_nulls().unique().iter_rows())
    return [float(values[name]) for name in order if name in values]


def _position(value: float, sizes: list[float]) -> float:
    """Where a size lies along the axis, in cells from the first edge: log-interpolated, clipped to the ends."""
    if len(sizes) == 1:
        return 0.5
    scale = math.log if min(*sizes, value) > 0 else float
    logs = [scale(size) for size in sizes]
    at = scale(value)
    i = min(max(sum(log <= at for log in logs) - 1, 0), len(logs) - 2)
    position = i + 0.5 + (at - logs[i]) / (logs[i + 1] - logs[i])
    return min(max(position, 0.0), float(len(sizes)))
