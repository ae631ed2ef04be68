"""Tables as coloured tiles with text in each, panels side by side."""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import Spec, alt
from glassware.charts.labels import need
from glassware.charts.theme import FAINT, INK, heading, inline, panelled

ROW_HEIGHT = 22
DARK = "luminance(scale('color', datum.value)) < 0.21"  # below it white has the better contrast, above it ink


def tiles(
    table: pl.DataFrame,
    *,
    scale: alt.Scale,
    title: str,
    x_title: str,
    y_title: str,
    value_title: str,
    subtitle: str = "",
    tile_width: int = 64,
    legend_values: list[float] | None = None,
    percent: bool = False,
) -> alt.TopLevelMixin:
    """One tile per row of the table.

    Args:
        table: columns panel, row, column, value (null: a gray tile) and text. All keep the order of appearance.
        scale: the colour scale.
        title, x_title, y_title, value_title, subtitle: text.
        tile_width: in pixels.
        legend_values: values labelled in the legend.
        percent: whether the value is a share.
    """
    need(table, ["panel", "row", "column", "value", "text"])
    panels, rows, columns = (table[name].unique(maintain_order=True).to_list() for name in ("panel", "row", "column"))
    records = table.select("panel", "row", "column", "value", "text").to_dicts()
    x_axis = alt.Axis(labelAngle=0, ticks=False, domain=False)
    base = alt.Chart().encode(
        x=alt.X("column:N", sort=columns, title=x_title, axis=x_axis),
        y=alt.Y("row:N", sort=rows, title=y_title, axis=alt.Axis(ticks=False, domain=False)),
        tooltip=[
            alt.Tooltip("row:N", title=y_title),
            alt.Tooltip("column:N", title=x_title),
            alt.Tooltip("text:N", title=value_title),
        ],
    )
    named: Spec = {**({"values": legend_values} if legend_values else {}), **({"format": "%"} if percent else {})}
    legend = alt.Legend(title=value_title, gradientLength=max(66, min(150, ROW_HEIGHT * len(rows))), **named)
    known = base.transform_filter("isValid(datum.value)")
    layers = [
        base.transform_filter("!isValid(datum.value)").mark_rect(color=FAINT, stroke="white"),
        known.mark_rect(stroke="white").encode(color=alt.Color("value:Q", scale=scale, legend=legend)),
        base.mark_text(fontSize=11).encode(
            text="text:N",
            color=alt.condition(f"isValid(datum.value) && {DARK}", alt.value("white"), alt.value(INK)),
        ),
    ]
    size = {"width": tile_width * len(columns), "height": ROW_HEIGHT * len(rows)}
    chart = alt.layer(*layers, data=inline(records)).properties(**size)
    figure = panelled(chart, panels, columns=len(panels))
    return figure.properties(title=heading(title, subtitle))  # type: ignore[no-any-return]
