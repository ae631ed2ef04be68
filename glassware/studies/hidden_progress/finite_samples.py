"""Finite samples: memorise first, generalise later, and weight decay decides (Figure 4, right; Figure 15).

A network trained many times over a fixed sample of m examples. With many examples training and test error fall
together. With too few the sample is memorised and the test error never falls. In between it falls long after the
training error did (grokking), and weight decay widens that range, until too much of it stops training.

Grids
    paper   (50, 3), ReLU network of width 100, B = 32, rate 0.1, m in {10,000, 5,000, 2,000, 1,000, 500, 200}, decay in
            {0, 0.001, 0.003, 0.01, 0.03, 0.1}, 5 seeds from 0, T = 1,000,000: 180 runs.
    laptop  (30, 3), m in {1,000, 500, 300}, decay in {0.003, 0.01}, 10 seeds from 100 (30 for m = 500 and 300),
            T = 50,000: 140 runs.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    Sample sizes and decays. Decay as in PyTorch's SGD: a step shrinks every parameter by rate times decay. Minibatches
    are drawn with replacement. Training error is that of the whole sample (10,000 examples at most), test error that of
    8,192 others; both are looked at every 50 steps (500 at paper scale) and a run ends when the test error is 0. The
    delay of a run is t(test error 0) / t(training error 0). A cell is solvable where at least half of its runs reach
    test error 0.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from itertools import pairwise

import polars as pl

from glassware.charts.labels import number
from glassware.charts.lines import lines
from glassware.charts.theme import DENSE
from glassware.charts.theme import TRAIN as GRAY
from glassware.foundation.statistics import NEVER, bootstrap, median, ratio
from glassware.models import MLP
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.shared.curves import TEST, TRAIN, points, reach
from glassware.studies.hidden_progress.shared.rows import rows
from glassware.studies.hidden_progress.shared.trials import repeat
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, Threshold, all_of, at_least, at_most, below, counted
from glassware.sweeps import grid
from glassware.tasks import Parity
from glassware.training import SGD, Evaluation, Run

SAMPLES, DECAYS = (1000, 500, 300), (0.003, 0.01)
FEWEST = 5  # runs, below which neither a median nor "every run" says much
PAPER_SAMPLES, PAPER_DECAYS = (10_000, 5000, 2000, 1000, 500, 200), (0.0, 0.001, 0.003, 0.01, 0.03, 0.1)


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Every sample size at every weight decay."""
    if scale == "smoke":
        return repeat(_grid(_run(12, 2, 600, 50, 300), (50, 300), (0.0, 0.01)), seeds or 2)
    if scale == "laptop":
        base = _run(30, 3, 50_000, 50, 1000)
        many, few = (_grid(base, [m for m in SAMPLES if (m > 500) == large], DECAYS) for large in (True, False))
        return [*repeat(many, seeds or 10), *repeat(few, seeds or 30)]
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
    """How many runs with m = 500 and decay 0.003 have a finite delay of at least 5."""
    found = delays(frame, 30, 500, 0.003)
    # A run that never gets there has not grokked.
    return _every(sum(5 <= delay < NEVER for delay in found), len(found), _grid_listed(frame, 30))


def median_run_groks(frame: pl.DataFrame) -> Finding:
    """Median delay of the runs with m = 500 and decay 0.003; at least half of them must get there."""
    found = delays(frame, 30, 500, 0.003)
    if len(found) < FEWEST:
        return NOT_ENOUGH
    finite = Threshold(5, sys.float_info.max)
    return Finding(bootstrap(median, found), finite, "times", _words(found))


def no_gap_with_many(frame: pl.DataFrame) -> Finding:
    """How many runs with m = 1,000 and decay 0.01 have a delay of at most 3."""
    found = delays(frame, 30, 1000, 0.01)
    return _every(sum(delay <= 3 for delay in found), len(found), _words(found))


def too_few_never_generalise(frame: pl.DataFrame) -> Finding:
    """How many runs with m = 300, at both decays, end with training error 0 and test error 20% or more."""
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
    return _every(len(stuck), len(found), detail)


def _every(won: int, trials: int, detail: str) -> Finding:
    """Whether every run is as claimed."""
    return counted(won, trials, max(trials, FEWEST), detail)


def some_cell_groks(frame: pl.DataFrame) -> Finding:
    """Largest finite median delay of a cell, its interval corrected for having been chosen among all cells."""
    cells = {
        (m, decay): found
        for m in PAPER_SAMPLES
        for decay in PAPER_DECAYS
        if (found := delays(frame, 50, m, decay)) and median(found) < NEVER
    }
    if not cells:
        return NOT_ENOUGH
    (m, decay), most = max(cells.items(), key=lambda item: median(item[1]))
    chosen = bootstrap(median, most, confidence=1 - 0.05 / (len(PAPER_SAMPLES) * len(PAPER_DECAYS)))
    return Finding(chosen, at_least(5), "times", f"m={m}, λ={decay:g}; {_grid_listed(frame, 50)}")


def no_gap_with_most(frame: pl.DataFrame) -> Finding:
    """Median delay at the largest sample, for each of the decays under which training gets to 0."""
    cells = {decay: found for decay in PAPER_DECAYS if (found := _fitted(frame, PAPER_SAMPLES[0], decay))}
    if not cells:
        return NOT_ENOUGH
    detail = "; ".join(f"λ={decay:g}: {_words(found)}" for decay, found in cells.items())
    return all_of([Finding(bootstrap(median, found), at_most(2), "times") for found in cells.values()], detail)


def too_much_decay_stops_training(frame: pl.DataFrame) -> Finding:
    """How many runs with m of 1,000 or more never reach training error 0 at decay 0.1, and do at decay 0.01."""
    parts = []
    for decay, fits in ((0.1, False), (0.01, True)):
        found = [rows(frame, n=50, m=m, weight_decay=decay) for m in PAPER_SAMPLES if m >= 1000]
        if not all(len(cell) for cell in found):
            return NOT_ENOUGH
        reached = [reach(row, 0.0, TRAIN) < NEVER for cell in found for row in cell.iter_rows(named=True)]
        parts.append((decay, _every(reached.count(fits), len(reached), ""), f"{sum(reached)}/{len(reached)} reach 0"))
    detail = "; ".join(f"λ={decay:g}: {words}" for decay, _, words in parts)
    return all_of([finding for _, finding, _ in parts], detail)


def decay_needs_fewer_examples(frame: pl.DataFrame) -> Finding:
    """How the smallest solvable sample changes with decay: its largest growth, and what is saved in all."""
    places = [(m, decay) for decay in PAPER_DECAYS for m in PAPER_SAMPLES]
    found = [rows(frame, n=50, m=m, weight_decay=decay) for m, decay in places]
    if not all(len(cell) for cell in found):
        return NOT_ENOUGH
    cells = [cell["success"].cast(float).to_list() for cell in found]

    def smallest(*samples: list[float]) -> list[float]:
        """The smallest sample that at least half of the runs solve, by decay."""
        solved = [place for place, runs in zip(places, samples, strict=True) if 2 * sum(runs) >= len(runs)]
        return [min((m for m, own in solved if own == decay), default=NEVER) for decay in PAPER_DECAYS]

    def growth(*samples: list[float]) -> float:
        solvable = [m for m in smallest(*samples) if m < NEVER]
        return max((after / before for before, after in pairwise(solvable)), default=math.nan)

    def saved(*samples: list[float]) -> float:
        without, *decayed = smallest(*samples)
        return ratio(min(decayed), without)

    # Runs are resampled within each cell.
    both = (bootstrap(growth, *cells), at_most(1)), (bootstrap(saved, *cells), below(1))
    named = zip(PAPER_DECAYS, smallest(*cells), strict=True)
    detail = "; ".join(f"λ={decay:g}: {'none' if m == NEVER else m}" for decay, m in named)
    return all_of([Finding(estimate, meets, "times") for estimate, meets in both], detail)


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
    """Median and range of the delays of a cell's runs."""
    if not found:
        return "no runs"
    middle, least, most = (_times(delay) for delay in (median(found), min(found), max(found)))
    return f"{middle} ({least} to {most}, {len(found)} runs)"


def _times(delay: float) -> str:
    return "never" if math.isinf(delay) else f"{delay:.1f}×"


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
        note="seeds were added after 10 had left it too close to call",
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
        "15-groks", "Some sample size and decay grok", "Figure 15", "median delay of a cell ≥ 5", some_cell_groks,
        ("paper",), note="the cell with the largest median: its interval is corrected for the choice among 36",
    ),
    Claim(
        "15-no-gap", "With the most examples there is no gap", "Figure 15",
        "median delay ≤ 2 at m = 10,000 for every decay that fits the sample", no_gap_with_most, ("paper",),
    ),
    Claim(
        "15-too-much-decay", "Too much weight decay stops training", "Figure 15",
        "with m ≥ 1,000 no run at λ = 0.1 reaches training error 0, and every run at λ = 0.01 does",
        too_much_decay_stops_training, ("paper",),
        note="λ = 0.01 was added before any run of this scale: a network that is not trained meets the rest",
    ),
    Claim(
        "15-decay-saves-examples", "Larger weight decay makes smaller samples enough", "Figure 15",
        "the smallest solvable m never grows with λ, up to where none is solvable, and is smaller at some λ than at 0",
        decay_needs_fewer_examples, ("paper",),
        note="that it is smaller somewhere was added before any run of this scale: a constant meets the rest",
    ),
)  # fmt: skip


def _figure(frame: pl.DataFrame) -> object:
    name = pl.format("m = {}, λ = {}", "m", pl.col("weight_decay").map_elements(number, return_dtype=pl.String))
    named = frame.sort("weight_decay", "m", maintain_order=True).with_columns(panel=name)
    table = points(named, {TRAIN: "training error", TEST: "test error"}, "panel")
    order = named.select("panel").unique(maintain_order=True).with_row_index("place")
    return lines(
        table.join(order, on="panel").sort("place", maintain_order=True), x="step", y="value", line="run", kind="kind",
        panel="panel", colours={"training error": GRAY, "test error": DENSE}, columns=named["m"].n_unique(),
        title="Training on fixed samples of several sizes", log_x=True, own_x=False, y_domain=(0.0, 0.6),
        subtitle="training and test error along training on m fixed examples, weight decay λ, two lines per seed",
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
