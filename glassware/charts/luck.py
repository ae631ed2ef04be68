"""Data against compute: what one success costs at each number of examples, and the Pareto front."""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import Figure, alt
from glassware.charts.labels import labels, name, need, number
from glassware.charts.theme import INK, MUTED, PICK, colours, heading, inline, log_axis

NEEDED = ("examples", "flops", "flops_low", "flops_high", "width", "init", "tries", "cutoff")


def data_against_compute(
    prices: pl.DataFrame, front: pl.DataFrame, *, title: str, subtitle: str | list[str] = "", m: int | None = None
) -> alt.TopLevelMixin:
    """A dot for every priced cell, both axes logarithmic; the front as a staircase with intervals and widths.

    Args:
        prices: one row per cell; cells without a price are not drawn.
        front: those of its rows that lie on the front.
        title, subtitle: the heading.
        m: examples available, drawn as a line; None for no line.
    """
    need(front, NEEDED)
    table = prices.filter(pl.col("flops").is_not_null())
    hues, order = labels(table, "init")
    best = set(front.select(NEEDED).iter_rows())
    records = [
        {
            "x": row["examples"],
            "y": row["flops"],
            "low": row["flops_low"],
            "high": row["flops_high"],
            "init": hue,
            "label": f"r = {number(row['width'])}" if row["width"] else "",
            "front": tuple(row[column] for column in NEEDED) in best,
            "tries": row["tries"],
            "cutoff": row["cutoff"],
        }
        for row, hue in zip(table.iter_rows(named=True), hues, strict=True)
    ]
    xs, ys = table["examples"], [r[end] for r in records for end in ("low", "y", "high") if r[end] is not None]
    x = alt.X(
        "x:Q",
        title="examples a try needs",
        scale=alt.Scale(type="log", nice=False, padding=24),
        axis=log_axis(float(min(*xs, m or xs[0])), float(max(*xs, m or xs[0])), grid=False),
    )
    y = alt.Y(
        "y:Q",
        title="expected FLOPs to one success",
        scale=alt.Scale(type="log", nice=False, padding=16),
        axis=_powers(min(ys), max(ys)),
    )
    colour = alt.Color(
        "init:N",
        sort=order,
        scale=colours("init", order, numeric=False),
        legend=alt.Legend(title=name("init"), symbolSize=90, symbolOpacity=1),
    )
    tooltip = [
        alt.Tooltip("label:N", title="width"),
        alt.Tooltip("init:N", title=name("init")),
        alt.Tooltip("x:Q", title="examples", format=",.0f"),
        alt.Tooltip("y:Q", title="FLOPs to one success", format=".3~s"),
        alt.Tooltip("low:Q", title="interval from", format=".3~s"),
        alt.Tooltip("high:Q", title="to", format=".3~s"),
        alt.Tooltip("cutoff:Q", title="cut-off, steps", format=",.0f"),
        alt.Tooltip("tries:Q", title="mean tries", format=".3~g"),
    ]
    base = alt.Chart().encode(x=x)
    on_front = base.transform_filter("datum.front")
    layers: list[Figure] = [
        on_front.mark_line(interpolate="step-after", strokeWidth=1.5, color=MUTED).encode(y=y),
        base.transform_filter("!datum.front")
        .mark_point(filled=True, size=45, opacity=0.4)
        .encode(y=y, color=colour, tooltip=tooltip),
        base.transform_filter("!datum.front")
        .mark_rule(strokeWidth=1.2, opacity=0.3)
        .encode(y=alt.Y("low:Q"), y2="high:Q", color=colour),
        on_front.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q"), y2="high:Q", color=colour),
        on_front.mark_point(filled=True, size=100, opacity=1, stroke="white", strokeWidth=0.8).encode(
            y=y, color=colour, tooltip=tooltip
        ),
        on_front.mark_text(align="left", dx=9, dy=-10, fontSize=12, color=INK).encode(y=y, text="label:N"),
    ]
    if m is not None:
        here = alt.Chart(inline([{"x": m, "words": f"{m:,} examples available"}]))
        ruled = here.mark_rule(color=PICK, strokeDash=[4, 3]).encode(x="x:Q")
        said = here.mark_text(color=PICK, align="left", baseline="top", dx=5).encode(
            x="x:Q", y=alt.value(2), text="words:N"
        )
        layers = [ruled, *layers, said]  # the line behind the dots
    drawn = alt.layer(*layers, data=inline(records)).properties(width=460, height=320)
    return drawn.properties(title=heading(title, subtitle))


def _powers(low: float, high: float) -> alt.Axis:
    """A log axis with its ticks written as 1e9, 2e9, 5e9."""
    axis = log_axis(low, high, labelOverlap="greedy")
    axis.labelExpr = "replace(format(datum.value, '~e'), '+', '')"
    return axis
