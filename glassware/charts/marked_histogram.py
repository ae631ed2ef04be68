"""Histograms as small multiples, with a marked value in each."""

from __future__ import annotations

import numpy as np
import polars as pl

from glassware.charts.backend import Record, alt
from glassware.charts.labels import need
from glassware.charts.theme import CATEGORIES, INK, MUTED, heading, inline, panelled

WIDTH, HEIGHT = 260, 150


def marked_histogram(
    table: pl.DataFrame,
    *,
    value: str,
    kind: str,
    panel: str,
    mark: str,
    title: str,
    x_title: str,
    mark_title: str,
    subtitle: str = "",
    columns: int = 2,
    bins: int = 40,
) -> alt.TopLevelMixin:
    """Share of the values in each bin, the kinds side by side within it; every panel has its own axes.

    Args:
        table: one row per value. Panels and kinds keep the order in which they appear.
        value, kind, panel: columns.
        mark: column with the value to mark in a panel, constant within the panel.
        mark_title: what the marked value is, for the legend.
        columns: panels side by side.
        bins: number of bins per panel.
    """
    need(table, [value, kind, panel, mark])
    kinds, panels = (table[column].unique(maintain_order=True).to_list() for column in (kind, panel))
    bars: list[Record] = []
    marks: list[Record] = []
    for name in panels:
        part = table.filter(pl.col(panel) == name)
        edges = np.histogram_bin_edges(np.append(part[value].to_numpy(), [0.0, part[mark][0]]), bins)
        for place, which in enumerate(kinds):
            found = part.filter(pl.col(kind) == which)[value].to_numpy()
            shares = np.histogram(found, edges)[0] / max(1, len(found))
            bars += [
                {
                    "panel": name,
                    "kind": which,
                    "from": float(a),
                    "to": float(b),
                    "left": float(a + (b - a) * place / len(kinds)),
                    "right": float(a + (b - a) * (place + 1) / len(kinds)),
                    "share": float(s),
                }
                for a, b, s in zip(edges, edges[1:], shares, strict=False)
                if s
            ]
        marks.append({"panel": name, "mark": float(part[mark][0]), "what": mark_title, "zero": 0.0})
    hue = alt.Color(
        "kind:N",
        sort=kinds,
        scale=alt.Scale(domain=kinds, range=CATEGORIES),
        legend=alt.Legend(title=None, orient="bottom", direction="horizontal"),
    )
    x = alt.X(
        "left:Q", title=x_title, scale=alt.Scale(nice=False), axis=alt.Axis(tickCount=4, grid=False, labelFlush=False)
    )
    y = alt.Y("share:Q", title="share of draws", stack=None, axis=alt.Axis(format="%", tickCount=4))
    base = alt.Chart().transform_filter("isValid(datum.share)")
    tooltip = ["kind:N", "from:Q", "to:Q", alt.Tooltip("share:Q", format=".1%")]
    bar = base.mark_rect().encode(x=x, x2="right:Q", y=y, y2=alt.datum(0), color=hue, tooltip=tooltip)
    dash = alt.StrokeDash(
        "what:N",
        scale=alt.Scale(domain=[mark_title], range=[[5, 3]]),
        legend=alt.Legend(title=None, orient="bottom", symbolStrokeColor=INK, symbolType="stroke"),
    )
    marked = alt.Chart().transform_filter("isValid(datum.mark)")
    rule = marked.mark_rule(color=INK, strokeWidth=1.6).encode(x="mark:Q", strokeDash=dash)
    zero = marked.mark_rule(color=MUTED, strokeWidth=1).encode(x="zero:Q")
    chart = alt.layer(bar, zero, rule, data=inline([*bars, *marks])).properties(width=WIDTH, height=HEIGHT)
    figure = panelled(chart, panels, columns=columns, spacing=24, own_x=True)
    return figure.resolve_scale(x="independent", y="independent").properties(title=heading(title, subtitle))  # type: ignore[no-any-return]
