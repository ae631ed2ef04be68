"""Validation accuracy against steps (see ``validation_curves``)."""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.lines import lines
from glassware.studies.juntas.validation_curves_checks import best_of_restarts
from glassware.studies.lanes import Row, lanes


def curves(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """One line per data set: held-out accuracy, and the training accuracy beside it."""
    if "curve_train_error" not in frame.columns:
        return None
    cells = frame.select("length", "m").unique().sort("length", "m", descending=[True, True]).rows()
    points = [
        {"step": step, "accuracy": 1 - error, "line": f"{kind} {row['seed']}", "kind": kind, "panel": _panel(row)}
        for length, m in cells
        for row in best_of_restarts(lanes(frame, length=length, m=m))
        for kind, column in (("training examples", "curve_train_error"), ("held-out examples", "curve_test_error"))
        for step, error in zip(row["curve_step"], row[column], strict=True)
    ]
    best = ", the best of five runs" if frame["init_seed"].n_unique() > 1 else ""
    return lines(
        pl.DataFrame(points), x="step", y="accuracy", line="line", kind="kind", panel="panel", columns=3,
        title="All runs fit their sample; with too few examples they end anywhere on others",
        subtitle=f"AND of {frame['relevant'][0]} of T bits; one line per data set{best}; without dropout",
        x_title="training step", y_title="accuracy", percent=True, y_domain=(0.4, 1.0),
    )  # fmt: skip


def _panel(row: Row) -> str:
    return f"T = {row['length']}, m = {row['m']}"
