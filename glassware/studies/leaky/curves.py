"""The figure of accuracies along training, on uniform and on leaking inputs: shared by the studies that train on."""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.lines import lines

PARTS = {"leaking": "leaking inputs, D2", "uniform": "uniform inputs, D1"}


def accuracy_curves(frame: pl.DataFrame, panel: pl.Expr, *, title: str, columns: int) -> alt.TopLevelMixin:
    """Every run twice, on D1 and on D2, in its panel.

    Args:
        frame: one row per run, with the lists ``curve_step``, ``curve_uniform`` and ``curve_leaking``.
        panel: the name of a run's panel.
        title: of the figure.
        columns: panels side by side.
    """
    parts = [
        frame.select("seed", panel=panel, x="curve_step", y=pl.col(f"curve_{part}"), kind=pl.lit(label))
        for part, label in PARTS.items()
    ]
    return lines(
        pl.concat(parts).explode("x", "y"),
        x="x",
        y="y",
        line="seed",
        kind="kind",
        panel="panel",
        title=title,
        subtitle="accuracy on held-out examples after the first step; one line per run",
        x_title="step",
        y_title="accuracy",
        y_domain=(0.0, 1.0),
        percent=True,
        columns=columns,
    )
