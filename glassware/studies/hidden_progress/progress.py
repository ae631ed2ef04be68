"""Hidden progress: weights drift steadily while the error stands still (Figures 3 and 13).

A sinusoid neuron learns the (50, 3)-parity. Its error stays at chance for most of the training, yet the largest
movement of a weight, rho(t) = max |w_t - w_0|, grows nearly in proportion to t. On random labels the weights are
unbiased random walks and rho grows as the square root of t: long before the drop one can tell the two apart.

Grids
    paper   (50, 3), sinusoid neuron, rate 0.01, B in {1, 4, 32, 128} and a ReLU network of width 10, rate 0.5, B = 32;
            100 seeds from 0 with the parity's labels and 100 with random ones; T = 8,000 (4,000 at B = 128): 1,000
            runs.
    laptop  the same, 20 seeds from 100: 200 runs.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    Task, rates and batches. Runs go on after convergence. Everything is measured every 50 steps (25 at B = 128). The
    exponent of rho is the slope of a least-squares line through log rho against log t: before the first error of 40% or
    less with the parity's labels, all the way with random ones. rho of random labels is the median over runs at the
    same step. "Overtakes": from then on, up to convergence, a relevant weight has moved further than every irrelevant
    one; that it is also larger than them comes later, and is listed beside it.
    The network's single weights are not kept; its curves are those of the largest relevant and irrelevant ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import polars as pl

from glassware.charts.lines import lines
from glassware.charts.theme import DENSE, INK, SPARSE
from glassware.charts.theme import TRAIN as GRAY
from glassware.foundation.statistics import NEVER, bootstrap, median, wilson
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.shared.curves import CHANCE_LEFT, TEST, has, points, reach
from glassware.studies.hidden_progress.shared.movement import (
    RHO,
    WEIGHTS,
    Cell,
    Row,
    cell_rows,
    exponent,
    learned,
    overtaking,
    value_at,
)
from glassware.studies.hidden_progress.shared.rows import rows
from glassware.studies.hidden_progress.shared.trials import repeat, trial
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding
from glassware.training import Run

PROBES = ("movement", "relevant_movement", "irrelevant_movement")
NEURONS: tuple[Cell, ...] = tuple(("xiv", batch) for batch in (1, 4, 32, 128))
NETWORK: Cell = ("i", 32)
MAIN: tuple[Cell, ...] = (("xiv", 128),)
LARGE: tuple[Cell, ...] = (("xiv", 32), ("xiv", 128), NETWORK)


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Every batch size, with the parity's labels and with random ones."""
    if scale == "smoke":
        return repeat([_run(("xiv", 32), noise, n=12, steps=400) for noise in (0.0, 0.5)], seeds or 2)
    cells = [_run(cell, noise) for cell in (*NEURONS, NETWORK) for noise in (0.0, 0.5)]
    return repeat(cells, seeds or 20) if scale == "laptop" else repeat(cells, seeds or 100, 0)


def _run(cell: Cell, noise: float, n: int = 50, steps: int = 8000) -> Run:
    setting, batch = cell
    large = batch >= 128
    run = trial(setting, n, 3, lr=0.01 if setting == "xiv" else 0.5, batch=batch, every=25 if large else 50,
                steps=min(steps, 4000) if large else steps, screen=8192)  # fmt: skip
    # Random labels have no relevant coordinates to follow.
    followed = ("trajectory",) if setting == "xiv" and not noise else ()
    return run.model_copy(
        update={
            "task": run.task.model_copy(update={"noise": noise}),
            "evaluation": run.evaluation.model_copy(update={"stop": False}),
            "probes": tuple(sorted((*PROBES, *followed))),
        }
    )


# -- claims -----------------------------------------------------------------------------------------------------------


def random_walk(frame: pl.DataFrame, cell: Cell) -> Finding:
    """Median exponent of rho on random labels."""
    slopes = _numbers([exponent(row) for row in cell_rows(frame, cell, noise=0.5)])
    if not slopes:
        return NOT_ENOUGH
    found = bootstrap(median, slopes)
    return Finding(found, 0.4 <= found.value <= 0.6, "", f"{len(slopes)} runs")


def steady_drift(frame: pl.DataFrame, cell: Cell) -> Finding:
    """Median exponent of rho on the parity's labels, before the first error of 40% or less."""
    slopes = _numbers([exponent(row, reach(row, CHANCE_LEFT)) for row in learned(frame, cell)])
    if not slopes:
        return NOT_ENOUGH
    found = bootstrap(median, slopes)
    return Finding(found, found.value >= 0.75, "", f"{len(slopes)} runs")


def distinguishable(frame: pl.DataFrame, cell: Cell) -> Finding:
    """Median of rho over that of random labels, at nine tenths of the way to the first error of 40% or less."""
    return _over_noise(frame, cell, lambda row: 0.9 * reach(row, CHANCE_LEFT))


def moved_by_convergence(frame: pl.DataFrame, cell: Cell) -> Finding:
    """Median of rho over that of random labels, at convergence."""
    return _over_noise(frame, cell, lambda row: float(row["steps_to_success"]))


def late_drop(frame: pl.DataFrame, cell: Cell) -> Finding:
    """Median share of the way to convergence before the first error of 40% or less."""
    shares = [reach(row, CHANCE_LEFT) / row["steps_to_success"] for row in learned(frame, cell)]
    if not shares:
        return NOT_ENOUGH
    found = bootstrap(median, shares)
    return Finding(found, found.value >= 0.75, "points", _converged(frame, cell))


def early_overtaking(frame: pl.DataFrame, cell: Cell) -> Finding:
    """Median of the step at which relevant movement overtakes irrelevant, over that of the first error of 40%."""
    pairs = [(overtaking(row), reach(row, CHANCE_LEFT)) for row in learned(frame, cell)]
    shares = [when / drop for when, drop in pairs if drop]
    if not shares:
        return NOT_ENOUGH
    found = bootstrap(median, shares)
    moved, dropped = median([when for when, _ in pairs]), median([drop for _, drop in pairs])
    weight = median([overtaking(row, WEIGHTS) for row in learned(frame, cell)])
    detail = f"movement overtakes at {moved:.0f}, the weight itself at {weight:.0f}, error 40% at {dropped:.0f}"
    return Finding(found, found.value <= 0.5, "", detail)


def all_relevant_first(frame: pl.DataFrame, cell: Cell) -> Finding:
    """Share of converged runs all of whose relevant weights exceed all others at the first error of 40% or less."""
    names = [f"curve_weight_0_{i}" for i in range(50)]
    if not has(frame, names):
        return NOT_ENOUGH
    ahead = []
    for row in learned(frame, cell):
        if not row[names[0]]:
            continue
        drop = reach(row, CHANCE_LEFT)
        sizes = [abs(value_at(row, name, drop)) for name in names]
        relevant = {int(i) for i in row["support"]}
        least = min(sizes[i] for i in relevant)
        ahead.append(least > max(size for i, size in enumerate(sizes) if i not in relevant))
    if not ahead:
        return NOT_ENOUGH
    return Finding(wilson(sum(ahead), len(ahead)), all(ahead), "points", f"{sum(ahead)} of {len(ahead)} runs")


def _over_noise(frame: pl.DataFrame, cell: Cell, when: Callable[[Row], float]) -> Finding:
    signal, control = learned(frame, cell), cell_rows(frame, cell, noise=0.5)
    if not signal or not control:
        return NOT_ENOUGH
    moved = [
        (value_at(row, RHO, when(row)), [value_at(other, RHO, when(row)) for other in control])
        for row in signal
        if when(row) >= row["curve_step"][1]  # at step 0 nothing has moved
    ]
    if not moved:
        return NOT_ENOUGH

    def typical(runs: Sequence[float], others: Sequence[float]) -> float:
        chosen = [int(j) for j in others]
        return median([rho / median([noise[j] for j in chosen]) for rho, noise in (moved[int(i)] for i in runs)])

    # Both kinds of runs are drawn again: the median of the controls is as uncertain as that of the others.
    found = bootstrap(typical, range(len(moved)), range(len(control)))
    return Finding(found, found.value >= 2, "times", _converged(frame, cell))


def _converged(frame: pl.DataFrame, cell: Cell) -> str:
    return f"{len(learned(frame, cell))} of {len(cell_rows(frame, cell, noise=0.0))} runs converged"


def _numbers(values: Sequence[float]) -> list[float]:
    return [value for value in values if not math.isnan(value)]


def in_each(
    measure: Callable[[pl.DataFrame, Cell], Finding], cells: Sequence[Cell]
) -> Callable[[pl.DataFrame], Finding]:
    """A check that a measurement holds in each of these cells; it shows the first that fails, or else the first."""

    def check(frame: pl.DataFrame) -> Finding:
        found = [measure(frame, cell) for cell in cells]
        if any(finding.holds is None for finding in found):
            return NOT_ENOUGH
        shown = next((finding for finding in found if not finding.holds), found[0])
        detail = "; ".join(
            f"({setting}) B={batch}: {finding.text()}, {finding.detail}"
            for (setting, batch), finding in zip(cells, found, strict=True)
        )
        return Finding(shown.measured, all(finding.holds for finding in found), shown.unit, detail)

    check.__doc__ = measure.__doc__
    return check


F3 = "Figure 3; Figure 13"
MEASURES: tuple[tuple[str, str, str, Callable[[pl.DataFrame, Cell], Finding]], ...] = (
    ("random-walk", "On random labels the weights are unbiased random walks", "median exponent of rho in [0.4, 0.6]",
     random_walk),
    ("drift", "Before the drop the weights drift steadily", "median exponent of rho ≥ 0.75", steady_drift),
    ("distinguishable", "Progress shows in the weights before it shows in the error",
     "median rho ≥ 2 times that of random labels at 0.9 t(error 40%)", distinguishable),
    ("late-drop", "The error stands still for most of the way", "median t(error 40%) / t(convergence) ≥ 0.75",
     late_drop),
    ("overtakes", "A relevant weight moves further than all irrelevant ones long before the error falls",
     "median overtaking step ≤ t(error 40%) / 2", early_overtaking),
)  # fmt: skip

CLAIMS = (
    *(
        Claim(f"3-{name}", statement, "Figure 3", f"{threshold}; B = 128", in_each(measure, MAIN), ("laptop",))
        for name, statement, threshold, measure in MEASURES
    ),
    Claim(
        "3-all-relevant-first",
        "The error falls only once all relevant weights exceed all irrelevant ones",
        "Figure 3 (dissertation)",
        "at the first error of 40% or less they do in every converged run, B = 128",
        in_each(all_relevant_first, MAIN),
    ),
    Claim(
        "13-movement",
        "The weights have moved further than random walks when the parity is learned",
        "Figure 13",
        "median rho at convergence ≥ 2 times that of random labels, B = 32, neuron and network",
        in_each(moved_by_convergence, (("xiv", 32), NETWORK)),
        ("laptop",),
    ),
    Claim(
        "13-movement-small-batches",
        "The weights have moved further than random walks when the parity is learned, from small batches too",
        "Figure 13",
        "median rho at convergence ≥ 2 times that of random labels, B = 4, 32, 128",
        in_each(moved_by_convergence, (("xiv", 4), *LARGE)),
    ),
    *(
        Claim(f"13-{name}", statement, F3, f"{threshold}; each B ≥ 32", in_each(measure, LARGE), ("paper",))
        for name, statement, threshold, measure in MEASURES
    ),
)

# -- figures ----------------------------------------------------------------------------------------------------------


def weights_figure(frame: pl.DataFrame) -> object:
    """The error of one run a batch size, and below it every weight of the neuron."""
    parts = []
    for name in ("test error", "weights"):
        for cell in NEURONS[2:]:
            found = rows(frame, setting=cell[0], batch=cell[1], noise=0.0)
            found = found.sort("success", descending=True, maintain_order=True).head(1)
            if not len(found):
                continue
            (row,) = found.iter_rows(named=True)
            # A little beyond convergence: the rest is a straight line.
            end = 1.3 * (row["steps_to_success"] or NEVER)
            curves = {TEST: "test error"} if name == "test error" else _weights(row)
            for column, kind in curves.items():
                long = points(found, {column: kind}).with_columns(
                    line=pl.lit(column), panel=pl.lit(f"B = {cell[1]}: {name}")
                )
                parts.append(long.filter(pl.col("step") <= end))
    return lines(
        pl.concat(parts) if parts else pl.DataFrame(), x="step", y="value", line="line", kind="kind", panel="panel",
        title="The weights move while the error stands still", columns=2, own_y=True, x_title="training step",
        y_title="",
        subtitle="one run of a sinusoid neuron a batch size: its test error, and each of its weights",
        colours={"test error": INK, "irrelevant weight": GRAY, "relevant weight": SPARSE},
    )  # fmt: skip


def _weights(row: Row) -> dict[str, str]:
    names = [f"curve_weight_0_{i}" for i in range(row["n"])]
    relevant = {f"curve_weight_0_{i}" for i in row["support"]}
    ordered = [*(name for name in names if name not in relevant), *sorted(relevant)]
    return {name: "relevant weight" if name in relevant else "irrelevant weight" for name in ordered}


def movement_figure(frame: pl.DataFrame) -> object:
    """Largest movement of a weight, with the parity's labels and with random ones."""
    names = {"xiv": "sinusoid neuron", "i": "ReLU MLP, r = 10"}
    parts = []
    for setting, batch in (*NEURONS, NETWORK):
        for noise, kind in ((0.5, "random labels"), (0.0, "labels of the parity")):
            found = rows(frame, setting=setting, batch=batch, noise=noise)
            if len(found) and has(frame, [RHO]):
                long = points(found, {RHO: kind}).with_columns(panel=pl.lit(f"{names[setting]}, B = {batch}"))
                parts.append(long)
    return lines(
        pl.concat(parts) if parts else pl.DataFrame(), x="step", y="value", line="run", kind="kind", panel="panel",
        title="Hidden progress: the movement of the weights", columns=3, log_x=True, log_y=True, own_y=True,
        subtitle="largest movement of a first-layer weight since the start, a line a seed", x_title="training step",
        y_title="largest movement ρ", colours={"random labels": GRAY, "labels of the parity": DENSE},
    )  # fmt: skip


STUDY = Study(
    name="hidden-progress/progress",
    title="Hidden progress: the largest movement of a weight",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"weights": weights_figure, "movement": movement_figure},
)
