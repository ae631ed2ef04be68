"""The edge of success on a grid of two quantities: cells that were measured or inferred, and the edge in its band."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import polars as pl

from glassware.charts.backend import Figure, Record, alt
from glassware.charts.inferred import FAINT
from glassware.charts.labels import name, number, percent
from glassware.charts.pooling import notes
from glassware.charts.theme import HEAT, INK, MUTED, PICK, SHORT, heading, inline, log_axis

WIDTH, HEIGHT = 460, 280
COLUMNS = 2
FEW_TICKS = 8


def frontier_figure(
    edges: pl.DataFrame, cells: pl.DataFrame, rows: pl.DataFrame, axes: tuple[str, str], title: str = ""
) -> alt.TopLevelMixin:
    """Cells coloured by their success rate, and the place on each row and column where it crosses the level.

    Measured cells have their full colour, inferred ones a pale one and a dashed outline; hovering shows counts.

    Args:
        edges, cells: as ``glassware.luck.frontier`` gives them. Of several levels the first is drawn.
        rows: one row per run: what all have in common is said below the title.
        axes: the fields along x and y.
        title: words; what n, k and the initial weights are is added where the rows say it.
    """
    x, y = axes
    fields = [field for field in cells.columns if field not in (x, y, "known", "successes", "runs", "rate")]
    shown = [axis.split(".")[-1] for axis in (x, y, *fields)]
    panels = cells.select(fields).unique(maintain_order=True).to_dicts() if fields else [{}]
    level = edges["level"][0]
    drawn = [
        _panel(_of(edges.filter(pl.col("level") == level), panel), _of(cells, panel), axes, panel) for panel in panels
    ]
    figure = alt.concat(*drawn, columns=COLUMNS) if len(drawn) > 1 else drawn[0]
    said = title or f"Where {level:.0%} of runs succeed{_place(rows)}"
    columns = ", diamonds: along each column" if (edges["along"] == y).any() else ""
    subtitle = f"pale: inferred; line: the edge along each row{columns}, with 95% intervals"
    return figure.properties(title=heading(said, notes(rows, shown, subtitle, [], [said])))  # type: ignore[no-any-return]


def _place(rows: pl.DataFrame) -> str:
    """n, k and the initial weights, where all runs share them."""
    shared = [(key, rows[key].unique().to_list()) for key in ("n", "k", "init") if key in rows.columns]
    words = [f"{key} = {values[0]}" if key != "init" else str(values[0]) for key, values in shared if len(values) == 1]
    return f": {', '.join(words)}" if words else ""


def _of(table: pl.DataFrame, panel: dict[str, Any]) -> pl.DataFrame:
    return table.filter([pl.col(field).eq_missing(value) for field, value in panel.items()]) if panel else table


def _bounds(values: list[float]) -> dict[float, tuple[float, float]]:
    """The edges of the cells: half-way to their neighbours, in the logarithm."""
    between = [(a * b) ** 0.5 for a, b in pairwise(values)]
    if not between:
        return {value: (value / 1.5, value * 1.5) for value in values}
    ends = [values[0] ** 2 / between[0], *between, values[-1] ** 2 / between[-1]]
    return {value: (ends[i], ends[i + 1]) for i, value in enumerate(values)}


def _axis(values: list[float]) -> alt.Axis:
    """Ticks at the values of the grid, or at round numbers where those are many."""
    axis = log_axis(values[0], values[-1], grid=False, labelOverlap="greedy", labelSeparation=3)
    if len(values) <= FEW_TICKS:
        axis.values, axis.tickCount = values, len(values)
    return axis


def _panel(edges: pl.DataFrame, cells: pl.DataFrame, axes: tuple[str, str], panel: dict[str, Any]) -> Figure:
    x, y = axes
    numbers = sorted(cells[x].drop_nulls().unique().to_list())
    online = numbers[-1] ** 2 / numbers[-2] if cells[x].null_count() else None
    wide = _bounds([*numbers, *([online] if online else [])])
    tall = _bounds(sorted(cells[y].unique().to_list()))
    records: list[Record] = []
    for row in cells.iter_rows(named=True):
        at = row[x] if row[x] is not None else online or 0.0
        (left, right), (bottom, top) = wide[at], tall[row[y]]
        seen = f"{row['successes']} of {row['runs']}" if row["runs"] else "none trained"
        records.append(
            {
                "left": left, "right": right, "bottom": bottom, "top": top, "known": row["known"],
                "shade": None if row["rate"] is None else 100 * row["rate"],
                "x_label": "online" if row[x] is None else number(row[x]), "y_label": number(row[y]), "runs": seen,
            }
        )  # fmt: skip
    first, last = min(left for left, _ in wide.values()), max(right for _, right in wide.values())
    low, high = min(bottom for bottom, _ in tall.values()), max(top for _, top in tall.values())
    across_x = alt.Scale(type="log", domain=[first, last], nice=False)
    across_y = alt.Scale(type="log", domain=[low, high], nice=False)
    x_axis, y_axis = _axis(numbers), _axis(sorted(tall))
    if online:
        x_axis.values = [*x_axis.values, online]
        x_axis.tickCount = len(x_axis.values)
        x_axis.labelExpr = f"datum.value > {numbers[-1] * 1.01} ? 'online' : {SHORT}"
    names = [name(axis.split(".")[-1]) for axis in axes]
    ends = {
        "x": alt.X("left:Q", scale=across_x, axis=x_axis, title=names[0]),
        "x2": "right:Q",
        "y": alt.Y("bottom:Q", scale=across_y, axis=y_axis, title=names[1]),
        "y2": "top:Q",
    }
    tooltip = [
        alt.Tooltip(f"{field}:N", title=title)
        for field, title in (("x_label", names[0]), ("y_label", names[1]), ("runs", "succeed"), ("known", "cell"))
    ]
    colour = alt.Color(
        "shade:Q",
        scale=alt.Scale(scheme=HEAT, domain=[0, 100]),
        legend=alt.Legend(title="% of runs succeed", orient="bottom", direction="horizontal", gradientLength=180),
    )
    base = alt.Chart(inline(records))
    measured = base.transform_filter("datum.known == 'measured'").mark_rect(stroke="white", strokeWidth=1)
    guessed = base.transform_filter("datum.known == 'inferred'").mark_rect(
        stroke=MUTED, strokeWidth=0.7, strokeDash=[2, 2], fillOpacity=FAINT
    )
    unknown = base.transform_filter("datum.known == 'unknown'").mark_rect(fill="white", stroke=MUTED, strokeWidth=0.5)
    layers = [
        measured.encode(**ends, color=colour, tooltip=tooltip),
        guessed.encode(**ends, color=colour, tooltip=tooltip),
        unknown.encode(**ends, tooltip=tooltip),
        *_edge(edges, axes, (first, last), (low, high), online, (across_x, across_y)),
    ]
    words = {field: f"{field.split('.')[-1]} = {value}" for field, value in panel.items()}
    said = ", ".join(str(panel[field]) if field == "arm" else text for field, text in words.items())  # arms have names
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, **({"title": said} if said else {}))


def _edge(
    edges: pl.DataFrame,
    axes: tuple[str, str],
    wide: tuple[float, float],
    tall: tuple[float, float],
    online: float | None,
    scales: tuple[alt.Scale, alt.Scale],
) -> list[alt.Chart]:
    """The edge along the rows as a line in its band, that of the columns as points with bars."""
    known = edges.filter(pl.col("value").is_not_null(), ~pl.col("state").str.contains("range"))
    records: dict[str, list[Record]] = {axis: [] for axis in axes}
    for row in known.iter_rows(named=True):
        low, high = wide if row["along"] == axes[0] else tall
        records[row["along"]].append(
            {
                "at": online if row["at"] is None else row["at"],
                "value": row["value"],
                "low": max(row["low"] or low, low),
                "high": min(row["high"] or high, high),
                "said": f"{row['value']:.3g} ({row['low'] or 0:.3g} to {row['high'] or float('inf'):.3g})",
                "share": percent(row["level"]),
            }
        )
    tooltip = [alt.Tooltip("said:N", title="edge"), alt.Tooltip("share:N", title="success")]
    rows, columns = (alt.Chart(inline(records[axis])) for axis in axes)
    x, y = (alt.X("value:Q", scale=scales[0]), alt.Y("at:Q", scale=scales[1]))
    over, up = (alt.X("at:Q", scale=scales[0]), alt.Y("value:Q", scale=scales[1]))
    found = list[alt.Chart]()
    if records[axes[0]]:
        band = alt.X("low:Q", scale=scales[0])
        found += [
            rows.mark_area(orient="horizontal", color="white", opacity=0.45).encode(x=band, x2="high:Q", y=y),
            rows.mark_rule(color=INK, strokeWidth=1.4).encode(x=band, x2="high:Q", y=y),
            rows.mark_line(color=INK, strokeWidth=2.2, point={"filled": True, "fill": INK, "size": 36}).encode(
                x=x, y=y, order="at:Q", tooltip=tooltip
            ),
        ]
    if records[axes[1]]:
        bar = alt.Y("low:Q", scale=scales[1])
        found += [
            columns.mark_rule(color=PICK, strokeWidth=1.4).encode(x=over, y=bar, y2="high:Q"),
            columns.mark_point(filled=True, color=PICK, shape="diamond", size=60, opacity=1).encode(
                x=over, y=up, tooltip=tooltip
            ),
        ]
    return found
