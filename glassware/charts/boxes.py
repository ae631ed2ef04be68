"""Box plots of convergence times, with the share of runs that never converge above each."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from glassware.charts.backend import Figure, alt
from glassware.charts.labels import need, number, percent
from glassware.charts.theme import CATEGORIES, DENSE, MUTED, heading, inline, log_axis

STEP = 44  # pixels per box


def boxes(
    table: pl.DataFrame,
    *,
    x: str,
    y: str,
    kind: str,
    panel: str,
    title: str,
    x_title: str,
    y_title: str,
    subtitle: str = "",
    baseline: Sequence[tuple[float, float]] = (),
) -> alt.TopLevelMixin:
    """A box (quartiles, whiskers of 1.5 interquartile ranges, dots beyond) of ``y`` on a log axis at every ``x``.

    Rows whose ``y`` is not finite count as failures: they are left out of the box, and the success rate is written
    above it. ``baseline`` is a dashed reference line, pairs of x and y, the same in every panel.
    """
    need(table, [x, y, kind, panel])
    order = [number(value) for value in sorted(table[x].unique())]
    kinds = table[kind].unique(maintain_order=True).to_list()
    finite = table.filter(pl.col(y).is_finite() & (pl.col(y) > 0))
    need(finite, [])
    records = [
        {"x": number(at), "y": value, "kind": name, "panel": place}
        for at, value, name, place in finite.select(x, y, kind, panel).iter_rows()
    ]
    rates = table.group_by(x, kind, panel, maintain_order=True).agg(pl.col(y).is_finite().mean().alias("rate"))
    notes = [
        {"x": number(at), "kind": name, "panel": place, "note": percent(rate)}
        for at, name, place, rate in rates.iter_rows()
        if rate < 1
    ]
    panels = table[panel].unique(maintain_order=True).to_list()
    heights = [*finite[y], *(value for at, value in baseline if number(at) in order)]
    axis = log_axis(min(heights), max(heights), labelOverlap="greedy")
    across = alt.X(
        "x:N", sort=order, title=x_title, scale=alt.Scale(domain=order), axis=alt.Axis(labelAngle=0, grid=False)
    )
    up = alt.Y("y:Q", title=y_title, scale=alt.Scale(type="log", nice=False, padding=12), axis=axis)
    hue = alt.Color(
        "kind:N",
        sort=kinds,
        scale=alt.Scale(domain=kinds, range=[DENSE, *CATEGORIES[1:]]),
        legend=alt.Legend(title=None, orient="bottom", direction="horizontal") if len(kinds) > 1 else None,
    )
    views = []
    for place in panels:
        own = inline([record for record in records if record["panel"] == place])
        box = alt.Chart(own).mark_boxplot(size=20, extent=1.5, outliers={"size": 14}, median={"color": "white"})
        layers: list[Figure] = [box.encode(x=across, y=up, color=hue)]
        above = alt.Chart(inline([note for note in notes if note["panel"] == place])).mark_text(fontSize=11, dy=-6)
        layers.append(above.encode(x=across, y=alt.value(0), text="note:N", color=alt.value(MUTED)))
        if baseline:
            reference = [{"x": number(at), "y": value} for at, value in baseline if number(at) in order]
            dashed = alt.Chart(inline(reference)).mark_line(strokeDash=[5, 4], color=CATEGORIES[2])
            layers.append(dashed.encode(x=across, y=up))
        size = {"width": STEP * len(order), "height": 260}
        views.append(alt.layer(*layers).properties(title=alt.TitleParams(place, fontSize=13, offset=18), **size))
    figure: alt.HConcatChart = alt.hconcat(*views, spacing=30).resolve_scale(color="shared")
    return figure.properties(title=heading(title, subtitle))
