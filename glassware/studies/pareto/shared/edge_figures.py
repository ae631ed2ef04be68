"""The figures of these studies: the edges of all arms, and the cells of the search."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

from glassware.luck.frontier import cells, edges
from glassware.studies.pareto.shared.arms import Comparison
from glassware.studies.study import Figure


def figures(comparison: Comparison, title: str) -> Mapping[str, Figure]:
    """Both figures, under one title."""
    return {
        "edges": lambda frame: _edges(comparison, title, frame),
        "cells": lambda frame: _cells(comparison, title, frame),
    }


def _edges(comparison: Comparison, title: str, frame: pl.DataFrame) -> Any:
    """m50 and r50 of every arm."""
    from glassware.charts.edges import edges_figure

    finite = lambda end: end if 0 < end < math.inf else None
    found = comparison.edges(frame)
    lines = [
        {"panel": f"n = {edge.n}", "arm": edge.arm, "kind": edge.kind, "at": edge.at}
        | {name: finite(end) for name, end in edge.where._asdict().items()}
        for edge in found
    ]
    if not lines:
        return None
    steps, k = (int(frame[name][0]) for name in ("steps", "k"))
    sizes = sorted({edge.n for edge in found})
    diamonds = "; diamonds: the width at which half do, at one m" if any(edge.kind == "r50" for edge in found) else ""
    arrows = "" if all(edge.on_the_grid and edge.where.high < math.inf for edge in found) else ", arrows: off the grid"
    said = [
        f"n = {' and '.join(map(str, sizes))}, k = {k}, at most {steps:,} steps; 95% intervals{arrows}",
        f"dots: m at which half of the runs succeed, at each width{diamonds}",
    ]
    return edges_figure(pl.DataFrame(lines, infer_schema_length=None), title=title, subtitle=said)


def _cells(comparison: Comparison, title: str, frame: pl.DataFrame) -> Any:
    """The share of successes in every cell of every arm that was trained or inferred."""
    from glassware.charts.frontier import frontier_figure

    panels = [panel for panel in comparison.panels_of(frame) if panel.axes[0] == "m"]
    if not panels:
        return None
    rows = pl.concat(panel.own(frame).with_columns(arm=pl.lit(panel.fields["arm"])) for panel in panels)
    return frontier_figure(edges(panels, frame), cells(panels, frame), rows, panels[0].axes, title=title)
