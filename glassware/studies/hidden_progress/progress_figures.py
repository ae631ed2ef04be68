"""Charts of hidden progress: the weights of one run, and the largest movement of a weight in all of them."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.lines import lines
from glassware.charts.theme import DENSE, INK, SPARSE, heading
from glassware.charts.theme import TRAIN as GRAY
from glassware.foundation.statistics import NEVER
from glassware.studies.hidden_progress.shared.curves import TEST, has, points
from glassware.studies.hidden_progress.shared.movement import RHO, Cell, Row
from glassware.studies.hidden_progress.shared.rows import rows


def weights_figure(frame: pl.DataFrame, cells: Sequence[Cell]) -> object:
    """The error of one run per batch size, and below it every weight of the neuron."""
    views = []
    for name in ("test error", "weights"):
        parts = []
        for cell in cells:
            found = rows(frame, setting=cell[0], batch=cell[1], noise=0.0)
            found = found.sort("success", descending=True, maintain_order=True).head(1)
            if not len(found):
                continue
            (row,) = found.iter_rows(named=True)
            # A little beyond convergence: the rest is a straight line.
            end = 1.3 * (row["steps_to_success"] or NEVER)
            curves = {TEST: "test error"} if name == "test error" else _weights(row)
            for column, kind in curves.items():
                long = points(found, {column: kind}).with_columns(line=pl.lit(column), panel=pl.lit(f"B = {cell[1]}"))
                parts.append(long.filter(pl.col("step") <= end))
        error = name == "test error"
        views.append(lines(
            pl.concat(parts) if parts else pl.DataFrame(), x="step", y="value", line="line", kind="kind", panel="panel",
            title="", columns=2, x_title="training step", y_title=name if error else "weight", percent=error,
            colours={"test error": INK, "irrelevant weight": GRAY, "relevant weight": SPARSE},
        ))  # fmt: skip
    subtitle = "one run of a sinusoid neuron per batch size: its test error, and below each of its weights"
    figure: alt.VConcatChart = alt.vconcat(*views, spacing=30)  # type: ignore[arg-type]
    figure = figure.resolve_scale(color="independent")
    return figure.properties(title=heading("The weights move while the error stands still", subtitle))


def _weights(row: Row) -> dict[str, str]:
    names = [f"curve_weight_0_{i}" for i in range(row["n"])]
    relevant = {f"curve_weight_0_{i}" for i in row["support"]}
    ordered = [*(name for name in names if name not in relevant), *sorted(relevant)]
    return {name: "relevant weight" if name in relevant else "irrelevant weight" for name in ordered}


def movement_figure(frame: pl.DataFrame, cells: Sequence[Cell]) -> object:
    """Largest movement of a weight, with the parity's labels and with random ones."""
    names = {"xiv": "sinusoid neuron", "i": "ReLU MLP, r = 10"}
    parts = []
    for setting, batch in cells:
        for noise, kind in ((0.5, "random labels"), (0.0, "labels of the parity")):
            found = rows(frame, setting=setting, batch=batch, noise=noise)
            if len(found) and has(frame, [RHO]):
                long = points(found, {RHO: kind}).with_columns(panel=pl.lit(f"{names[setting]}, B = {batch}"))
                parts.append(long)
    return lines(
        pl.concat(parts) if parts else pl.DataFrame(), x="step", y="value", line="run", kind="kind", panel="panel",
        title="Hidden progress: the movement of the weights", columns=3, log_x=True, log_y=True, own_y=True,
        subtitle="largest movement of a first-layer weight since the start, one line per seed", x_title="training step",
        y_title="largest movement ρ", colours={"random labels": GRAY, "labels of the parity": DENSE},
    )  # fmt: skip
