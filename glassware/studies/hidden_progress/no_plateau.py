"""Wide networks of powers have no plateau, ReLU networks keep theirs (Figure 17).

Test error of networks with activation z^k falls nearly linearly from the start when they are wide and batches are
large. A ReLU network of any width goes down a sharp stair.

Grids
    paper   (50, 3), cubic networks (iv), (v), (vi) of width 10, 100 and 1000 at rate 0.01 and ReLU networks of the same
            widths at rate 0.1, B in {32, 256, 1024}, 5 seeds from 0, T = 100,000: 90 runs.
    laptop  (30, 3), B = 32 and 256: cubic networks of width 10, 100 and 1000 and a ReLU network of width 100. 40 seeds
            from 100, T = 20,000, examined every 10 steps: 320 runs.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    Learning rates: 0.01 for powers, 0.1 for ReLU. How fast an error descends: in how many steps it is down to 25%, half
    of the way. What a plateau is: the plateau index t(40%) / t(1%), the share of the
    way to an error of 1% that is spent above 40%; a straight line from one half has 0.2. Errors are measured on 4,096
    examples; a run ends at 1%.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import polars as pl

from glassware.charts.lines import lines
from glassware.foundation.statistics import bootstrap, median, median_ratio
from glassware.models import MLP
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.shared.curves import (
    LEARNED,
    NO_PLATEAU,
    TEST,
    plateau_index,
    points,
    reach,
)
from glassware.studies.hidden_progress.shared.findings import MORE_RUNS, each, enough
from glassware.studies.hidden_progress.shared.rows import rows
from glassware.studies.hidden_progress.shared.trials import repeat, trial
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, all_of, at_least, at_most, below
from glassware.studies.words import time_in_words
from glassware.training import Run

WIDTHS = (10, 100, 1000)
BATCHES = (32, 256)
HALF_WAY = 0.25
RATES = {"power": 0.01, "relu": 0.1}
PAPER_BATCHES = (32, 256, 1024)


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Cubic networks of three widths, and ReLU networks."""
    if scale == "smoke":
        cells = [_run(12, "power", width, 32, steps=300) for width in (10, 30)]
        return repeat([*cells, _run(12, "relu", 30, 32, steps=300)], seeds or 2)
    if scale == "laptop":
        cubic = [_run(30, "power", width, batch, steps=20_000) for width in WIDTHS for batch in BATCHES]
        return repeat([*cubic, *(_run(30, "relu", 100, batch, steps=20_000) for batch in BATCHES)], seeds or 40)
    cells = [_run(50, name, width, batch) for name in RATES for width in WIDTHS for batch in PAPER_BATCHES]
    return repeat(cells, seeds or 5, 0)


def _run(n: int, activation: str, width: int, batch: int, steps: int = 100_000) -> Run:
    network = MLP(width=width, activation=activation, degree=None if activation == "relu" else 3)
    run = trial(network, n, 3, lr=RATES[activation], batch=batch, steps=steps, test=4096, screen=4096)
    return run.model_copy(update={"evaluation": run.evaluation.model_copy(update={"success": LEARNED})})


def indices(frame: pl.DataFrame, n: int, activation: str, width: int, batch: int) -> list[float]:
    """Plateau indices of a cell's runs that learn."""
    found = rows(frame, n=n, activation=activation, width=width, batch=batch)
    measured = [plateau_index(row) for row in found.iter_rows(named=True)] if len(found) else []
    return [index for index in measured if not math.isnan(index)]


def descents(frame: pl.DataFrame, width: int, batch: int) -> list[float]:
    """Steps in which a cell's cubic networks have come half of the way down, to an error of 25%."""
    found = rows(frame, n=30, activation="power", width=width, batch=batch)
    return [reach(row, HALF_WAY) for row in found.iter_rows(named=True)] if len(found) else []


# -- claims -----------------------------------------------------------------------------------------------------------


def wide_cubic_starts_at_once(frame: pl.DataFrame) -> Finding:
    """Median plateau index of the cubic network of width 1000, which must also lie 0.1 below that of width 10."""
    narrow, wide = (indices(frame, 30, "power", width, 256) for width in (10, 1000))
    if not enough(narrow, wide):
        return NOT_ENOUGH
    found = Finding(bootstrap(median, wide), at_most(NO_PLATEAU))
    lower = Finding(bootstrap(_change, narrow, wide), at_most(-0.1))
    return all_of([found, lower], f"{_spread('r=1000', wide)}; {_spread('r=10', narrow)}")


def relu_has_a_plateau(frame: pl.DataFrame) -> Finding:
    """Median plateau index of the ReLU network of width 100 at two batch sizes."""
    cells = {batch: indices(frame, 30, "relu", 100, batch) for batch in BATCHES}
    if not enough(*cells.values()):
        return NOT_ENOUGH
    detail = "; ".join(_spread(f"B={batch}", cell) for batch, cell in cells.items())
    return each((bootstrap(median, cell) for cell in cells.values()), at_least(0.6), "", detail)


def wider_descends_faster(frame: pl.DataFrame) -> Finding:
    """Median steps half of the way down at width 100 over those at 10, and 1000 over 100, B = 256."""
    cells = [descents(frame, width, 256) for width in WIDTHS]
    return _faster(list(pairwise(cells)), [f"r={width}" for width in WIDTHS], cells)


def larger_batches_descend_faster(frame: pl.DataFrame) -> Finding:
    """Median steps half of the way down at B = 256 over those at B = 32, at every width."""
    pairs = [(descents(frame, width, BATCHES[0]), descents(frame, width, BATCHES[1])) for width in WIDTHS]
    names = [f"r={width} B={batch}" for width in WIDTHS for batch in BATCHES]
    return _faster(pairs, names, [cell for pair in pairs for cell in pair])


def cubic_below_relu(frame: pl.DataFrame) -> Finding:
    """Median plateau index of (vi) minus that of (iii), B = 1024."""
    relu, cubic = (indices(frame, 50, name, 1000, 1024) for name in ("relu", "power"))
    if not enough(relu, cubic):
        return NOT_ENOUGH
    gap = bootstrap(_change, relu, cubic)
    return Finding(gap, at_most(-0.15), "", f"{_spread('(iii)', relu)}; {_spread('(vi)', cubic)}")


def _faster(
    pairs: Sequence[tuple[list[float], list[float]]], names: Sequence[str], cells: Sequence[list[float]]
) -> Finding:
    """Steps of the second cell of each pair over those of the first: below 1 if it descends faster."""
    if not enough(*cells):
        return NOT_ENOUGH
    words = (f"{name}: {time_in_words(median(cell))}" for name, cell in zip(names, cells, strict=True))
    detail = f"median steps to an error of 25%: {'; '.join(words)}"
    return each((bootstrap(median_ratio, fast, slow) for slow, fast in pairs), below(1), "times", detail)


def _change(before: Sequence[float], after: Sequence[float]) -> float:
    return median(after) - median(before)


def _spread(name: str, cell: list[float]) -> str:
    return f"{name}: {median(cell):.2f} ({min(cell):.2f} to {max(cell):.2f}, {len(cell)} runs)"


CLAIMS = (
    Claim(
        "17-wide-cubic",
        "A wide cubic network's error falls from the start",
        "Figure 17",
        "median plateau index of width 1000 ≤ 0.45 and ≤ that of width 10 minus 0.1",
        wide_cubic_starts_at_once,
        ("laptop",),
    ),
    Claim(
        "17-relu-stair",
        "A ReLU network keeps its plateau at every batch size",
        "Figure 17",
        "median plateau index of width 100 ≥ 0.6 at B = 32 and 256",
        relu_has_a_plateau,
        ("laptop",),
        note=f"sharpened: B = 256 alone was judged; {MORE_RUNS}",
    ),
    Claim(
        "17-width",
        "The error of cubic networks descends faster with width",
        "Figure 17",
        "fewer median steps to an error of 25% at width 100 than at 10, and at 1000 than at 100, B = 256",
        wider_descends_faster,
        ("laptop",),
        note="the paper speaks of the rate of descent; the plateau's share of the way, judged before, is not it",
    ),
    Claim(
        "17-batch",
        "The error of cubic networks descends faster with the batch",
        "Figure 17",
        "fewer median steps to an error of 25% at B = 256 than at B = 32, widths 10, 100 and 1000",
        larger_batches_descend_faster,
        ("laptop",),
        note="the paper speaks of the rate of descent; the plateau's share of the way, judged before, is not it",
    ),
    Claim(
        "17-cubic-below-relu",
        "The wide cubic network has less of a plateau than the wide ReLU network",
        "Figure 17",
        "median plateau index of (vi) ≤ that of (iii) minus 0.15 at B = 1024",
        cubic_below_relu,
        ("paper",),
    ),
)


def _figure(frame: pl.DataFrame) -> object:
    kind = pl.when(pl.col("activation") == "relu").then(pl.lit("ReLU")).otherwise(pl.lit("z³"))
    named = frame.with_columns(
        name=pl.format("{}, r = {}", kind, "width"), panel=pl.format("({}, {}), B = {}", "n", "k", "batch")
    ).sort("activation", "width", "batch", maintain_order=True)
    return lines(
        points(named, {TEST: "error"}, "panel", "name"), x="step", y="value", line="run", kind="name", panel="panel",
        title="Wide cubic networks beside ReLU networks", x_title="training step", y_title="test error", columns=3,
        subtitle="test error along training, a line per seed", own_x=False, y_domain=(0.0, 0.6), percent=True,
    )  # fmt: skip


STUDY = Study(
    name="hidden-progress/no-plateau",
    title="Wide cubic networks learn without a plateau, ReLU networks do not",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"curves": _figure},
)
