"""Error against training size, one panel per table: measurements as lines, a paper's printed values as dots."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.labels import need
from glassware.charts.theme import CATEGORIES, heading, inline

SIZE = {"width": 165, "height": 130}
FEW_TICKS = 6  # an axis with at most this many values labels them all


def error_panels(
    table: pl.DataFrame,
    *,
    title: str,
    subtitle: str = "",
    x: str = "rows",
    x_title: str = "training rows",
    y_title: str = "test error",
    columns: int = 4,
    colours: Mapping[str, str] | None = None,
    log_x: bool = True,
    own_y: bool = True,
) -> alt.TopLevelMixin:
    """Lines and dots in the colour of their kind.

    Args:
        table: columns panel, kind, the one named by ``x``, error, and ``printed`` (whether a paper prints the value:
            drawn dotted, with open dots); where there are columns low and high, bars of intervals. Panels and kinds
            keep the order in which they appear.
        title, subtitle, x_title, y_title: text.
        x: column of the horizontal axis.
        columns: panels side by side.
        colours: kind to colour; by default each has its own hue.
        log_x: whether the horizontal axis is logarithmic.
        own_y: whether every panel has its own vertical axis, as tables of different difficulty need.
    """
    need(table, ["panel", "kind", x, "error", "printed"])
    kinds, panels = (table[name].unique(maintain_order=True).to_list() for name in ("kind", "panel"))
    hues = [(colours or {}).get(kind, CATEGORIES[i % len(CATEGORIES)]) for i, kind in enumerate(kinds)]
    ends = [column for column in ("low", "high") if column in table.columns]
    records = table.select("panel", "kind", "printed", "error", *ends, x=pl.col(x)).to_dicts()
    values = sorted(set(table[x]))
    ticks = alt.Axis(values=values, labelOverlap="greedy") if len(values) <= FEW_TICKS else alt.Axis(tickCount=3)
    ticks.format, ticks.grid = "~s", False
    colour = alt.Color(
        "kind:N",
        sort=kinds,
        scale=alt.Scale(domain=kinds, range=hues),
        legend=alt.Legend(
            title=None, orient="bottom", direction="horizontal", columns=3, symbolType="stroke", symbolOpacity=1
        ),
    )
    scale = alt.Scale(type="log", nice=False, padding=8) if log_x else alt.Scale(nice=False, padding=8)
    base = alt.Chart().encode(
        x=alt.X("x:Q", title=x_title, scale=scale, axis=ticks),
        y=alt.Y("error:Q", title=y_title, scale=alt.Scale(zero=False), axis=alt.Axis(format=".1~%", tickCount=4)),
        color=colour,
        tooltip=["panel:N", "kind:N", alt.Tooltip("x:Q", title=x_title), alt.Tooltip("error:Q", format=".1%")],
    )
    ours, theirs = base.transform_filter("!datum.printed"), base.transform_filter("datum.printed")
    layers = [
        theirs.mark_line(strokeWidth=1.6, strokeDash=[2, 3]),
        theirs.mark_point(size=28, filled=False, strokeWidth=1.4),
        *([ours.mark_rule(strokeWidth=1.6, opacity=0.5).encode(y="low:Q", y2="high:Q")] if ends else []),
        ours.mark_line(strokeWidth=1.8),
        ours.mark_point(size=26, filled=True, opacity=1),
    ]
    facet = alt.Facet("panel:N", sort=panels, title=None, header=alt.Header(labelAnchor="start", labelPadding=4))
    layered = alt.layer(*layers, data=inline(records)).properties(**SIZE)
    figure = layered.facet(facet=facet, columns=min(columns, len(panels)), spacing=18)
    if own_y:
        figure = figure.resolve_scale(x="independent", y="independent")
    return figure.properties(title=heading(title, subtitle))  # type: ignore[no-any-return]
