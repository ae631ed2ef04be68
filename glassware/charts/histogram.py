"""Histograms with theoretical distributions drawn over them, as small multiples."""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.labels import need
from glassware.charts.theme import CATEGORIES, DENSE, SHORT, heading, inline, panelled

SIZES = {1: (460, 260), 2: (360, 210)}
SMALL = (270, 190)


def histogram(
    bars: pl.DataFrame, laws: pl.DataFrame, *, title: str, x_title: str, y_title: str, subtitle: str = ""
) -> alt.TopLevelMixin:
    """Bars, with lines over them for what some law predicts; every panel has axes of its own.

    Args:
        bars: columns panel, left, right, share. Panels keep their order.
        laws: columns panel, kind, x, share: one line per panel and kind.
        title, x_title, y_title, subtitle: text.
    """
    need(bars, ["panel", "left", "right", "share"])
    panels = bars["panel"].unique(maintain_order=True).to_list()
    kinds = laws["kind"].unique(maintain_order=True).to_list()
    across = min(3, len(panels))
    width, height = SIZES.get(across, SMALL)
    x = alt.X(
        "x:Q", title=x_title, axis=alt.Axis(labelExpr=SHORT, tickCount=6, grid=False), scale=alt.Scale(nice=False)
    )
    y = alt.Y("share:Q", title=y_title, axis=alt.Axis(format="%", tickCount=5), scale=alt.Scale(domainMin=0))
    records = [
        *({**bar, "x": bar["left"], "kind": None} for bar in bars.to_dicts()),
        *({**point, "right": None} for point in laws.to_dicts()),
    ]
    base = alt.Chart()
    shares = [alt.Tooltip("left:Q", title="from"), alt.Tooltip("right:Q", title="to")]
    layers = [
        base.transform_filter("isValid(datum.right)")
        .mark_bar(color=DENSE, opacity=0.75, stroke="white", strokeWidth=0.4, binSpacing=0)
        .encode(
            x=x,
            x2="right:Q",
            y=y,
            y2=alt.datum(0),
            tooltip=[*shares, alt.Tooltip("share:Q", title=y_title, format=".2%")],
        ),
        base.transform_filter("isValid(datum.kind)")
        .mark_line(strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "kind:N",
                sort=kinds,
                scale=alt.Scale(domain=kinds, range=CATEGORIES[1 : 1 + len(kinds)]),
                legend=alt.Legend(title=None, orient="bottom", symbolType="stroke", labelLimit=420),
            ),
        ),
    ]
    chart = alt.layer(*layers, data=inline(records)).properties(width=width, height=height)
    figure = panelled(chart, panels, columns=across, spacing=24, own_x=True)
    return figure.resolve_scale(x="independent", y="independent").properties(title=heading(title, subtitle))  # type: ignore[no-any-return]
