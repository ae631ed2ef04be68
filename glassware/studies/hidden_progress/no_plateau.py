"""Wide networks of powers have no plateau, ReLU networks keep theirs (Figure 17).

Test error of networks with activation z^k falls nearly linearly from the start when they are wide and batches are
large. A ReLU network of any width goes down a sharp stair.

Grids
    paper   (50, 3), cubic networks (iv), (v), (vi) of width 10, 100 and 1000 at rate 0.01 and ReLU networks of the same
            widths at rate 0.1, B in {32, 256, 1024}, 5 seeds from 0, T = 100,000: 90 runs.
    laptop  (30, 3), B = 256: cubic networks of width 10, 100 and 1000 and a ReLU network of width 100; the widest cubic
            network also at B = 32. 10 seeds from 100, T = 20,000, examined every 10 steps: 50 runs.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    Learning rates: 0.01 for powers, 0.1 for ReLU. What a plateau is: the plateau index t(40%) / t(1%), the share of the
    way to an error of 1% that is spent above 40%; a straight line from one half has 0.2. Errors are measured on 4,096
    examples; a run ends at 1%.
"""

from __future__ import annotations

import math
from itertools import pairwise

import polars as pl

from glassware.charts.lines import lines
from glassware.foundation.statistics import Estimate, bootstrap, median
from glassware.models import MLP
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.shared.curves import LEARNED, TEST, plateau_index, points
from glassware.studies.hidden_progress.shared.rows import rows
from glassware.studies.hidden_progress.shared.trials import repeat, trial
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding
from glassware.training import Run

WIDTHS = (10, 100, 1000)
RATES = {"power": 0.01, "relu": 0.1}
PAPER_BATCHES = (32, 256, 1024)


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Cubic networks of three widths, and ReLU networks."""
    if scale == "smoke":
        cells = [_run(12, "power", width, 32, steps=300) for width in (10, 30)]
        return repeat([*cells, _run(12, "relu", 30, 32, steps=300)], seeds or 2)
    if scale == "laptop":
        cubic = [_run(30, "power", width, 256, steps=20_000) for width in WIDTHS]
        others = [_run(30, "relu", 100, 256, steps=20_000), _run(30, "power", 1000, 32, steps=20_000)]
        return repeat([*cubic, *others], seeds or 10)
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


# -- claims -----------------------------------------------------------------------------------------------------------


def wide_cubic_starts_at_once(frame: pl.DataFrame) -> Finding:
    """Median plateau index of the cubic network of width 1000, which must also lie 0.1 below that of width 10."""
    narrow, wide = (indices(frame, 30, "power", width, 256) for width in (10, 1000))
    if not narrow or not wide:
        return NOT_ENOUGH
    found = bootstrap(median, wide)
    holds = found.value <= 0.45 and found.value <= median(narrow) - 0.1
    return Finding(found, holds, "", f"{_spread('r=1000', wide)}; {_spread('r=10', narrow)}")


def relu_has_a_plateau(frame: pl.DataFrame) -> Finding:
    """Median plateau index of the ReLU network of width 100."""
    cell = indices(frame, 30, "relu", 100, 256)
    if not cell:
        return NOT_ENOUGH
    found = bootstrap(median, cell)
    return Finding(found, found.value >= 0.6, "", _spread("r=100", cell))


def plateau_shrinks_with_width(frame: pl.DataFrame) -> Finding:
    """Larger of two differences of median plateau indices: width 100 minus 10, and 1000 minus 100."""
    cells = [indices(frame, 30, "power", width, 256) for width in WIDTHS]
    return _falls(cells, [f"r={width}" for width in WIDTHS])


def plateau_shrinks_with_batch(frame: pl.DataFrame) -> Finding:
    """Median plateau index of the cubic network of width 1000 at B = 256 minus that at B = 32."""
    cells = [indices(frame, 30, "power", 1000, batch) for batch in (32, 256)]
    return _falls(cells, ["B=32", "B=256"])


def cubic_below_relu(frame: pl.DataFrame) -> Finding:
    """Median plateau index of (vi) minus that of (iii), B = 1024."""
    relu, cubic = (indices(frame, 50, name, 1000, 1024) for name in ("relu", "power"))
    if not relu or not cubic:
        return NOT_ENOUGH
    gap = bootstrap(lambda a, b: median(b) - median(a), relu, cubic)
    return Finding(gap, gap.value <= -0.15, "", f"{_spread('(iii)', relu)}; {_spread('(vi)', cubic)}")


def _falls(cells: list[list[float]], names: list[str]) -> Finding:
    """The largest change of the median from a cell to the next; below 0 if it always falls."""
    if not all(cells):
        return NOT_ENOUGH
    changes: list[Estimate] = [
        bootstrap(lambda a, b: median(b) - median(a), before, after) for before, after in pairwise(cells)
    ]
    worst = max(changes, key=lambda e: e.value)
    detail = "; ".join(_spread(name, cell) for name, cell in zip(names, cells, strict=True))
    return Finding(worst, worst.value < 0, "", detail)


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
        "A ReLU network keeps its plateau",
        "Figure 17",
        "median plateau index of width 100 ≥ 0.6",
        relu_has_a_plateau,
        ("laptop",),
    ),
    Claim(
        "17-width",
        "The plateau of cubic networks shrinks with width",
        "Figure 17",
        "median plateau index falls from width 10 to 100 to 1000",
        plateau_shrinks_with_width,
        ("laptop",),
    ),
    Claim(
        "17-batch",
        "The plateau of cubic networks shrinks with the batch",
        "Figure 17",
        "median plateau index of width 1000 is lower at B = 256 than at B = 32",
        plateau_shrinks_with_batch,
        ("laptop",),
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
        subtitle="test error along training, a line a seed", own_x=False, y_domain=(0.0, 0.6), percent=True,
    )  # fmt: skip


STUDY = Study(
    name="hidden-progress/no-plateau",
    title="Wide cubic networks learn without a plateau, ReLU networks do not",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"curves": _figure},
)
