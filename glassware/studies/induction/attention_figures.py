"""Figures of attention: links and maps at three checkpoints, and the order of the layers (see ``attention``)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.charts.lines import lines
from glassware.charts.links import links
from glassware.charts.squares import squares
from glassware.charts.theme import DENSE, SPARSE
from glassware.foundation.arrays import Float
from glassware.studies.induction.shared.layers import kept_steps, transplant_curve
from glassware.studies.induction.shared.phases import crossing, curve, step_at
from glassware.studies.induction.transformer_figures import panels, setting
from glassware.studies.lanes import Row, lanes

FIRST_LAYER, SECOND_LAYER = "layer 1: weight on the previous token", "layer 2 of this step behind layer 1 of the end"


class Maps(NamedTuple):
    """Attention to one short input.

    Attributes:
        tokens: from 1.
        scores, weights: before and after the softmax, by name of the checkpoint: layer, query, key.
    """

    tokens: list[int]
    scores: dict[str, Float[np.ndarray, "layers queries keys"]]
    weights: dict[str, Float[np.ndarray, "layers queries keys"]]


def arcs(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """Attention of all queries of the first layer and of the last query of the second."""
    row = _shown(frame)
    if row is None:
        return None
    found = maps_of(row)
    records = [
        {"panel": panel, "layer": layer + 1, "query": query + 1, "key": key + 1, "weight": weight}
        for panel, weights in found.weights.items()
        for (layer, query, key), weight in np.ndenumerate(weights)
        if key <= query and (layer == 0 or query == len(found.tokens) - 1)
    ]
    return links(
        pl.DataFrame(records), [str(token) for token in found.tokens],
        title="Layer 1 comes to look at the previous token, layer 2 at what followed copies of the last",
        subtitle=f"{_input(row)}; of layer 2 only the last query; line width: attention",
    )  # fmt: skip


def maps(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """The scores of both layers before the softmax."""
    row = _shown(frame)
    if row is None:
        return None
    table = _table(maps_of(row).scores)
    top = max(0.01, float(table["value"].abs().max()))  # type: ignore[arg-type]
    return squares(
        table, scale=alt.Scale(scheme="redblue", domain=[-top, top]), value_title="score", x_title="key",
        y_title="query", title="Scores of both layers before the softmax", subtitle=_input(row),
    )  # fmt: skip


def weight_maps(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """The attention of both layers after the softmax."""
    row = _shown(frame)
    if row is None:
        return None
    return squares(
        _table(maps_of(row).weights), scale=alt.Scale(scheme="blues", domain=[0, 1]), value_title="attention",
        x_title="key", y_title="query", title="Attention of both layers", subtitle=_input(row),
    )  # fmt: skip


def order(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """The first layer's attention to the previous token, and the second layer transplanted, along training."""
    runs = panels(frame)
    return order_chart(pl.concat(order_points(panel, row) for panel, row in runs), setting(runs)) if runs else None


def order_chart(points: pl.DataFrame, subtitle: str) -> alt.TopLevelMixin:
    """Lines of ``order_points``."""
    return lines(
        points, x="step", y="score", line="run", kind="kind", panel="panel", columns=2, x_title="training step",
        title="Which layer is learned first?", y_title="score", subtitle=f"{subtitle}; a layer counts as formed at 1/2",
        colours={FIRST_LAYER: SPARSE, SECOND_LAYER: DENSE}, y_domain=(-0.1, 1.0),
    )  # fmt: skip


def order_points(panel: str, row: Row) -> pl.DataFrame:
    """Points of both lines of a run."""
    both = {
        FIRST_LAYER: (np.array(row["curve_step"], float), curve(row, "prev_score")),
        SECOND_LAYER: (np.array(kept_steps(row), float), transplant_curve(row)),
    }
    return pl.concat(
        pl.DataFrame({"step": steps, "score": scores}).with_columns(
            panel=pl.lit(panel), run=pl.lit(str(row["id"])), kind=pl.lit(kind)
        )
        for kind, (steps, scores) in both.items()
    )


def maps_of(row: Row) -> Maps:
    """A run's attention at the first kept step, at the last one before tau*, and at the end."""
    steps, at = kept_steps(row), step_at(row, crossing(row))
    before = 0 if math.isnan(at) else int(np.searchsorted(steps, at)) - 1
    places = {f"step {steps[place]}": place for place in sorted({0, max(before, 0), len(steps) - 1})}
    tokens = [int(token) + 1 for token in row["map_tokens"]]
    shape = (-1, len(tokens), len(tokens))
    of = lambda name: {
        panel: np.array(row[name][place], float).reshape(shape)[:: int(row["heads"])] for panel, place in places.items()
    }
    return Maps(tokens, of("map_scores"), of("map_weights"))


def _table(by_panel: dict[str, Float[np.ndarray, "layers queries keys"]]) -> pl.DataFrame:
    """Cells of maps, layers from the first on; keys that lie ahead are left out."""
    layers = len(next(iter(by_panel.values())))
    return pl.DataFrame(
        [
            {"row": f"layer {layer + 1}", "column": panel, "y": i + 1, "x": j + 1, "value": values[layer, i, j]}
            for layer in range(layers)
            for panel, values in by_panel.items()
            for i in range(values.shape[1])
            for j in range(i + 1)
        ]
    )


def _shown(frame: pl.DataFrame) -> Row | None:
    """The first run with the most states."""
    rows = [row for row in lanes(frame) if row.get("map_tokens") is not None]
    return max(rows, key=lambda row: row["states"], default=None)


def _input(row: Row) -> str:
    tokens = " ".join(str(int(token) + 1) for token in row["map_tokens"])
    return f"k = {row['states']}, one seed, input {tokens}"
