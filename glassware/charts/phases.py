"""Curves over a background that is shaded by phase, as small multiples."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.labels import need
from glassware.charts.theme import SHORT, heading, inline, panelled

SIZES = {1: (460, 260), 2: (360, 220)}
SMALL = (270, 200)


def shaded_curves(
    curves: pl.DataFrame,
    spans: pl.DataFrame,
    *,
    colours: Mapping[str, str],
    title: str,
    x_title: str,
    y_title: str,
    subtitle: str | list[str] = "",
    columns: int = 3,
) -> alt.TopLevelMixin:
    """One thin line per run and kind; behind them, each phase in the paler colour of its kind.

    Args:
        curves: columns panel, run, kind, x, y; one row per point. Panels keep the order in which they appear.
        spans: columns panel, kind, start, end: the phases.
        colours: kind to colour, in the order of the legend.
        title, x_title, y_title, subtitle: words.
        columns: panels side by side.
    """
    need(curves, ["panel", "run", "kind", "x", "y"])
    panels = curves["panel"].unique(maintain_order=True).to_list()
    legend = alt.Legend(title=None, orient="bottom", direction="horizontal", symbolType="stroke", symbolSize=300,
                        symbolOpacity=1)  # fmt: skip
    colour = alt.Color("kind:N", scale=alt.Scale(domain=[*colours], range=[*colours.values()]), legend=legend)
    points = curves.select(
        "panel", "kind", pl.col("run").cast(pl.String), pl.col("x").cast(pl.Float64),
        pl.col("y").cast(pl.Float64).round_sig_figs(4),
    )  # fmt: skip
    x = alt.X(
        "x:Q", title=x_title, scale=alt.Scale(nice=False), axis=alt.Axis(labelExpr=SHORT, tickCount=4, grid=False)
    )
    y = alt.Y("y:Q", title=y_title, axis=alt.Axis(tickCount=5))
    shade = alt.Chart().transform_filter("isValid(datum.start)").mark_rect(opacity=0.16)
    line = alt.Chart().transform_filter("isValid(datum.x)").mark_line(strokeWidth=1.4, strokeOpacity=0.8)
    across = min(columns, len(panels))
    width, height = SIZES.get(across, SMALL)
    layers = alt.layer(
        shade.encode(x=alt.X("start:Q", title=x_title), x2="end:Q", color=colour),
        line.encode(x=x, y=y, color=colour, detail="run:N"),
        data=inline([*spans.to_dicts(), *points.to_dicts()]),
    ).properties(width=width, height=height)
    figure = panelled(layers, panels, columns=across, own_x=True).resolve_scale(x="independent")
    return figure.properties(title=heading(title, subtitle))  # type: ignore[no-any-return]
