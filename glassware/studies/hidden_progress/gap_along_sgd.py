"""The Fourier gap along the path of SGD (Figure 12, right).

A sinusoid neuron sin(pi/2 (w.x + b) + shift) learns a parity by SGD on the hinge loss. At every examination the gap of
its population gradient at the current weights is computed in closed form: largest relevant entry minus largest
irrelevant one. If SGD amplifies the gap, it is positive at the start and grows before the error shows anything.

Grids
    paper   (n, k) = (15, 3), (30, 3), (15, 4), (20, 2), B = 32, learning rate 0.01, 100 trials each, T = 20,000,
            examined every 10 steps on 8,192 held-out examples.
    laptop  the same with 4,096 held-out examples.
    smoke   (10, 2), 4 trials.

Decisions where the paper is silent
    Tasks, batch, learning rate: ours. Seeds start at 100. "Grows during training" is judged where the error first falls
    to 45%, a moment before the transition, among the trials that go on to learn the parity; and at half of that time,
    where steady growth would show too. The largest gap on the way is not used: a maximum is biased upwards. Not judged
    is that the gap starts positive: its entries are in proportion to cot(pi/2 w_i) on S and to tan(pi/2 w_j) off it,
    and initial weights are below 1/2, so that it cannot be otherwise.
"""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from glassware.charts.lines import lines
from glassware.foundation.statistics import Estimate, median, wilson
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.shared.curves import has, points, reach
from glassware.studies.hidden_progress.shared.settings import model
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, Threshold, above, all_of, at_least
from glassware.sweeps import grid
from glassware.tasks import Parity
from glassware.training import SGD, Evaluation, Run

TASKS = ((15, 3), (30, 3), (15, 4), (20, 2))
FIRST_SEED = 100
EDGE = 0.45  # error at which the plateau ends
GAP = "curve_gap"


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Trials of every task."""
    tasks, trials, steps, test = {
        "smoke": (((10, 2),), 4, 2000, 500),
        "laptop": (TASKS, 100, 20_000, 4096),
        "paper": (TASKS, 100, 20_000, 8192),
    }[scale]
    chosen = range(FIRST_SEED, FIRST_SEED + (seeds or trials))
    bases = [
        Run(
            task=Parity(n=n, k=k),
            model=model("xiv", k),
            optimiser=SGD(lr=0.01),
            steps=steps,
            evaluation=Evaluation(every=10, test=test, success=0.0),
            probes=("fourier_gap",),
        )
        for n, k in tasks
    ]
    return [run for base in bases for run in grid(base, {"seed": chosen})]


def growth(row: dict[str, Any]) -> tuple[float, float]:
    """The gap where the error first falls to 45%, and at half of that time, each over the gap at the start."""
    edge = reach(row, EDGE)
    if math.isinf(edge):
        return math.nan, math.nan
    at = lambda time: next(gap for step, gap in zip(row["curve_step"], row[GAP], strict=True) if step >= time)
    return at(edge) / at(0), at(edge / 2) / at(0)


# -- claims -----------------------------------------------------------------------------------------------------------


def _tasks(frame: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """The trials of every task; nothing where the gap was not measured."""
    if not has(frame, [GAP]):
        return []
    parts = frame.partition_by("n", "k", maintain_order=True)
    return [(f"({part['n'][0]}, {part['k'][0]})", part) for part in parts]


def _grown(frame: pl.DataFrame, which: int) -> list[tuple[str, Estimate, float]]:
    """For every task: the share of learned trials whose gap has grown, and the median factor."""
    found = []
    for task, part in _tasks(frame):
        factors = [growth(row)[which] for row in part.filter("success").iter_rows(named=True)]
        found.append((task, wilson(sum(f > 1 for f in factors), len(factors)), median(factors)))
    return found


def _judge_growth(frame: pl.DataFrame, which: int, meets: Threshold) -> Finding:
    """The share of learned trials whose gap has grown, for each task."""
    found = _grown(frame, which)
    if not found or any(math.isnan(share.value) for _, share, _ in found):
        return NOT_ENOUGH
    detail = "; ".join(f"{task} {share.value:.0%}, median {factor:.2g}×" for task, share, factor in found)
    # The smallest first: among equal verdicts it is the one to show.
    ordered = sorted((share for _, share, _ in found), key=lambda e: e.value)
    return all_of([Finding(share, meets, "points") for share in ordered], detail)


CLAIMS = (
    Claim(
        "grows",
        "The gap has grown when the error starts to fall",
        "Figure 12, right",
        "above its start at error 45% in ≥ 80% of the trials that learn, every task",
        lambda frame: _judge_growth(frame, 0, at_least(0.8)),
        note="among the trials that learn",
    ),
    Claim(
        "grows-steadily",
        "The gap grows steadily, not only at the end of the plateau",
        "Figure 12, right; Section 4.1",
        "above its start at half of that time in > 50% of the trials that learn, every task",
        lambda frame: _judge_growth(frame, 1, above(0.5)),
        note="among the trials that learn; trials were added after 20 per task had left it too close to call",
    ),
)


def _paths(frame: pl.DataFrame) -> pl.DataFrame:
    """The gap of every trial along the way, as a long table."""
    drawn = frame.with_row_index("run").filter(pl.int_range(pl.len()).over("n", "k") < 20)
    table = drawn.select("run", "n", "k", "curve_step", GAP).explode("curve_step", GAP)
    return table.with_columns(panel=pl.format("n = {}, k = {}", "n", "k"), kind=pl.lit("trial"))


def _relative(frame: pl.DataFrame) -> pl.DataFrame:
    """Gap and error of one trial per task, the median one among those that learn, against its own time."""
    kept = []
    for part in frame.filter("success").partition_by("n", "k", maintain_order=True):
        kept.append(part.sort("steps_to_success")[len(part) // 2])
    chosen = pl.concat(kept) if kept else frame[:1]
    panel = pl.format("n = {}, k = {}", "n", "k").alias("panel")
    return points(chosen.with_columns(panel), {GAP: "gap", "curve_test_error": "test error"}, "panel")


STUDY = Study(
    name="hidden-progress/gap-along-sgd",
    title="The Fourier gap of a sinusoid neuron along SGD",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={
        "gaps": lambda frame: lines(
            _paths(frame),
            x="curve_step",
            y=GAP,
            line="run",
            kind="kind",
            panel="panel",
            title="The Fourier gap along SGD",
            subtitle="sinusoid neuron, one line per trial, until it has learned the parity",
            x_title="training step",
            y_title="gap of the population gradient",
            columns=2,
            own_y=True,
        ),
        "gap-and-error": lambda frame: lines(
            _relative(frame),
            x="step",
            y="value",
            line="run",
            kind="kind",
            panel="panel",
            title="The gap and the error along SGD",
            subtitle="one trial of each task, the one with the median time",
            x_title="training step",
            y_title="gap, and test error as a fraction",
            columns=2,
        ),
    },
)
