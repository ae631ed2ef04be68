"""Noisy labels only slow learning down (Figure 16).

A ReLU network learns the parity although a share p of the training labels is flipped. Flips shrink every correlation
with the parity by 1 - 2p, so with large batches the plateau should be longer by 1 / (1 - 2p).

Grids
    paper   (50, 3), width 100, rate 0.1, p in {0, 0.1, 0.25, 0.4, 0.45, 0.49}, B in {32, 1024}, 20 seeds from 0,
            T = 500,000: 240 runs.
    laptop  (30, 3), p in {0, 0.25, 0.4}, B in {32, 1024}, 40 seeds from 100, T = 40,000: 240 runs.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    Which p and B. The paper has 5 seeds, too few for the interval of a median. Accuracy is measured without noise on
    8,192 examples every 50 steps (500 at paper scale). A run ends at 99% accuracy, for at a constant rate noise keeps
    it from staying at 100%. t90: the first step at 90% accuracy. The paper's symbol for the noise is used in two ways;
    here p is always the probability of a flip.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from glassware.charts.lines import lines
from glassware.foundation.statistics import NEVER, bootstrap, median, ratio, wilson
from glassware.models import MLP
from glassware.studies.cells import at_most as error_at_most
from glassware.studies.cells import known, pooled
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.shared.curves import TEST, points, reach
from glassware.studies.hidden_progress.shared.fits import factor_between
from glassware.studies.hidden_progress.shared.rows import rows
from glassware.studies.hidden_progress.shared.trials import repeat
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, at_least, at_most, counted
from glassware.studies.words import counts_in_words, time_in_words
from glassware.sweeps import grid
from glassware.tasks import Parity
from glassware.training import SGD, Evaluation, Run

NOISES, PAPER_NOISES = (0.0, 0.25, 0.4), (0.0, 0.1, 0.25, 0.4, 0.45, 0.49)
BATCHES = (32, 1024)
WRONG_99, WRONG_90 = 0.01, 0.1
SEEDS, PAPER_SEEDS = 40, 20
BETTER_OF_TWO = 2.2414  # normal quantile of a 97.5% interval: 95% for the better of two


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Every share of flipped labels at both batch sizes."""
    if scale == "smoke":
        return repeat(_grid(_run(12, 2, 600, 50), (0.0, 0.25), (32,)), seeds or 2)
    if scale == "laptop":
        return repeat(_grid(_run(30, 3, 40_000, 50), NOISES, BATCHES), seeds or SEEDS)
    return repeat(_grid(_run(50, 3, 500_000, 500), PAPER_NOISES, BATCHES), seeds or PAPER_SEEDS, 0)


def _run(n: int, k: int, steps: int, every: int) -> Run:
    evaluation = Evaluation(every=every, test=8192, success=WRONG_99)
    return Run(task=Parity(n=n, k=k), model=MLP(width=100), optimiser=SGD(lr=0.1), steps=steps, evaluation=evaluation)


def _grid(base: Run, noises: Sequence[float], batches: Sequence[int]) -> list[Run]:
    return grid(base, {"task.noise": noises, "batch": batches})


def cell(frame: pl.DataFrame, n: int, noise: float, batch: int) -> pl.DataFrame:
    """The runs with this share of flipped labels."""
    # The column has single precision.
    found = rows(frame, n=n, batch=batch)
    return found.filter((pl.col("noise").cast(pl.Float64) - noise).abs() < 1e-6) if len(found) else found


def times_to_90(frame: pl.DataFrame, n: int, noise: float, batch: int) -> list[float]:
    """First steps at 90% accuracy; never where a run does not get there."""
    found = cell(frame, n, noise, batch)
    return [reach(row, WRONG_90) for row in found.iter_rows(named=True)] if len(found) else []


# -- claims -----------------------------------------------------------------------------------------------------------


def all_learn(frame: pl.DataFrame) -> Finding:
    """How many runs reach an accuracy of 99% on clean labels."""
    cells = []
    for batch in BATCHES:
        for noise in NOISES:
            found = [_lowest(row) for row in cell(frame, 30, noise, batch).iter_rows(named=True)]
            good = sum(error_at_most(error, WRONG_99) for error in found)
            cells.append((f"B={batch} p={noise:g}", (good, len(found))))
    won, trials = pooled([count for _, count in cells])
    if not all(runs for _, (_, runs) in cells):
        return NOT_ENOUGH
    return counted(won, trials, trials, counts_in_words(cells))


def noise_stretches_time(frame: pl.DataFrame) -> Finding:
    """The factor by which t90 (1 - 2p) differs from its value without noise, for each share p, B = 1024."""
    return _stretch(frame, 30, NOISES, 2.0)


def noise_stretches_time_at_scale(frame: pl.DataFrame) -> Finding:
    """The same on (50, 3), with up to 49% flips."""
    return _stretch(frame, 50, PAPER_NOISES, 3.0)


def learns_from_almost_random_labels(frame: pl.DataFrame) -> Finding:
    """Share of runs that reach 90% accuracy with 49% of the labels flipped, in the better of the two batch sizes."""
    shares = [
        (batch, wilson(sum(t < NEVER for t in found), len(found), BETTER_OF_TWO))
        for batch in BATCHES
        if (found := times_to_90(frame, 50, 0.49, batch))
    ]
    if not shares:
        return NOT_ENOUGH
    most = max((share for _, share in shares), key=lambda e: e.value)
    return Finding(most, at_least(3 / 5), "points", "; ".join(f"B={batch}: {e.value:.0%}" for batch, e in shares))


def small_batches_feel_noise_more(frame: pl.DataFrame) -> Finding:
    """How many times longer t90 is at p = 0.4 than without noise: factor at B = 32 over factor at B = 1024."""
    cells = [times_to_90(frame, 30, noise, batch) for batch in BATCHES for noise in (0.0, 0.4)]
    if not all(cells):
        return NOT_ENOUGH
    factor = bootstrap(lambda a, b, c, d: ratio(ratio(median(b), median(a)), ratio(median(d), median(c))), *cells)
    detail = "; ".join(
        f"B={batch}: {median(clean):.0f} → {median(noisy):.0f}"
        for batch, clean, noisy in zip(BATCHES, cells[::2], cells[1::2], strict=True)
    )
    return Finding(factor, above(1), "times", detail)


def _stretch(frame: pl.DataFrame, n: int, noises: Sequence[float], within: float) -> Finding:
    cells = [times_to_90(frame, n, noise, BATCHES[-1]) for noise in noises]
    if not all(cells):
        return NOT_ENOUGH
    factors = [
        bootstrap(lambda clean, noisy, p=p: factor_between((1 - 2 * p) * median(noisy), median(clean)), cells[0], found)
        for p, found in zip(noises[1:], cells[1:], strict=True)
    ]
    detail = "; ".join(
        f"p={p:g}: t90 {time_in_words(t)}, times 1-2p {time_in_words((1 - 2 * p) * t)}"
        for p, t in zip(noises, map(median, cells), strict=True)
    )
    return all_of([Finding(factor, at_most(within), "times") for factor in factors], detail)


def _lowest(row: dict[str, list[float]]) -> float:
    return min((known(error) for error in row[TEST]), default=1.0)


CLAIMS = (
    Claim(
        "16-learns",
        "The parity is learned although labels are flipped",
        "Figure 16",
        "every run reaches 99% accuracy on clean labels, p ≤ 0.4, B = 32 and 1024",
        all_learn,
        ("laptop",),
    ),
    Claim(
        "16-scaling",
        "With large batches noise stretches the plateau by 1 / (1 - 2p)",
        "Figure 16; Section 4",
        "median t90 times 1 - 2p within 2 times of its value without noise, B = 1024",
        noise_stretches_time,
        ("laptop",),
    ),
    Claim(
        "16-small-batches",
        "Noise costs small batches more",
        "Figure 16",
        "t90 grows by a larger factor from p = 0 to 0.4 at B = 32 than at B = 1024",
        small_batches_feel_noise_more,
        ("laptop",),
        note="seeds were added after 5 and then 20 had left it too close to call",
    ),
    Claim(
        "16-almost-random",
        "Features are learned even with 49% of the labels flipped",
        "Figure 16",
        "90% accuracy in ≥ 3/5 of the runs at p = 0.49, at one of the batch sizes",
        learns_from_almost_random_labels,
        ("paper",),
        note="the better of two batch sizes: its interval is corrected for the choice",
    ),
    Claim(
        "16-scaling-at-scale",
        "With large batches noise stretches the plateau by 1 / (1 - 2p)",
        "Figure 16; Section 4",
        "median t90 times 1 - 2p within 3 times of its value without noise, B = 1024, p ≤ 0.49",
        noise_stretches_time_at_scale,
        ("paper",),
    ),
)


def _figure(frame: pl.DataFrame) -> object:
    named = frame.with_columns(
        name=pl.format("{}% flipped", (100 * pl.col("noise")).round(0).cast(pl.Int64)),
        panel=pl.format("({}, {}), B = {}", "n", "k", "batch"),
    ).sort("batch", "noise", maintain_order=True)
    return lines(
        points(named, {TEST: "error"}, "panel", "name"), x="step", y="value", line="run", kind="name", panel="panel",
        title="Training on flipped labels, by their share", log_x=True, own_x=False, y_domain=(0.0, 0.6), percent=True,
        subtitle="error on clean labels along training on flipped ones, a line per seed", x_title="training step",
        y_title="test error on clean labels", columns=2,
    )  # fmt: skip


STUDY = Study(
    name="hidden-progress/noisy",
    title="Training on flipped labels",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"curves": _figure},
)
