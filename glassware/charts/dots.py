"""Dots with intervals on an aggregated table."""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import Spec, alt
from glassware.charts.labels import WORDS, labels, name, need
from glassware.charts.theme import DENSE, colours, heading, inline

LETTER = 6.0  # pixels per letter of a label
SLANT = -30  # degrees, for labels that would overlap


def dots(
    table: pl.DataFrame,
    *,
    x: str,
    y: str,
    low: str,
    high: str,
    colour: str | None = None,
    title: str,
    x_title: str,
    y_title: str,
    subtitle: str = "",
    percent: bool = False,
) -> alt.TopLevelMixin:
    """A dot at ``y`` with a bar from ``low`` to ``high`` for every row, side by side where colours share an ``x``.

    ``percent`` says that y is a share.
    """
    need(table, [column for column in (x, y, low, high, colour) if column is not None])
    found, order = labels(table, x)
    hues, hue_order = labels(table, colour) if colour else (None, [])
    numbers = table.select(
        y=pl.col(y).cast(pl.Float64), low=pl.col(low).cast(pl.Float64), high=pl.col(high).cast(pl.Float64)
    )
    records = [
        {"x": found[i], "colour": hues[i] if hues else "", **{key: _finite(value) for key, value in row.items()}}
        for i, row in enumerate(numbers.iter_rows(named=True))
    ]
    step = 46 * max(1, len(hue_order)) if colour else 90
    width = max(260, min(640, step * len(order)))
    crowded = LETTER * max(map(len, order), default=0) > width / max(1, len(order))
    axis = alt.Axis(labelAngle=SLANT if crowded else 0, grid=False)
    encoding: Spec = {"x": alt.X("x:N", sort=order, title=x_title, scale=alt.Scale(domain=order), axis=axis)}
    if colour:
        scale = colours(colour, hue_order, numeric=not isinstance(table.schema[colour], WORDS))
        encoding["color"] = alt.Color(
            "colour:N", sort=hue_order, scale=scale, legend=alt.Legend(title=name(colour), symbolSize=95)
        )
        encoding["xOffset"] = alt.XOffset("colour:N", sort=hue_order, scale=alt.Scale(domain=hue_order, padding=0.35))
    else:
        encoding["color"] = alt.value(DENSE)
    written = ".3~%" if percent else ".4~g"
    tooltip = [
        alt.Tooltip("x:N", title=x_title),
        *([alt.Tooltip("colour:N", title=name(colour))] if colour else []),
        alt.Tooltip("y:Q", title=y_title, format=written),
        alt.Tooltip("low:Q", title="interval from", format=written),
        alt.Tooltip("high:Q", title="to", format=written),
    ]
    axis_y = alt.Axis(format=".2~%") if percent else alt.Axis()
    base = alt.Chart().encode(**encoding)
    bars = base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", title=y_title, axis=axis_y), y2="high:Q")
    points = base.mark_point(filled=True, size=95, opacity=1)
    points = points.encode(y=alt.Y("y:Q", title=y_title, axis=axis_y), tooltip=tooltip)
    data = inline(records)
    return alt.layer(bars, points, data=data).properties(width=width, height=250, title=heading(title, subtitle))


def _finite(value: float | None) -> float | None:
    return None if value is None or value != value or abs(value) == float("inf") else value
