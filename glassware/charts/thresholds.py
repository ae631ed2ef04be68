"""Thresholds with their intervals against the size of a problem, and the laws fitted to them."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from glassware.charts.backend import Record, Spec, alt
from glassware.charts.labels import need
from glassware.charts.theme import CATEGORIES, HEAT, SEQUENCE, SHORT, heading, inline, log_axis

WIDTH, HEIGHT = 520, 340
ROOM = 1.12  # beyond the outermost points


def thresholds(
    points: pl.DataFrame,
    laws: pl.DataFrame,
    *,
    title: str,
    x_title: str,
    y_title: str,
    subtitle: str | list[str] = "",
    colours: Mapping[str, str] | None = None,
    log_y: bool = True,
) -> alt.TopLevelMixin:
    """A dot per size with its interval, and a line per law; both in the colour of their kind.

    Args:
        points: columns kind, x, y, low, high. A null end is open: its bar runs to the edge and ends in an arrow. A null
            y has a bar but no dot.
        laws: columns kind, x, y; a smooth line per kind.
        title, x_title, y_title, subtitle: words.
        colours: kind to colour; a hue each unless given.
        log_y: whether the vertical axis is logarithmic, as the horizontal one is.
    """
    need(points, ["kind", "x", "y", "low", "high"])
    kinds = points["kind"].unique(maintain_order=True).to_list()
    hues = [(colours or {}).get(kind, CATEGORIES[i % len(CATEGORIES)]) for i, kind in enumerate(kinds)]
    known = [float(v) for v in points.select("y", "low", "high").unpivot()["value"].drop_nulls()]
    bottom, top = min(known) / ROOM if log_y else 0.0, max(known) * ROOM
    sizes = sorted(set(points["x"].to_list()))
    left, right = sizes[0] / ROOM, sizes[-1] * ROOM
    records: list[Record] = [
        {
            **row,
            "from": bottom if row["low"] is None else row["low"],
            "to": top if row["high"] is None else row["high"],
            "open": None if row["high"] is not None else top,
            "open_below": None if row["low"] is not None else bottom,
            "line": False,
        }
        for row in points.select("kind", "x", "y", "low", "high").iter_rows(named=True)
    ]
    drawn = laws.filter(pl.col("y").is_between(bottom, top)) if len(laws) else laws
    records += [{**row, "line": True} for row in drawn.iter_rows(named=True)]
    y_axis = log_axis(bottom, top, labelOverlap="greedy") if log_y else alt.Axis(tickCount=6)
    scale = alt.Scale(type="log" if log_y else "linear", domain=[bottom, top], nice=False, clamp=True)
    encoded: Spec = {
        "x": alt.X(
            "x:Q",
            title=x_title,
            scale=alt.Scale(type="log", nice=False, domain=[left, right]),
            axis=alt.Axis(values=sizes, tickCount=len(sizes), labelExpr=SHORT, grid=False, labelOverlap="greedy"),
        ),
        "color": alt.Color(
            "kind:N",
            sort=kinds,
            scale=alt.Scale(domain=kinds, range=hues),
            legend=alt.Legend(title=None, orient="bottom", direction="horizontal", columns=3, labelLimit=420),
        ),
    }
    base = alt.Chart().encode(**encoded)
    measured = base.transform_filter("!datum.line")
    height = lambda field: alt.Y(f"{field}:Q", title=y_title, scale=scale, axis=y_axis)
    tooltip = [alt.Tooltip("kind:N"), alt.Tooltip("x:Q", title=x_title), alt.Tooltip("y:Q", format=".3~g"),
               alt.Tooltip("low:Q", format=".3~g"), alt.Tooltip("high:Q", format=".3~g")]  # fmt: skip
    arrow: Spec = {"filled": True, "size": 60, "opacity": 1}
    layers = [
        base.transform_filter("datum.line").mark_line(strokeWidth=1.6, opacity=0.8).encode(y=height("y")),
        measured.mark_rule(strokeWidth=1.8, opacity=0.7).encode(y=height("from"), y2="to:Q"),
        measured.transform_filter("isValid(datum.open)").mark_point(shape="triangle-up", **arrow).encode(
            y=height("open")
        ),
        measured.transform_filter("isValid(datum.open_below)").mark_point(shape="triangle-down", **arrow).encode(
            y=height("open_below")
        ),
        measured.transform_filter("isValid(datum.y)")
        .mark_point(filled=True, size=55, opacity=1, stroke="white", strokeWidth=0.7)
        .encode(y=height("y"), tooltip=tooltip),
    ]  # fmt: skip
    chart = alt.layer(*layers, data=inline(records))
    return chart.properties(width=WIDTH, height=HEIGHT, title=heading(title, subtitle))


def shares(
    points: pl.DataFrame, curves: pl.DataFrame, *, title: str, x_title: str, y_title: str, subtitle: str = ""
) -> alt.TopLevelMixin:
    """Shares of successes against a quantity, a dot per cell as large as its number of trials, and fitted curves.

    Args:
        points: columns kind, x, share, trials; kinds keep the order in which they appear.
        curves: columns kind, x, share.
        title, x_title, y_title, subtitle: words.
    """
    need(points, ["kind", "x", "share", "trials"])
    kinds = points["kind"].unique(maintain_order=True).to_list()
    records: list[Record] = [{**row, "line": False} for row in points.iter_rows(named=True)]
    records += [{**row, "line": True} for row in curves.iter_rows(named=True)]
    left, right = min(points["x"].to_list()), max(points["x"].to_list())
    base = alt.Chart().encode(
        x=alt.X(
            "x:Q",
            title=x_title,
            scale=alt.Scale(type="log", nice=False, padding=8),
            axis=log_axis(left, right, grid=False, labelOverlap="greedy"),
        ),
        y=alt.Y("share:Q", title=y_title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%", tickCount=5)),
        color=alt.Color(
            "kind:N",
            sort=kinds,
            scale=alt.Scale(domain=kinds, scheme=alt.SchemeParams(name=HEAT, extent=SEQUENCE)),
            legend=alt.Legend(title=None, symbolOpacity=1),
        ),
    )
    dots = base.transform_filter("!datum.line").mark_point(filled=True, opacity=0.75, stroke="white", strokeWidth=0.5)
    layers = [
        base.transform_filter("datum.line").mark_line(strokeWidth=2),
        dots.encode(
            size=alt.Size("trials:Q", title="trials", scale=alt.Scale(range=[30, 260], zero=False)),
            tooltip=["kind:N", "x:Q", alt.Tooltip("share:Q", format=".0%"), "trials:Q"],
        ),
    ]
    chart = alt.layer(*layers, data=inline(records))
    return chart.properties(width=WIDTH, height=260, title=heading(title, subtitle))
