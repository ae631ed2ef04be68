"""Means over runs with their intervals along training, against levels that theory predicts, as small multiples."""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.labels import need
from glassware.charts.theme import CATEGORIES, DENSE, SHORT, heading, inline, panelled

WIDTH, HEIGHT = 230, 150


def bands_and_levels(
    bands: pl.DataFrame,
    levels: pl.DataFrame,
    *,
    title: str,
    x_title: str,
    y_title: str,
    measured: str,
    subtitle: str = "",
    columns: int = 3,
) -> alt.TopLevelMixin:
    """A line of means within the band of their intervals, and a horizontal line for every level; one scale for all.

    Args:
        bands: columns panel, x, mean, low, high, all shares. Panels keep the order in which they appear. An interval
            that is not known is not drawn.
        levels: columns panel, kind, level. The first kind is solid, the others are dashed.
        title, x_title, y_title, subtitle: words.
        measured: what line and band are, for the legend.
        columns: panels side by side.
    """
    need(bands, ["panel", "x", "mean", "low", "high"])
    panels, kinds = (
        table[name].unique(maintain_order=True).to_list() for table, name in ((bands, "panel"), (levels, "kind"))
    )
    domain = [measured, *kinds]
    legend = alt.Legend(
        title=None, orient="bottom", symbolType="stroke", symbolSize=300, labelLimit=420, columns=2, symbolOpacity=1
    )
    hues, dashes = [DENSE, *CATEGORIES[1 : len(domain)]], [[1, 0], [1, 0], *[[6, 4]] * (len(kinds) - 1)]
    colour = alt.Color("kind:N", scale=alt.Scale(domain=domain, range=hues), legend=legend)
    dash = alt.StrokeDash("kind:N", scale=alt.Scale(domain=domain, range=dashes[: len(domain)]), legend=legend)
    numbers = [pl.col(name).cast(pl.Float64).round_sig_figs(4).fill_nan(None) for name in ("mean", "low", "high")]
    records = [
        *bands.select("panel", pl.col("x").cast(pl.Float64), *numbers, kind=pl.lit(measured)).to_dicts(),
        *levels.select("panel", "kind", pl.col("level").cast(pl.Float64)).to_dicts(),
    ]
    x = alt.X(
        "x:Q", title=x_title, scale=alt.Scale(nice=False), axis=alt.Axis(labelExpr=SHORT, tickCount=4, grid=False)
    )
    y = alt.Y("mean:Q", title=y_title, axis=alt.Axis(format="%", tickCount=5), scale=alt.Scale(domainMin=0, clamp=True))
    points, marks = (alt.Chart().transform_filter(f"isValid(datum.{name})") for name in ("x", "level"))
    layers = alt.layer(
        points.mark_area(color=DENSE, opacity=0.2).encode(x=x, y=alt.Y("low:Q", title=y_title), y2="high:Q"),
        points.mark_line(strokeWidth=1.8).encode(x=x, y=y, color=colour, strokeDash=dash),
        marks.mark_rule(strokeWidth=1.6).encode(y=alt.Y("level:Q", title=y_title), color=colour, strokeDash=dash),
        data=inline(records),
    ).properties(width=WIDTH, height=HEIGHT)
    figure = panelled(layers, panels, columns=min(columns, len(panels)))
    return figure.properties(title=heading(title, subtitle))  # type: ignore[no-any-return]
