"""Finite samples: memorise first, generalise later, and weight decay decides (Figure 4, right; Figure 15).

A network trained many times over a fixed sample of m examples. With many examples training and test error fall
together. With too few the sample is memorised and the test error never falls. In between it falls long after the
training error did (grokking), and weight decay widens that range, until too much of it stops training.

Grids
    paper   (50, 3), ReLU network of width 100, B = 32, rate 0.1, m in {10,000, 5,000, 2,000, 1,000, 500, 200}, decay in
            {0, 0.001, 0.003, 0.01, 0.03, 0.1}, 5 seeds from 0, T = 1,000,000: 180 runs.
    laptop  (30, 3), m in {1,000, 500, 300}, decay in {0.003, 0.01}, 10 seeds from 100, T = 50,000: 60 runs.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    Sample sizes and decays. Decay as in PyTorch's SGD: every parameter shrinks by rate times decay a step. Minibatches
    are drawn with replacement. Training error is that of the whole sample (10,000 examples at most), test error that of
    8,192 others; both are looked at every 50 steps (500 at paper scale) and a run ends when the test error is 0. The
    delay of a run is t(test error 0) / t(training error 0). A cell is solvable where at least half of its runs reach
    test error 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

import polars as pl

from glassware.charts.lines import lines
from glassware.charts.theme import DENSE
from glassware.charts.theme import TRAIN as GRAY
from glassware.foundation.statistics import NEVER, Estimate, bootstrap, median, wilson
from glassware.models import MLP
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.shared.curves import TEST, TRAIN, points, reach
from glassware.studies.hidden_progress.shared.rows import counts, rows
from glassware.studies.hidden_progress.shared.trials import repeat
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding
from glassware.sweeps import grid
from glassware.tasks import Parity
from glassware.training import SGD, Evaluation, Run

SAMPLES, DECAYS = (1000, 500, 300), (0.003, 0.01)
PAPER_SAMPLES, PAPER_DECAYS = (10_000, 5000, 2000, 1000, 500, 200), (0.0, 0.001, 0.003, 0.01, 0.03, 0.1)


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Every sample size at every weight decay."""
    if scale == "smoke":
        return repeat(_grid(_run(12, 2, 600, 50, 300), (50, 300), (0.0, 0.01)), seeds or 2)
    if scale == "laptop":
        return repeat(_grid(_run(30, 3, 50_000, 50, 1000), SAMPLES, DECAYS), seeds or 10)
    return repeat(_grid(_run(50, 3, 1_000_000, 500, 10_000), PAPER_SAMPLES, PAPER_DECAYS), seeds or 5, 0)


def _run(n: int, k: int, steps: int, every: int, train: int) -> Run:
    evaluation = Evaluation(every=every, test=8192, train=train, success=0.0)
    return Run(
        task=Parity(n=n, k=k), m=train, model=MLP(width=100), optimiser=SGD(lr=0.1), steps=steps, evaluation=evaluation
    )


def _grid(base: Run, samples: Iterable[int], decays: Iterable[float]) -> list[Run]:
    return grid(base, {"m": samples, "optimiser.weight_decay": decays})


# -- claims -----------------------------------------------------------------------------------------------------------


def delays(frame: pl.DataFrame, n: int, m: int, decay: float) -> list[float]:
    """t(test error 0) / t(training error 0) of a cell's runs; infinite where the test error never gets there."""
    found = rows(frame, n=n, m=m, weight_decay=decay)
    return [_delay(row) for row in found.iter_rows(named=True)] if len(found) else []


def _delay(row: dict[str, object]) -> float:
    fitted, passed = reach(row, 0.0, TRAIN), reach(row, 0.0)
    return NEVER if math.isinf(passed) else passed / min(max(fitted, 1.0), passed)


def groks(frame: pl.DataFrame) -> Finding:
    """Smallest delay among the runs with m = 500 and decay 0.003."""
    found = delays(frame, 30, 500, 0.003)
    if not found:
        return NOT_ENOUGH
    # A run that never gets there has not grokked.
    every = all(5 <= delay < NEVER for delay in found)
    return Finding(Estimate(min(found)), every, "times", _grid_listed(frame, 30))


def median_run_groks(frame: pl.DataFrame) -> Finding:
    """Median delay of the runs with m = 500 and decay 0.003; at least half of them must get there."""
    found = delays(frame, 30, 500, 0.003)
    if not found:
        return NOT_ENOUGH
    middle = bootstrap(median, found)
    return Finding(middle, 5 <= middle.value < NEVER, "times", _words(found))


def no_gap_with_many(frame: pl.DataFrame) -> Finding:
    """Largest delay among the runs with m = 1,000 and decay 0.01."""
    found = delays(frame, 30, 1000, 0.01)
    if not found:
        return NOT_ENOUGH
    return Finding(Estimate(max(found)), max(found) <= 3, "times", _words(found))


def too_few_never_generalise(frame: pl.DataFrame) -> Finding:
    """Share of the runs with m = 300, at both decays, that end with training error 0 and test error 20% or more."""
    found = rows(frame, n=30, m=300)
    if not len(found):
        return NOT_ENOUGH
    stuck = found.filter((pl.col("test_error") >= 0.2) & (pl.col("train_error") == 0))
    by_decay = found.group_by("weight_decay").agg(
        pl.col("test_error").min(), most=pl.col("test_error").max(), training=pl.col("train_error").max()
    )
    detail = "; ".join(
        f"λ={decay:g}: test {least:.2f} to {most:.2f}, training {training:.3f} at most"
        for decay, least, most, training in by_decay.sort("weight_decay").iter_rows()
    )
    return Finding(wilson(len(stuck), len(found)), len(stuck) == len(found), "points", detail)


def some_cell_groks(frame: pl.DataFrame) -> Finding:
    """Largest finite median delay of a cell."""
    cells = {
        (m, decay): found
        for m in PAPER_SAMPLES
        for decay in PAPER_DECAYS
        if (found := delays(frame, 50, m, decay)) and median(found) < NEVER
    }
    if not cells:
        return NOT_ENOUGH
    (m, decay), most = max(cells.items(), key=lambda item: median(item[1]))
    estimate = bootstrap(median, most)
    return Finding(estimate, estimate.value >= 5, "times", f"m={m}, λ={decay:g}; {_grid_listed(frame, 50)}")


def no_gap_with_most(frame: pl.DataFrame) -> Finding:
    """Largest median delay among the decays at the largest sample, where training gets to 0."""
    cells = [found for decay in PAPER_DECAYS if (found := _fitted(frame, PAPER_SAMPLES[0], decay))]
    if not cells:
        return NOT_ENOUGH
    worst = max((bootstrap(median, found) for found in cells), key=lambda e: e.value)
    return Finding(worst, worst.value <= 2, "times")


def too_much_decay_stops_training(frame: pl.DataFrame) -> Finding:
    """Share of runs with decay 0.1 and m of 1,000 or more whose training error never reaches 0."""
    found = [rows(frame, n=50, m=m, weight_decay=0.1) for m in PAPER_SAMPLES if m >= 1000]
    if not all(len(cell) for cell in found):
        return NOT_ENOUGH
    never = [math.isinf(reach(row, 0.0, TRAIN)) for cell in found for row in cell.iter_rows(named=True)]
    return Finding(wilson(sum(never), len(never)), all(never), "points", f"{sum(never)} of {len(never)} runs")


def decay_needs_fewer_examples(frame: pl.DataFrame) -> Finding:
    """Largest factor by which the smallest solvable sample grows from a decay to the next, until none is solvable."""
    smallest = []
    for decay in PAPER_DECAYS:
        cells = {m: counts(frame, n=50, m=m, weight_decay=decay) for m in PAPER_SAMPLES}
        if not all(trials for _, trials in cells.values()):
            return NOT_ENOUGH
        smallest.append(min((m for m, (won, trials) in cells.items() if 2 * won >= trials), default=NEVER))
    solvable = [m for m in smallest if m < NEVER]
    if len(solvable) < 2:
        return NOT_ENOUGH
    worst = max(after / before for before, after in pairwise(solvable))
    detail = "; ".join(f"λ={decay:g}: {_size(m)}" for decay, m in zip(PAPER_DECAYS, smallest, strict=True))
    return Finding(Estimate(worst), worst <= 1, "times", detail)


def _fitted(frame: pl.DataFrame, m: int, decay: float) -> list[float]:
    """Delays of a cell's runs whose training error reaches 0."""
    found = rows(frame, n=50, m=m, weight_decay=decay)
    fit = [row for row in found.iter_rows(named=True) if reach(row, 0.0, TRAIN) < NEVER] if len(found) else []
    return [_delay(row) for row in fit]


def _grid_listed(frame: pl.DataFrame, n: int) -> str:
    """Median delay of every cell: grokking belongs to a band of them, so all are named."""
    samples, decays = (SAMPLES, DECAYS) if n == 30 else (PAPER_SAMPLES, PAPER_DECAYS)
    cells = ((m, decay, delays(frame, n, m, decay)) for m in samples for decay in decays)
    return "; ".join(f"m={m} λ={decay:g}: {_words(found)}" for m, decay, found in cells if found)


def _words(found: list[float]) -> str:
    return ", ".join("never" if math.isinf(delay) else f"{delay:.1f}×" for delay in sorted(found))


def _size(m: float) -> str:
    return "none" if math.isinf(m) else f"{m:.0f}"


CLAIMS = (
    Claim(
        "4b-groks",
        "At a middling sample size test error reaches 0 long after training error",
        "Figure 4, right; Figure 15",
        "every run with m = 500, λ = 0.003 takes ≥ 5 times as long to test error 0 as to training error 0",
        groks,
        ("laptop",),
    ),
    Claim(
        "4b-median-groks",
        "At a middling sample size the typical run groks",
        "Figure 4, right; Figure 15",
        "median delay with m = 500, λ = 0.003 is finite and ≥ 5",
        median_run_groks,
        ("laptop",),
    ),
    Claim(
        "4b-no-gap",
        "With many examples training and test error fall together",
        "Figure 4, right; Figure 15",
        "every run with m = 1,000, λ = 0.01 reaches test error 0 within 3 times the steps to training error 0",
        no_gap_with_many,
        ("laptop",),
    ),
    Claim(
        "4b-too-few",
        "With too few examples the test error never falls",
        "Figure 4, right; Figure 15",
        "every run with m = 300 ends with training error 0 and test error ≥ 20%",
        too_few_never_generalise,
        ("laptop",),
    ),
    Claim(
        "15-groks",
        "Some sample size and decay grok",
        "Figure 15",
        "median delay of a cell ≥ 5",
        some_cell_groks,
        ("paper",),
    ),
    Claim(
        "15-no-gap",
        "With the most examples there is no gap",
        "Figure 15",
        "median delay ≤ 2 at m = 10,000 for every decay that fits the sample",
        no_gap_with_most,
        ("paper",),
    ),
    Claim(
        "15-too-much-decay",
        "Too much weight decay stops training",
        "Figure 15",
        "no run with λ = 0.1 and m ≥ 1,000 reaches training error 0",
        too_much_decay_stops_training,
        ("paper",),
    ),
    Claim(
        "15-decay-saves-examples",
        "Larger weight decay makes smaller samples enough",
        "Figure 15",
        "the smallest solvable m never grows with λ, up to where none is solvable",
        decay_needs_fewer_examples,
        ("paper",),
    ),
)


def _figure(frame: pl.DataFrame) -> object:
    named = frame.with_columns(panel=pl.format("m = {}, λ = {}", "m", "weight_decay"))
    named = named.sort("weight_decay", -pl.col("m"), maintain_order=True)
    table = points(named, {TRAIN: "training error", TEST: "test error"}, "panel")
    order = named.select("panel").unique(maintain_order=True).with_row_index("place")
    return lines(
        table.join(order, on="panel").sort("place", maintain_order=True), x="step", y="value", line="run", kind="kind",
        panel="panel", colours={"training error": GRAY, "test error": DENSE}, columns=named["m"].n_unique(),
        title="Training on fixed samples of several sizes", log_x=True, own_x=False, y_domain=(0.0, 0.6),
        subtitle="training and test error along training on m fixed examples, weight decay λ, two lines a seed",
        x_title="training step", y_title="error", percent=True,
    )  # fmt: skip


STUDY = Study(
    name="hidden-progress/finite-samples",
    title="Training on a fixed sample: grokking between memorising and generalising",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"curves": _figure},
)
