"""The house look: one configuration for every figure, and the colours that mean the same thing everywhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from glassware.charts.backend import Figure, Record, Spec, alt

INK, MUTED, FAINT = "#1f2328", "#6b7280", "#e3e6ea"
TRAIN = "#9aa0a6"  # training error is gray in every figure, as in the paper
DENSE, SPARSE = "#2b6cb0", "#d9660a"  # a blue and an orange that colour-blind readers can distinguish
CATEGORIES = [DENSE, SPARSE, "#0f8a6b", "#a63d8f", "#b8860b", "#55708a", "#7a4a21"]
PICK = "#e11d48"  # the cell whose curves are shown
HEAT: Literal["viridis"] = "viridis"  # perceptually uniform and safe for colour-blind readers
SEQUENCE = [0.88, 0.05]  # the part used for lines: the yellow end is too pale on white
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"  # the first is bundled with vl-convert: the same PNG everywhere

CONFIG: Spec = {
    "background": "white",
    "font": FONT,
    "padding": 12,
    "view": {"stroke": None},
    "title": {
        "anchor": "start",
        "fontSize": 17,
        "fontWeight": "bold",
        "color": INK,
        "subtitleFontSize": 13,
        "subtitleColor": MUTED,
        "subtitlePadding": 5,
        "offset": 14,
    },
    "axis": {
        "labelFontSize": 12,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "labelColor": INK,
        "titleColor": INK,
        "titlePadding": 8,
        "domainColor": MUTED,
        "tickColor": MUTED,
        "tickSize": 4,
        "gridColor": FAINT,
    },
    "legend": {
        "labelFontSize": 12,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "labelColor": INK,
        "titleColor": INK,
        "symbolStrokeWidth": 2.5,
        "labelLimit": 260,
    },
    "header": {
        "labelFontSize": 13,
        "labelFontWeight": "bold",
        "labelColor": INK,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "labelLimit": 400,
    },
}

SHORT = "format(datum.value, '~s')"  # 0, 500, 10k; as an axis format it would write 0k


def inline(records: Sequence[Mapping[str, object]]) -> Record:
    """Chart data.

    A dict, because Altair validates its own class record by record, and of a tuple, because it copies lists record by
    record whenever a chart changes; either takes seconds.
    """
    return {"values": tuple(records)}


def heading(title: str, subtitle: str | list[str]) -> alt.TitleParams:
    """Title and optional subtitle of one or more lines."""
    return alt.TitleParams(title, subtitle=subtitle) if subtitle else alt.TitleParams(title)


def panelled(
    chart: Figure, order: list[str], *, columns: int, spacing: int = 18, own_x: bool = False
) -> alt.FacetChart:
    """The chart once for every value of ``panel``, in this order, each under its name.

    Args:
        chart: a chart or layers of one.
        order: names of the panels.
        columns: panels side by side.
        spacing: pixels between them.
        own_x: whether every panel has its own horizontal scale, and so its own axis.
    """
    facet = alt.Facet("panel:N", sort=order, title=None, header=alt.Header(labelAnchor="start", labelPadding=4))
    assert not isinstance(chart, alt.FacetChart), "panels do not have panels"
    figure = chart.facet(facet=facet, columns=columns, spacing=spacing)
    if len(order) % columns and not own_x:
        # Shared axes would be drawn below the panels missing from the last row.
        figure = figure.resolve_axis(x="independent")
    return figure


def init_colour(label: str) -> str:
    """Dense is blue and sparse orange in every figure; other schemes have their own hue."""
    fixed = {"dense": DENSE, "kaiming": CATEGORIES[2], "sign": CATEGORIES[3]}
    return fixed.get(label, SPARSE)


def colours(column: str, order: list[str], *, numeric: bool) -> alt.Scale:
    """The colour scale of a column: fixed hues for initial weights, a sequence for numbers, one hue per word."""
    if column == "init" and len({init_colour(label) for label in order}) == len(order):
        return alt.Scale(domain=order, range=[init_colour(label) for label in order])
    if numeric and len(order) > 1:
        return alt.Scale(domain=order, scheme=alt.SchemeParams(name=HEAT, extent=SEQUENCE))
    return alt.Scale(domain=order, range=CATEGORIES)


def log_axis(low: float, high: float, **more: Any) -> alt.Axis:
    """Labelled ticks at 1, 2 and 5 times powers of ten, and in between where those are too few."""
    for digits in ((1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)):
        powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
        values = [digit * 10.0**power for power in powers for digit in digits]
        values = [value for value in values if low * 0.85 <= value <= high * 1.15]
        if len(values) > 2:
            break
    if sum(low <= value <= high for value in values) < 2:  # a short axis between two such numbers: its ends
        unit = 10.0 ** (math.floor(math.log10(low)) - 2)
        values = list(dict.fromkeys([math.ceil(low / unit) * unit, math.floor(high / unit) * unit]))
    return alt.Axis(values=values, tickCount=len(values), labelExpr=SHORT, **more)
