"""Single neurons: their weights, and beside them what they are made of."""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.labels import need
from glassware.charts.theme import CATEGORIES, heading, inline

WIDTH, NARROW, HEIGHT = 330, 200, 84
SIDES = ("u", "v", "w")  # the same colours everywhere
MANY = 14  # bars; more have names too close to read


def neuron_panels(
    values: pl.DataFrame,
    curves: pl.DataFrame,
    bars: pl.DataFrame,
    *,
    title: str,
    x_title: str,
    bar_x_title: str,
    bar_title: str,
    subtitle: str = "",
) -> alt.TopLevelMixin:
    """One row per neuron: its weights as dots with curves through them, and bars; every row has the same axes.

    Args:
        values: columns neuron, side (u, v or w), x and y: the weights.
        curves: the same columns: lines behind the dots, where there are any.
        bars: the same columns, where x is a name; heights that are never negative have an axis up to 1.
        title, subtitle: words; x_title, bar_x_title, bar_title: of the axes.
    """
    need(values, ["neuron", "side", "x", "y"])
    need(bars, ["neuron", "side", "x", "y"])
    top = 1.05 * max(float(table["y"].abs().max() or 0) for table in (values, curves) if len(table)) or 1.0  # type: ignore[arg-type]
    names = bars["x"].unique(maintain_order=True).to_list()
    high = float(bars["y"].abs().max() or 1)  # type: ignore[arg-type]
    heights = [0.0, max(1.0, high)] if bars["y"].min() >= 0 else [-1.05 * high, 1.05 * high]  # type: ignore[operator]
    sides = [side for side in SIDES if side in {*values["side"], *bars["side"]}]
    rows = values["neuron"].unique(maintain_order=True).to_list()
    hue = alt.Color(
        "side:N",
        scale=alt.Scale(domain=list(SIDES), range=CATEGORIES[: len(SIDES)]),
        legend=alt.Legend(title=None, orient="right", values=sides),
    )
    views = []
    for neuron in rows:
        bottom = neuron == rows[-1]
        dots, lines, parts = (inline(_rows(table, neuron)) for table in (values, curves, bars))
        x = alt.X("x:Q", title=x_title if bottom else None, scale=alt.Scale(nice=False, padding=6),
                  axis=alt.Axis(grid=False, tickMinStep=1))  # fmt: skip
        y = alt.Y("y:Q", title="weight", scale=alt.Scale(domain=[-top, top], nice=False), axis=alt.Axis(tickCount=3))
        line = alt.Chart(lines).mark_line(strokeWidth=1.2, opacity=0.55).encode(x=x, y=y, color=hue)
        dot = alt.Chart(dots).mark_point(filled=True, size=18, opacity=1).encode(x=x, y=y, color=hue)
        left = alt.layer(line, dot) if len(curves) else alt.layer(dot)
        crowded = len(names) > MANY
        name_axis = alt.Axis(labels=bottom, labelAngle=-90 if crowded else -30 if max(map(len, names)) > 3 else 0,
                             ticks=bottom, labelOverlap="greedy" if crowded else False, grid=False)  # fmt: skip
        bar = alt.Chart(parts).mark_bar().encode(
            x=alt.X("x:N", sort=names, title=bar_x_title if bottom else None, axis=name_axis),
            xOffset=alt.XOffset("side:N", sort=list(SIDES)),
            y=alt.Y("y:Q", title=bar_title, scale=alt.Scale(domain=heights, nice=False),
                    axis=alt.Axis(tickCount=3)),
            color=hue,
        )  # fmt: skip
        words = alt.TitleParams(neuron, fontSize=12, anchor="start", offset=3)
        left = left.properties(width=WIDTH, height=HEIGHT, title=words)
        views.append(alt.hconcat(left, bar.properties(width=NARROW, height=HEIGHT), spacing=18))
    return alt.vconcat(*views, spacing=8).properties(title=heading(title, subtitle))  # type: ignore[no-any-return]


def stacked(*charts: alt.TopLevelMixin) -> alt.TopLevelMixin:
    """Charts below one another, each with its own axes and colours."""
    figure = alt.vconcat(*charts, spacing=30)  # type: ignore[arg-type]
    return figure.resolve_scale(color="independent")  # type: ignore[no-any-return]


def _rows(table: pl.DataFrame, neuron: str) -> list[dict[str, object]]:
    return table.filter(neuron=neuron).select("side", "x", pl.col("y").round_sig_figs(4)).to_dicts()
