"""Success rate and time to success against a quantity, one line per colour."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from glassware.charts.backend import Figure, Record, alt
from glassware.charts.cells import TIMES, cells
from glassware.charts.labels import NULLS, WORDS, labels, name, percent, phrase
from glassware.charts.pooling import notes
from glassware.charts.theme import SHORT, colours, heading, inline, log_axis
from glassware.foundation.statistics import bootstrap, median

LOGARITHMIC = ("m", "width")  # numeric on a log axis
APART = 0.18  # online lies beyond the last sample size by this part of the axis
SPREAD = 0.012  # the intervals of several colours at online lie side by side, by this part of the axis
LINE, POINT, THICKER = 2.2, 7.0, 2.4  # pixels: a line, a point, and how much thicker the lowest of coinciding lines is
WIDTH, HEIGHT = 340, 210
DODGE = 6  # pixels between the bars of two colours
MANY_POINTS = 12  # on a line; more are drawn smaller
FEW_TICKS = 8  # an axis with at most this many values labels them all


def success_curves(
    frame: pl.DataFrame,
    *,
    x: str,
    colour: str,
    row: str | None = None,
    title: str,
    x_title: str | None = None,
    subtitle: str = "",
    over: Sequence[str] = (),
) -> alt.TopLevelMixin:
    """Success rate against ``x`` with 95% Wilson intervals, one line per ``colour``, one panel per ``row``.

    ``over`` names fields of the specification that are pooled on purpose.
    """
    axes = _Axes(x, colour, row, x_title or name(x))
    return _rates(frame, axes).properties(title=_heading(frame, axes, title, subtitle, over))


def time_curves(
    frame: pl.DataFrame,
    *,
    x: str,
    colour: str,
    row: str | None = None,
    title: str,
    x_title: str | None = None,
    subtitle: str = "",
    over: Sequence[str] = (),
) -> alt.TopLevelMixin:
    """Median steps to success against ``x`` with 95% bootstrap intervals, where more than half of the runs succeed."""
    axes = _Axes(x, colour, row, x_title or name(x))
    return _times(frame, axes).properties(title=_heading(frame, axes, title, subtitle, over))


def slices(
    frame: pl.DataFrame, *, colour: str, title: str, subtitle: str = "", over: Sequence[str] = ()
) -> alt.TopLevelMixin:
    """Success rate and, beside it, time to success against the sample size; one row of panels per init."""
    axes = _Axes("m", colour, "init", name("m"))
    head = _heading(frame, axes, title, subtitle, over)
    return alt.hconcat(_rates(frame, axes), _times(frame, axes), spacing=40).properties(title=head)


@dataclass(frozen=True)
class _Axes:
    """Which column goes where."""

    x: str
    colour: str
    row: str | None
    x_title: str

    @property
    def columns(self) -> list[str | None]:
        return [self.x, self.colour, self.row]


def _heading(frame: pl.DataFrame, axes: _Axes, title: str, subtitle: str, over: Sequence[str]) -> alt.TitleParams:
    shown = [labels(frame, column)[1] for column in (axes.colour, axes.row) if column]
    said = notes(frame, axes.columns, subtitle, over, [label for order in shown for label in order])
    return heading(title, [*said, f"{'bands' if _numeric(frame, axes) else 'bars'}: 95% intervals"])


def _numeric(frame: pl.DataFrame, axes: _Axes) -> bool:
    """Whether x is a numeric, logarithmic axis."""
    return axes.x in LOGARITHMIC and frame[axes.x].drop_nulls().n_unique() > 1


def _rates(frame: pl.DataFrame, axes: _Axes) -> Figure:
    table = cells(frame, axes.columns)
    ends = [f"{100 * low:.0f}–{100 * high:.0f}%" for low, high in table.select("low", "high").iter_rows()]
    table = table.with_columns(pl.col("rate").alias("value"), pl.Series("interval", ends, pl.String))
    y = alt.Y(
        "value:Q",
        title="successful runs",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], tickCount=5),
    )
    return _draw(table, axes, y, lift=2)  # the label 100% raises the header by the remaining five pixels


def _times(frame: pl.DataFrame, axes: _Axes) -> Figure:
    table = cells(frame, axes.columns, TIMES)
    lows, highs, words = [], [], []
    for middle, sample in table.select("median", "times").iter_rows():
        found = None if middle is None else bootstrap(median, sample)
        bounded = found is not None and math.isfinite(found.high)
        lows.append(found.low if found and math.isfinite(found.low) else None)
        highs.append(found.high if found and bounded else None)
        words.append("–" if found is None else f"{found.low:,.0f}–{f'{found.high:,.0f}' if bounded else '∞'}")
    table = table.with_columns(
        pl.col("median").alias("value"),
        pl.Series("low", lows, pl.Float64),
        pl.Series("high", highs, pl.Float64),
        pl.Series("interval", words, pl.String),
    ).drop("times")
    drawn = [value for column in ("value", "low", "high") for value in table[column].drop_nulls()]
    y = alt.Y(
        "value:Q",
        title="median steps to success",
        scale=alt.Scale(type="log", nice=False, padding=10),
        axis=log_axis(min(drawn, default=1), max(drawn, default=10)),
    )
    return _draw(table, axes, y, alt.Tooltip("value:Q", title="median steps", format=",.0f"))


def _draw(table: pl.DataFrame, axes: _Axes, y: alt.Y, *more: alt.Tooltip, lift: int = 7) -> Figure:
    """Line, points and intervals: a band along a numeric axis, a bar at each value of an ordinal one."""
    found, order = labels(table, axes.x)
    numeric = _numeric(table, axes)
    hues, hue_order = labels(table, axes.colour)
    panels, panel_order = labels(table, axes.row) if axes.row else ([""] * len(table), [])
    head = {label: phrase(table, axes.row, label) for label in panel_order} if axes.row else {"": ""}
    drawn = [cell for cell in table.iter_rows(named=True) if cell["value"] is not None]
    ends = [cell[end] for cell in drawn for end in ("value", "low", "high") if cell[end] is not None]
    top = max(ends, default=1.0)  # where an interval without an upper end leaves the panel, with an arrow
    places = _places(table, axes, hues, hue_order) if numeric else found
    records = [
        {
            "x": place,
            "label": label,
            "colour": hue,
            "panel": head[panel],
            "piece": label == NULLS.get(axes.x),  # online is not a sample size: the line stops before it
            "value": cell["value"],
            "low": cell["low"],
            "high": top if cell["high"] is None and cell["low"] is not None else cell["high"],
            "open": cell["high"] is None and cell["low"] is not None,
            "counts": f"{cell['successes']} of {cell['trials']} ({percent(cell['rate'])})",
            "interval": cell["interval"],
        }
        for cell, place, label, hue, panel in zip(table.iter_rows(named=True), places, found, hues, panels, strict=True)
        if cell["value"] is not None
    ]
    records.sort(key=lambda record: hue_order.index(record["colour"]))
    pieces = Counter((record["panel"], record["colour"], record["piece"]) for record in records)
    for record in records:  # a band needs two points
        record["alone"] = not numeric or pieces[record["panel"], record["colour"], record["piece"]] == 1
    lines, dots = _sizes(records, hue_order, nested=numeric)
    hue = alt.Color(
        "colour:N",
        sort=hue_order,
        scale=colours(axes.colour, hue_order, numeric=not isinstance(table.schema[axes.colour], WORDS)),
        legend=alt.Legend(title=name(axes.colour), symbolType="stroke", symbolOpacity=1, symbolSize=220),
    )
    tooltip = [
        alt.Tooltip("colour:N", title=name(axes.colour)),
        alt.Tooltip("label:N", title=axes.x_title),
        alt.Tooltip("counts:N", title="successful runs"),
        *more,
        alt.Tooltip("interval:N", title="95% interval"),
    ]
    base = alt.Chart().encode(x=_numeric_x(table, axes) if numeric else _ordinal_x(order, axes), color=hue)
    if not numeric and len(hue_order) > 1:
        base = base.encode(xOffset=_dodge(order, hue_order))
    known = base.transform_filter("isValid(datum.low)")
    intervals = [known.transform_filter("datum.alone").mark_rule(strokeWidth=1.5, opacity=0.6)]
    if numeric:
        intervals.append(known.transform_filter("!datum.alone").mark_area(opacity=0.14))
    arrow = base.transform_filter("datum.open").mark_point(shape="triangle-up", filled=True, size=60, opacity=0.6)
    points = base.mark_point(filled=True, opacity=1, stroke="white", strokeWidth=0.8)
    layers = [
        *(interval.encode(y=alt.Y("low:Q"), y2="high:Q", detail="piece:N") for interval in intervals),
        arrow.encode(y=alt.Y("high:Q")),
        base.mark_line().encode(y=y, detail="piece:N", strokeWidth=lines),
        points.encode(y=y, tooltip=tooltip, size=dots),
    ]
    chart = alt.layer(*layers, data=inline(records)).properties(width=WIDTH, height=HEIGHT)
    if not axes.row:
        return chart
    header = alt.Header(labelAnchor="start", labelPadding=lift)
    facet = alt.Facet("panel:N", sort=[head[label] for label in panel_order], title=None, header=header)
    # Flush, so that the panels of two adjacent figures line up whatever their axes.
    return chart.facet(facet=facet, columns=1, spacing=46, bounds="flush")


def _sizes(records: list[Record], hue_order: list[str], *, nested: bool) -> tuple[alt.StrokeWidth, alt.Size]:
    """Widths of lines and sizes of points; nested, where colours coincide, each is wider than those drawn over it."""
    heights = Counter((record["panel"], record["label"], record["value"]) for record in records)
    last = len(hue_order) - 1
    more = THICKER / max(1, last) if nested and max(heights.values(), default=1) > 1 else 0.0
    extra = [more * (last - rank) for rank in range(len(hue_order))]
    point = POINT if len({record["label"] for record in records}) <= MANY_POINTS else POINT - 2
    widths = alt.Scale(domain=hue_order, range=[LINE + one for one in extra])
    areas = alt.Scale(domain=hue_order, range=[(point + one) ** 2 for one in extra])
    return alt.StrokeWidth("colour:N", scale=widths, legend=None), alt.Size("colour:N", scale=areas, legend=None)


def _online(values: Sequence[float]) -> float:
    """Where online lies on an axis of sample sizes: beyond the last."""
    return max(values) * max(1.5, (max(values) / min(values)) ** APART)


def _places(table: pl.DataFrame, axes: _Axes, hues: list[str], hue_order: list[str]) -> list[float]:
    """Where every row lies on a numeric axis; colours share a place, but for online, where they lie side by side."""
    values = table[axes.x].drop_nulls().to_list()
    online, apart = _online(values), (max(values) / min(values)) ** SPREAD
    middle = (len(hue_order) - 1) / 2
    return [
        online * apart ** (hue_order.index(hue) - middle) if value is None else value
        for value, hue in zip(table[axes.x], hues, strict=True)
    ]


def _numeric_x(table: pl.DataFrame, axes: _Axes) -> alt.X:
    values = sorted(set(table[axes.x].drop_nulls()))
    few = len(values) <= FEW_TICKS
    axis = log_axis(values[0], values[-1], grid=False, labelOverlap="greedy")
    ticks, words, last = (list(values) if few else list(axis.values)), SHORT, values[-1]
    if table[axes.x].null_count():
        last = _online(values)
        ticks, words = [*ticks, last], f"datum.value > {values[-1]} ? '{NULLS[axes.x]}' : {SHORT}"
    axis.values, axis.tickCount, axis.labelExpr = ticks, len(ticks), words
    # All values, drawn or not, so that rates and times share the axis.
    scale = alt.Scale(type="log", domain=[values[0], last], nice=False, padding=8)
    return alt.X("x:Q", title=axes.x_title, scale=scale, axis=axis)


def _ordinal_x(order: list[str], axes: _Axes) -> alt.X:
    axis = alt.Axis(labelAngle=0, grid=False, labelOverlap="greedy")
    return alt.X(
        "x:O", title=axes.x_title, sort=order, scale=alt.Scale(type="band", domain=order, padding=0), axis=axis
    )


def _dodge(order: list[str], hue_order: list[str]) -> alt.XOffset:
    """Put bars of different colours side by side, a few pixels apart, centred in their band."""
    band = WIDTH / len(order)
    reach = min(0.3 * band, DODGE * (len(hue_order) - 1) / 2)
    scale = alt.Scale(type="point", domain=hue_order, range=[band / 2 - reach, band / 2 + reach])
    return alt.XOffset("colour:N", sort=hue_order, scale=scale)
