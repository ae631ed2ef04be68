"""Kept weights as pictures: every matrix as a grid of colours, the hidden inputs first where the run has some."""

from __future__ import annotations

from typing import Any

import numpy as np

from glassware.charts.backend import Spec
from glassware.charts.theme import CONFIG, MUTED
from glassware.reports.sections import Drawing

MOST = 96  # rows and columns of a picture; of larger matrices every second, third, .. is drawn
PICTURES = 12
SCHEME = "blueorange"  # blue below 0, orange above, white at 0


def pictures(arrays: dict[str, np.ndarray], support: list[int] | None, when: str) -> list[Drawing]:
    """A picture of every matrix among the arrays, first layers first.

    Args:
        arrays: by name, as ``0.w``: weights from inputs (rows) to units (columns).
        support: the relevant inputs, whose rows of the first layer come first.
        when: the step at which they were kept.
    """
    matrices = {name: array for name, array in sorted(arrays.items()) if array.ndim == 2 and min(array.shape) > 1}
    return [_picture(name, array, support, when) for name, array in list(matrices.items())[:PICTURES]]


def _picture(name: str, array: np.ndarray, support: list[int] | None, when: str) -> Drawing:
    relevant = list(support) if support and name in ("0.w", "w") and max(support) < len(array) else []
    rows, columns = list(range(len(array))), list(range(array.shape[1]))
    if relevant:
        rows = [*relevant, *(i for i in rows if i not in set(relevant))]
        # Units by the weight that they have on the relevant inputs: those that carry the network stand to the left.
        strength = np.abs(array[relevant]).sum(axis=0) / (np.abs(array).sum(axis=0) + 1e-30)
        columns = [int(i) for i in np.argsort(-strength, kind="stable")]
    shown_rows, shown_columns = rows[:: -(-len(rows) // MOST)], columns[:: -(-len(columns) // MOST)]
    ends = float(np.abs(array[np.isfinite(array)]).max(initial=0.0)) or 1.0
    labels = {i: f"{i} relevant" if i in set(relevant) else str(i) for i in shown_rows}
    weight = lambda i, j: float(array[i, j]) if np.isfinite(array[i, j]) else None
    values = [
        {"row": labels[i], "r": r, "column": j, "c": c, "weight": weight(i, j)}
        for r, i in enumerate(shown_rows)
        for c, j in enumerate(shown_columns)
    ]
    at = f"at step {when}" if when.isdigit() else when
    title = f"{name}, {array.shape[0]} × {array.shape[1]}, {at}"
    cut = len(shown_rows) < len(rows) or len(shown_columns) < len(columns)
    lines = ["relevant inputs above the line, units by their weight on them"] if relevant else []
    lines += ["not every row and column is drawn"] if cut else []
    return Drawing(name, title, _spec(values, title, lines, ends, sum(i in set(relevant) for i in shown_rows)))


def _spec(values: list[dict[str, Any]], title: str, lines: list[str], ends: float, above: int) -> Spec:
    rows, columns = 1 + max(v["r"] for v in values), 1 + max(v["c"] for v in values)
    side = max(3.0, min(14.0, 560 / columns, 420 / rows))
    place = {
        "x": {"field": "c", "type": "ordinal", "axis": None, "scale": {"padding": 0}},
        "y": {"field": "r", "type": "ordinal", "axis": None, "scale": {"padding": 0}},
    }
    tooltip = [{"field": name, "type": "nominal"} for name in ("row", "column")]
    colour = {
        "field": "weight", "type": "quantitative", "scale": {"scheme": SCHEME, "domain": [-ends, ends]},
        "legend": {"title": "weight", "gradientLength": 120},
    }  # fmt: skip
    layers: list[Spec] = [
        {
            "mark": {"type": "rect"},
            "encoding": {**place, "color": colour, "tooltip": [*tooltip, {"field": "weight", "format": ".3g"}]},
        }
    ]
    if above:
        line = {"mark": {"type": "rule", "color": MUTED, "strokeWidth": 2}, "data": {"values": [{}]}}
        layers.append({**line, "encoding": {"y": {"value": above * side}}})
    head = {"text": title, **({"subtitle": lines} if lines else {})}
    size = {"width": side * columns, "height": side * rows}
    return {"title": head, "data": {"values": values}, "layer": layers, "config": CONFIG, **size}
