"""Edges of success of several ways of training, over sample size and width: one panel per size of the problem."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import polars as pl

from glassware.charts.backend import Figure, Record, Spec, alt
from glassware.charts.labels import need
from glassware.charts.theme import CATEGORIES, SHORT, heading, inline, log_axis

WIDTH, HEIGHT = 430, 270
ROOM = 1.15  # beyond the outermost places
DODGE = 1.07  # between two arms at one width
COLUMNS = ["panel", "arm", "kind", "at", "value", "low", "high"]


def edges_figure(table: pl.DataFrame, *, title: str, subtitle: str | list[str] = "") -> alt.TopLevelMixin:
    """m50 at each width as a line through dots, r50 at a sample size as a diamond, all with their intervals.

    Args:
        table: columns panel, arm, kind (m50 or r50), at (the width of an m50, the sample size of an r50), value, low,
            high. A null end is open and ends in an arrow at the panel's edge; a null value has an interval alone.
        title, subtitle: words.
    """
    need(table, COLUMNS)
    arms = table["arm"].unique(maintain_order=True).to_list()
    panels = table["panel"].unique(maintain_order=True).to_list()
    drawn = [_panel(table, table.filter(panel=panel), arms, panel, len(panels) > 1) for panel in panels]
    figure = alt.hconcat(*drawn, spacing=30) if len(drawn) > 1 else drawn[0]
    return figure.properties(title=heading(title, subtitle))  # type: ignore[no-any-return]


def _panel(whole: pl.DataFrame, table: pl.DataFrame, arms: list[str], panel: str, named: bool) -> Figure:
    (m50, r50), (every, other) = ([one.filter(kind=kind) for kind in ("m50", "r50")] for one in (table, whole))
    x_range = _range([m50.select("value", "low", "high"), r50.select("at")])
    y_range = _range([every.select("at"), other.select("value", "low", "high")])  # one scale for all panels
    widths = sorted(every["at"].unique())
    dodge = min([DODGE, *((b / a) ** (0.8 / max(1, len(arms))) for a, b in pairwise(widths))])
    middle = (len(arms) - 1) / 2
    y_range = y_range[0] / dodge**middle, y_range[1] * dodge**middle
    records: list[Record] = []
    for row in table.iter_rows(named=True):
        along = row["kind"] == "m50"
        low, high = x_range if along else y_range
        aside = row["at"] * dodge ** (arms.index(row["arm"]) - middle) if along else row["at"]
        ends = {"from": row["low"] or low, "to": row["high"] or high}
        open_ = {"open_from": None if row["low"] else low, "open_to": None if row["high"] else high}
        said = f"{row['value']:.4g}" if row["value"] is not None else "off the grid"
        records.append({**row, **ends, **open_, "aside": aside, "said": said})
    x, y = (alt.Scale(type="log", domain=list(ends), nice=False, clamp=True) for ends in (x_range, y_range))
    colour = alt.Color(
        "arm:N",
        sort=arms,
        scale=alt.Scale(domain=arms, range=[CATEGORIES[i % len(CATEGORIES)] for i in range(len(arms))]),
        legend=alt.Legend(
            title=None, orient="bottom", direction="horizontal", columns=3, labelLimit=420, symbolOpacity=1
        ),
    )
    base = alt.Chart().encode(color=colour)
    y_axis = alt.Axis(values=widths, labelExpr=SHORT, grid=False)
    across = lambda name: alt.X(f"{name}:Q", title="examples, m", scale=x, axis=log_axis(*x_range, grid=False))
    up = lambda name: alt.Y(f"{name}:Q", title="width, r", scale=y, axis=y_axis)
    tooltip = [alt.Tooltip("arm:N"), alt.Tooltip("kind:N", title="edge"), alt.Tooltip("at:Q"),
               alt.Tooltip("said:N", title="value"), alt.Tooltip("low:Q", format=".4~g"),
               alt.Tooltip("high:Q", format=".4~g")]  # fmt: skip
    arrow: Spec = {"filled": True, "size": 55, "opacity": 1}
    rows, columns = (base.transform_filter(f"datum.kind == '{kind}'") for kind in ("m50", "r50"))
    valued = rows.transform_filter("isValid(datum.value)")
    layers = [
        valued.mark_line(strokeWidth=1.4, opacity=0.55).encode(x=across("value"), y=up("aside"), order="at:Q"),
        rows.mark_rule(strokeWidth=2).encode(x=across("from"), x2="to:Q", y=up("aside")),
        valued.mark_point(filled=True, size=50, opacity=1, stroke="white", strokeWidth=0.6).encode(
            x=across("value"), y=up("aside"), tooltip=tooltip
        ),
        columns.mark_rule(strokeWidth=2).encode(x=across("at"), y=up("from"), y2="to:Q"),
        columns.transform_filter("isValid(datum.value)")
        .mark_point(filled=True, shape="diamond", size=80, opacity=1, stroke="white", strokeWidth=0.6)
        .encode(x=across("at"), y=up("value"), tooltip=tooltip),
    ]  # fmt: skip
    for end, turned, upright in (
        ("open_from", "triangle-left", "triangle-down"),
        ("open_to", "triangle-right", "triangle-up"),
    ):
        valid = f"isValid(datum.{end})"
        layers += [
            rows.transform_filter(valid).mark_point(shape=turned, **arrow).encode(x=across(end), y=up("aside")),
            columns.transform_filter(valid).mark_point(shape=upright, **arrow).encode(x=across("at"), y=up(end)),
        ]
    titled = {"title": panel} if named else {}
    return alt.layer(*layers, data=inline(records)).properties(width=WIDTH, height=HEIGHT, **titled)


def _range(tables: Sequence[pl.DataFrame]) -> tuple[float, float]:
    """The outermost places, and some room."""
    known = [v for table in tables for row in table.iter_rows() for v in row if v]
    return min(known) / ROOM, max(known) * ROOM
