"""Counts beside shares: bars of means over runs, the range of single runs, and what theory expects."""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import Figure, alt
from glassware.charts.labels import need
from glassware.charts.theme import INK, MUTED, heading, inline, panelled

STEP, HEIGHT = 13, 130  # pixels of a bar, of a panel
NARROWEST, WIDEST = 170, 480
LETTER = 7  # pixels
COUNT, SHARE = "counts", "shares"


def counts_beside_shares(
    table: pl.DataFrame,
    *,
    title: str,
    x_title: str,
    count_title: str,
    share_title: str,
    expected_title: str,
    subtitle: str | list[str] = "",
) -> alt.TopLevelMixin:
    """One row of two panels per ``panel``: counts on the left, shares on the right; rows share their scales.

    A bar is a mean over runs, with a line from the smallest to the largest of them and a tick where theory expects it.

    Args:
        table: columns panel, x, side (``counts`` or ``shares``), value, low, high, expected (null: theory says
            nothing), colour. Panels and x keep the order in which they appear.
        title, x_title, count_title, share_title, subtitle: words.
        expected_title: what the tick is, for the legend.
    """
    need(table, ["panel", "x", "side", "value", "low", "high", "expected", "colour"])
    panels, order = (table[name].unique(maintain_order=True).to_list() for name in ("panel", "x"))
    x = alt.X(
        "x:O",
        sort=order,
        title=x_title,
        axis=alt.Axis(labelAngle=0, grid=False, labelOverlap="greedy", labelSeparation=4),
    )
    tick = alt.StrokeDash(
        "what:N",
        scale=alt.Scale(domain=[expected_title], range=[[1, 0]]),
        legend=alt.Legend(
            title=None, orient="bottom", symbolType="stroke", symbolStrokeColor=INK, symbolSize=200, labelLimit=420
        ),
    )
    letters = LETTER * sum(len(str(label)) + 1 for label in order)  # so that every name of an irrep has room
    size = {"width": min(WIDEST, max(NARROWEST, STEP * len(order), letters)), "height": HEIGHT}
    views: list[Figure] = []
    for side, words, ticks in (
        (COUNT, count_title, alt.Axis(tickCount=4, tickMinStep=1)),
        (SHARE, share_title, alt.Axis(tickCount=4, format=".2~%")),
    ):
        records = [{**row, "what": expected_title} for row in table.filter(side=side).to_dicts()]
        base = alt.Chart().encode(x=x)
        y = alt.Y("value:Q", title=words, axis=ticks, scale=alt.Scale(domainMin=0))
        layers = [
            base.mark_bar(opacity=0.75).encode(y=y, color=alt.Color("colour:N", scale=None)),
            base.mark_rule(color=MUTED, strokeWidth=1.2).encode(y="low:Q", y2="high:Q"),
            base.transform_filter("isValid(datum.expected)")
            .mark_rule(color=INK, strokeWidth=1.6)
            .encode(x=alt.X("x:O", sort=order, bandPosition=0), x2=alt.X2("x:O", bandPosition=1))
            .encode(y="expected:Q", strokeDash=tick),
        ]
        view = panelled(alt.layer(*layers, data=inline(records)).properties(**size), panels, columns=1, spacing=30)
        views.append(view.properties(bounds="flush"))  # so that the panels of both sides stand level
    return alt.hconcat(*views, spacing=34).properties(title=heading(title, subtitle))  # type: ignore[no-any-return]
