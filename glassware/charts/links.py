"""Attention as links: tokens in rows, one row per layer, and a line from every query down to each key it attends to."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.labels import need
from glassware.charts.theme import DENSE, FAINT, INK, heading, inline, panelled

STEP, LEVEL = 21, 96  # pixels between tokens and between layers
FAINTEST = 0.02  # of a weight that is drawn


def links(
    weights: pl.DataFrame, tokens: Sequence[str], *, title: str, subtitle: str | list[str] = ""
) -> alt.TopLevelMixin:
    """One line per weight, as wide and as dark as the weight is large.

    Args:
        weights: columns panel, layer, query, key, weight; layers and places counted from 1. Panels keep the order in
            which they appear.
        tokens: what stands at the places.
        title, subtitle: words.
    """
    need(weights, ["panel", "layer", "query", "key", "weight"])
    panels = weights["panel"].unique(maintain_order=True).to_list()
    layers = int(weights["layer"].max())  # type: ignore[arg-type]
    lines = weights.filter(pl.col("weight") >= FAINTEST).with_columns(
        top=pl.col("layer").cast(pl.Float64) - 0.1, bottom=pl.col("layer") - 1 + 0.1, weight=pl.col("weight").round(4)
    )
    names = ["input", *(f"layer {layer}" for layer in range(1, layers + 1))]
    marks = [
        {"panel": panel, "place": place, "level": level, "token": token, "name": names[level]}
        for panel in panels
        for level in range(layers + 1)
        for place, token in enumerate(tokens, 1)
    ]
    x = alt.Scale(domain=[0, len(tokens) + 0.6], nice=False)
    y = alt.Scale(domain=[-0.2, layers + 0.2], nice=False)
    named = alt.Axis(
        values=[*range(layers + 1)], labelExpr=f"{names}[datum.value]", grid=False, ticks=False, domain=False
    )
    drawn = alt.Chart().transform_filter("isValid(datum.weight)").mark_rule(color=DENSE, strokeCap="round")
    ends = {
        "x": alt.X("query:Q", scale=x, axis=None), "x2": "key:Q",
        "y": alt.Y("top:Q", scale=y, title=None, axis=named), "y2": "bottom:Q",
        "strokeWidth": alt.StrokeWidth(
            "weight:Q", scale=alt.Scale(domain=[0, 1], range=[0.2, 6]),
            legend=alt.Legend(title="attention", values=[0.1, 0.5, 1], symbolType="stroke", symbolStrokeColor=DENSE),
        ),
        "opacity": alt.Opacity("weight:Q", scale=alt.Scale(domain=[0, 0.4], range=[0.12, 1], clamp=True), legend=None),
    }  # fmt: skip
    place = {"x": alt.X("place:Q", scale=x, axis=None), "y": alt.Y("level:Q", scale=y, title=None, axis=named)}
    at = alt.Chart().transform_filter("isValid(datum.token)")
    figure = alt.layer(
        drawn.encode(**ends),
        at.mark_point(shape="square", filled=True, size=190, color="white", stroke=FAINT, opacity=1).encode(**place),
        at.mark_text(fontSize=11, color=INK).encode(**place, text="token:N"),
        data=inline([*lines.to_dicts(), *marks]),
    ).properties(width=STEP * (len(tokens) + 1), height=LEVEL * layers + 30)
    return panelled(figure, panels, columns=len(panels)).properties(title=heading(title, subtitle))  # type: ignore[no-any-return]
