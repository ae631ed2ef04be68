"""Histograms of shares, on the axis from 0 to 1, as small multiples."""

from __future__ import annotations

import numpy as np
import polars as pl

from glassware.charts.backend import Record, alt
from glassware.charts.labels import need
from glassware.charts.theme import CATEGORIES, heading, inline, panelled

WIDTH, HEIGHT = 250, 150


def unit_histogram(
    table: pl.DataFrame,
    *,
    value: str,
    kind: str,
    panel: str,
    title: str,
    x_title: str,
    y_title: str,
    subtitle: str | list[str] = "",
    columns: int = 3,
    bins: int = 40,
) -> alt.TopLevelMixin:
    """Share of the values in each bin, the kinds side by side within it; one scale for all panels.

    Args:
        table: one row per value between 0 and 1. Panels and kinds keep the order in which they appear.
        value, kind, panel: columns.
        title, x_title, y_title, subtitle: words.
        columns: panels side by side.
        bins: bins from 0 to 1.
    """
    need(table, [value, kind, panel])
    kinds, panels = (table[column].unique(maintain_order=True).to_list() for column in (kind, panel))
    edges = np.linspace(0, 1, bins + 1)
    records: list[Record] = []
    for place in panels:
        own = table.filter(pl.col(panel) == place)
        shown = own[kind].unique(maintain_order=True).to_list()
        thin = 1 / (bins * len(shown))
        for i, which in enumerate(shown):
            found = own.filter(pl.col(kind) == which)[value].to_numpy()
            # A float32 may exceed 1 by rounding; what is not a number is no share.
            shares = np.histogram(np.clip(found[np.isfinite(found)], 0, 1), edges)[0] / len(found)
            for left, share in zip(edges.tolist(), shares.tolist(), strict=False):
                ends = {"left": left + i * thin, "right": left + (i + 1) * thin, "from": left, "to": left + 1 / bins}
                records += [{"panel": place, "kind": which, "share": share, **ends}] if share else []
    hue = alt.Color(
        "kind:N",
        sort=kinds,
        scale=alt.Scale(domain=kinds, range=CATEGORIES),
        legend=alt.Legend(title=None, orient="bottom", direction="horizontal") if len(kinds) > 1 else None,
    )
    x = alt.X(
        "left:Q",
        title=x_title,
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f", grid=False),
    )
    y = alt.Y(
        "share:Q", title=y_title, stack=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%", tickCount=5)
    )
    tooltip = ["kind:N", "from:Q", "to:Q", alt.Tooltip("share:Q", title=y_title, format=".1%")]
    chart = alt.Chart(inline(records)).mark_rect().encode(
        x=x, x2="right:Q", y=y, y2=alt.datum(0), color=hue, tooltip=tooltip
    )  # fmt: skip
    figure = panelled(chart.properties(width=WIDTH, height=HEIGHT), panels, columns=columns)
    return figure.properties(title=heading(title, subtitle))  # type: ignore[no-any-return]
