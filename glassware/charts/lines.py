"""Many lines against a quantity, as small multiples: curves of single runs, weights during training."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from glassware.charts.backend import Figure, Spec, alt
from glassware.charts.labels import need
from glassware.charts.theme import CATEGORIES, SHORT, heading, inline, log_axis, panelled

SIZES = {1: (460, 260), 2: (330, 190), 3: (300, 170)}
SMALL = (215, 140)
DIGITS = 4  # significant: finer than a pixel


def lines(
    table: pl.DataFrame,
    *,
    x: str,
    y: str,
    line: str,
    kind: str,
    panel: str,
    title: str,
    x_title: str,
    y_title: str,
    subtitle: str = "",
    colours: Mapping[str, str] | None = None,
    columns: int = 4,
    log_x: bool = False,
    log_y: bool = False,
    y_domain: tuple[float, float] | None = None,
    percent: bool = False,
    own_x: bool = True,
    own_y: bool = False,
) -> alt.TopLevelMixin:
    """One thin line per value of ``line``, in the colour of its ``kind``, in its own panel.

    Args:
        table: one row per point. Panels and kinds keep the order in which they appear; later kinds are drawn on top.
        x, y, line, kind, panel: columns.
        colours: kind to colour; by default each has its own hue.
        columns: panels side by side.
        log_x, log_y: logarithmic axes; points that are not positive are left out.
        y_domain: ends of the vertical axis.
        percent: whether y is a share.
        own_x, own_y: whether every panel has its own axis (a logarithmic one only if each panel has two values).
    """
    need(table, [x, y, line, kind, panel])
    kinds, panels = _order(table, kind), _order(table, panel)
    hues = [(colours or {}).get(name, CATEGORIES[i % len(CATEGORIES)]) for i, name in enumerate(kinds)]
    if log_x:
        table = table.filter(pl.col(x) > 0)
    if log_y:
        table = table.filter(pl.col(y) > 0)
    need(table, [])
    records = (
        table.group_by(panel, kind, line, maintain_order=True)
        .agg(pl.col(x).cast(pl.Float64), pl.col(y).cast(pl.Float64).round_sig_figs(DIGITS))
        .select(panel=pl.col(panel), kind=pl.col(kind), line=pl.col(line).cast(pl.String), x=pl.col(x), y=pl.col(y))
        .with_columns(
            rank=pl.col("kind").replace_strict(kinds, range(len(kinds))),
            lone=pl.col("x").list.len() == 1,  # a line of one point would be invisible: draw a dot
        )
        .sort("rank", maintain_order=True)
        .to_dicts()
    )
    if log_x and table.group_by(panel).agg(pl.col(x).n_unique())[x].min() == 1:
        own_x = False  # an axis of length zero: all its ticks would coincide
    across = min(columns, len(panels))
    width, height = SIZES.get(across, SMALL)
    base = alt.Chart(inline(records)).encode(
        x=alt.X("x:Q", title=x_title, scale=_scale(log_x), axis=_x_axis(table[x], log_x)),
        y=alt.Y("y:Q", title=y_title, scale=_scale(log_y, y_domain), axis=_y_axis(table[y], log_y, percent)),
        color=alt.Color(
            "kind:N",
            sort=kinds,
            scale=alt.Scale(domain=kinds, range=hues),
            legend=alt.Legend(
                title=None, orient="bottom", direction="horizontal", symbolType="stroke", symbolOpacity=1, columns=4
            ) if len(kinds) > 1 else None,
        ),
        detail=["line:N", "rank:O"],
    )  # fmt: skip
    chart: Figure = base.mark_line(strokeWidth=1.3, strokeOpacity=0.7)
    if any(record["lone"] for record in records):
        chart = alt.layer(chart, base.transform_filter("datum.lone").mark_point(filled=True, size=30, opacity=1))
    figure = panelled(chart.properties(width=width, height=height), panels, columns=across)
    if own_x or own_y:
        figure = figure.resolve_scale(x="independent" if own_x else "shared", y="independent" if own_y else "shared")
    return figure.transform_flatten(["x", "y"]).properties(title=heading(title, subtitle))  # type: ignore[no-any-return]


def _order(table: pl.DataFrame, column: str) -> list[str]:
    return table[column].unique(maintain_order=True).to_list()


def _scale(log: bool, domain: tuple[float, float] | None = None) -> alt.Scale:
    more: Spec = {} if domain is None else {"domain": list(domain), "clamp": True}
    return alt.Scale(type="log", nice=False, **more) if log else alt.Scale(nice=False, zero=False, **more)


def _x_axis(values: pl.Series, log: bool) -> alt.Axis:
    if log and values.n_unique() == 1:  # even all panels together have a single value
        return alt.Axis(labelExpr=SHORT, values=[float(values[0])], grid=False)
    if log:
        return log_axis(float(values.min()), float(values.max()), grid=False, labelOverlap="greedy")  # type: ignore[arg-type]
    return alt.Axis(labelExpr=SHORT, tickCount=4, grid=False)


def _y_axis(values: pl.Series, log: bool, percent: bool) -> alt.Axis:
    if log:
        axis = log_axis(float(values.min()), float(values.max()), labelOverlap="greedy")  # type: ignore[arg-type]
        axis.labelExpr = "format(datum.value, '~')"  # 0.05 rather than 50m
        return axis
    return alt.Axis(format="%", tickCount=5) if percent else alt.Axis(tickCount=5)
