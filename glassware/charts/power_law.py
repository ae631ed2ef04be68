"""Median times against size on log-log axes, with the power law that fits them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import geometric_mean

import polars as pl

from glassware.charts.backend import Record, Spec, alt
from glassware.charts.cells import TIMES, cells
from glassware.charts.labels import labels, name, phrase
from glassware.charts.pooling import notes
from glassware.charts.theme import colours, heading, inline, log_axis, panelled
from glassware.foundation.statistics import bootstrap, median, power_law_exponent

SIZES = {1: (420, 280), 2: (330, 230)}
SMALL = (240, 190)


def power_laws(
    frame: pl.DataFrame,
    *,
    x: str,
    colour: str,
    panel: str,
    title: str,
    x_title: str | None = None,
    colour_title: str | None = None,
    subtitle: str = "",
    columns: int = 2,
    over: Sequence[str] = (),
) -> alt.TopLevelMixin:
    """Median steps to success against ``x``, one line per ``colour``, one panel per ``panel``; both axes logarithmic.

    Bars are 95% bootstrap intervals. A line ends where half of the runs or more fail. The dashed line is the
    least-squares power law through the medians, its exponent written at the end.
    """
    table = cells(frame, [panel, colour, x], TIMES).filter(pl.col("median").is_not_null()).sort(x)
    hues, hue_order = labels(table, colour)
    panels, panel_order = labels(table, panel)
    head = {label: phrase(table, panel, label) for label in panel_order}
    records: list[Record] = []
    lines: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for cell, hue, place in zip(table.iter_rows(named=True), hues, panels, strict=True):
        found = bootstrap(median, cell["times"])
        known = math.isfinite(found.high)
        records.append(
            {
                "panel": head[place],
                "colour": hue,
                "x": cell[x],
                "y": cell["median"],
                "low": found.low if known else None,
                "high": found.high if known else None,
                "counts": f"{cell['successes']} of {cell['trials']}",
            }
        )
        lines.setdefault((head[place], hue), []).append((cell[x], cell["median"]))
    fitted = [record for key, points in lines.items() for record in _fit(key, points)]
    across = min(columns, len(panel_order))
    width, height = SIZES.get(across, SMALL)
    sizes = sorted(set(table[x]))
    ends = [
        value for r in records for value in (r["y"], r["low"], r["high"]) if isinstance(value, int | float) and value
    ]
    scale = alt.Scale(type="log", nice=False, padding=10)
    x_axis = alt.Axis(values=sizes, tickCount=len(sizes), grid=False, labelOverlap="greedy")
    encoded: Spec = {
        # Leave room on the right for the exponents.
        "x": alt.X(
            "x:Q",
            title=x_title or name(x),
            scale=alt.Scale(type="log", nice=False, domain=[sizes[0] * 0.94, sizes[-1] * 1.25]),
            axis=x_axis,
        ),
        "color": alt.Color(
            "colour:N",
            sort=hue_order,
            scale=colours(colour, hue_order, numeric=True),
            legend=alt.Legend(title=colour_title or name(colour), symbolType="stroke", symbolOpacity=1, symbolSize=220),
        ),
    }
    y = alt.Y(
        "y:Q",
        title="median steps to converge",
        scale=scale,
        axis=log_axis(min(ends, default=1), max(ends, default=10), labelOverlap="greedy"),
    )
    tooltip = [
        alt.Tooltip("colour:N", title=colour_title or name(colour)),
        alt.Tooltip("x:Q", title=x_title or name(x)),
        alt.Tooltip("y:Q", title="median steps", format=",.0f"),
        alt.Tooltip("counts:N", title="converged runs"),
    ]
    base = alt.Chart().encode(**encoded)
    measured = base.transform_filter("!isValid(datum.alpha)")
    fit = base.transform_filter("isValid(datum.alpha)")
    layers = [
        measured.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5, opacity=0.6)
        .encode(y=alt.Y("low:Q"), y2="high:Q"),
        measured.mark_line(strokeWidth=2).encode(y=y),
        measured.mark_point(filled=True, size=34, opacity=1, stroke="white", strokeWidth=0.7).encode(
            y=y, tooltip=tooltip
        ),
        fit.mark_line(strokeDash=[4, 3], strokeWidth=1, opacity=0.8).encode(y=y),
        fit.transform_filter("datum.last")
        .mark_text(align="left", dx=7, fontSize=11)
        .encode(y=y, text=alt.Text("alpha:Q", format=".2f")),
    ]
    chart = alt.layer(*layers, data=inline([*records, *fitted])).properties(width=width, height=height)
    order = [head[label] for label in panel_order]
    figure = panelled(chart, order, columns=across, spacing=24)
    return figure.properties(title=heading(title, notes(frame, [x, colour, panel], subtitle, over, order)))  # type: ignore[no-any-return]


def _fit(key: tuple[str, str], points: list[tuple[float, float]]) -> list[Record]:
    """Both ends of the line through the medians."""
    sizes, times = zip(*points, strict=True)
    alpha = power_law_exponent(sizes, times)
    if math.isnan(alpha):
        return []
    size, time = (
        geometric_mean(sizes),
        geometric_mean(times),
    )  # a least-squares line goes through the centre of the points
    place = {"panel": key[0], "colour": key[1], "alpha": alpha}
    return [{**place, "x": n, "y": time * (n / size) ** alpha, "last": n == sizes[-1]} for n in (sizes[0], sizes[-1])]
