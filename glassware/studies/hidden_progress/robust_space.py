"""The robust space: fifteen settings, three initialisations, three losses and every batch size learn (Finding 1).

The paper's first finding: whatever the network, its initial weights, its loss and its batch size, some learning rate
makes at least a fifth of the runs reach 100% accuracy within 100,000 steps. Three smaller or stranger networks, (*i) to
(*iii), do so from batches of 16 on. A cell here is a choice of all of these; the learning rate is what it may pick.

Grids
    paper   n in {10, 20, 30} x k in {2, 3, 4} x B in {1, 2, 4, .., 1024} x three initialisations x three losses x 15
            settings: 13,365 cells; (*i), (*ii) from B = 16 on: 1,134 cells; all with learning rates {1, 0.1, 0.01,
            0.001}. The Transformer (*iii) from B = 16 on with hinge loss and its own initialisation alone: 63 cells,
            Adam at {0.001, 0.0003, 0.0001}. 25 runs each, T = 100,000: 1,454,625 runs. ``part`` gives a share of them.
    laptop  135 cells: each setting with each pair of initialisation and loss once; B in {4, 32, 256}, n in {10, 20} and
            k in {2, 3} in turn, so that over all settings each meets each loss about equally often; 10 runs, T =
            20,000. The learning rates 0.1, 1, 0.01 and 0.001 are tried one after another until a fifth of a cell's
            runs converge: a cell that has passed passes whatever the other rates do. At least 1,350 runs.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    Initial weights: uniform within 1/sqrt(fan in) (``dense``), Gaussian of variance 2/fan in (``kaiming``), and signs
    over sqrt(fan in) (``sign``); biases likewise. Cross entropy is log(1 + exp(-y yhat)). Runs are examined every 10
    steps (at paper scale every 100) on 8,192 held-out examples, of which 128 are looked at first. The best rate is the
    one with most converged runs. Our own, weaker expectation (a sanity check, set after trial runs in which square loss
    on single neurons failed) does without the rate 0.001 and asks square loss for 70% of its cells only; the paper's
    claim, every cell at the best of four rates, is judged beside it.

    The paper names Glorot's scale for the uniform law and for signs, and says in the same sentence that it is the
    default of packages, which 1/sqrt(fan in) is. The scale matters for square loss on wide power networks: (vi) on
    (20, 2) at B = 4 learns in 10 of 10 runs at each of the rates 0.1, 0.01 and 0.001 from Glorot's scale, from ours at
    0.001 alone (uniform and signs, 10 of 10); (iii) on (20, 3) at B = 4 likewise from Glorot's, from ours at 0.01 alone
    (uniform, 10 of 10). The printed tables were made with 1/sqrt(fan in), not with Glorot's scale
    (the numbers are in ``tables``), so that it stays. What remains are Gaussian weights, which the paper takes from
    Kaiming's convention as we do: with square loss (vi) on (20, 2) at B = 4 diverges from them in 10 of 10 runs at
    every rate, and (v) on (10, 3) at B = 256 at all but 0.001 (9 of 10 learn there).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import NamedTuple

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.tiles import tiles
from glassware.foundation.statistics import Estimate, wilson
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.shared.settings import ROBUST
from glassware.studies.hidden_progress.shared.space import (
    INITS,
    LOSSES,
    PAPER_SEEDS,
    Best,
    Cell,
    best_rates,
    every_rate,
    paper_cells,
)
from glassware.studies.hidden_progress.shared.trials import repeat
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, Verdict, at_least
from glassware.training import Run

ENOUGH = 0.2  # share of runs that must converge

LAPTOP_RATES = (0.1, 1.0, 0.01, 0.001)  # in the order in which they are tried
SLOWEST = 0.001  # in the paper's grid, not in our sanity checks
LAPTOP_STEPS, LAPTOP_SEEDS = 20_000, 10


def cells(scale: Scale) -> Iterator[Cell]:
    """Every cell of a scale, those that share a compiled program one after another."""
    if scale == "smoke":
        yield from (Cell("xi", 8, 2, 16, init, "square") for init in INITS)
        yield from (Cell("i", 8, 2, 16, init, "hinge") for init in INITS)
    elif scale == "laptop":
        yield from LAPTOP_CELLS
    else:
        yield from paper_cells()


def _sampled() -> Iterator[Cell]:
    """Nine cells per setting: three places, one per loss and one per batch size, each with all initialisations.

    What goes together changes from setting to setting, so that over all of them every loss meets every batch size
    equally often. Initialisations share a place because they share a compiled program, which is what costs time.
    """
    for (s, setting), (j, loss) in product(enumerate(ROBUST), enumerate(LOSSES)):
        turn = 3 * s + j + s // 4
        place = (10, 20)[turn % 2], (2, 3)[turn // 2 % 2], (4, 32, 256)[(s + j) % 3]
        yield from (Cell(setting, *place, init, loss) for init in INITS)


LAPTOP_CELLS = tuple(_sampled())


def _stage(turn: int) -> Callable[[Scale, int | None, pl.DataFrame], list[Run]]:
    """The ``turn``-th learning rate; at paper scale all are in the first."""

    def runs(scale: Scale, seeds: int | None, table: pl.DataFrame) -> list[Run]:
        if scale == "paper":
            return every_rate(cells(scale), seeds or PAPER_SEEDS) if turn == 0 else []
        steps, count = (LAPTOP_STEPS, LAPTOP_SEEDS) if scale == "laptop" else (400, 3)
        passed = {cell for cell, best in best_rates(table).items() if best.share >= ENOUGH}
        left = [cell.run(LAPTOP_RATES[turn], steps) for cell in cells(scale) if cell not in passed]
        return repeat(left, seeds or count)

    return runs


# -- claims -----------------------------------------------------------------------------------------------------------


class Tally(NamedTuple):
    """Cells that pass, cells that fail at every rate, and how many are still open."""

    passed: int
    failed: list[tuple[Cell, Best]]
    open: int

    @property
    def measured(self) -> Estimate:
        return wilson(self.passed, self.passed + len(self.failed))

    def text(self) -> str:
        words = [f"{self.passed} of {self.passed + len(self.failed)} cells pass"]
        words += [f"{self.open} cells not run"] if self.open else []
        words += [f"{cell.text()}: {best.won}/{best.trials} at rate {best.lr:g}" for cell, best in self.failed]
        return "; ".join(words)


def tally(frame: pl.DataFrame, wanted: Iterable[Cell], *, slowest: bool = True) -> Tally:
    """How the wanted cells fare.

    A cell has failed only when all its learning rates were tried (``slowest``: 0.001 among them).
    """
    cells_ = list(wanted)
    best = best_rates(frame if slowest or not len(frame) else frame.filter(pl.col("lr") > SLOWEST))
    known = [(cell, best[cell]) for cell in cells_ if cell in best]
    passed = sum(found.share >= ENOUGH for _, found in known)
    failed = [
        (cell, found)
        for cell, found in known
        if found.share < ENOUGH and found.rates >= len(cell.rates) - (not slowest)
    ]
    return Tally(passed, failed, len(cells_) - passed - len(failed))


def _every(found: Tally) -> Finding:
    """Whether all cells pass; where some are open the verdict waits, unless one has failed."""
    if not found.passed and not found.failed:
        return NOT_ENOUGH
    verdict: Verdict = "fails" if found.failed else "not enough runs" if found.open else "holds"
    return Finding(found.measured, verdict, "points", found.text())


def hinge_and_logistic_cells(frame: pl.DataFrame) -> Finding:
    """Share of the sampled cells with hinge loss or cross entropy in which a fifth of the runs converge."""
    return _every(tally(frame, (cell for cell in LAPTOP_CELLS if cell.loss != "square"), slowest=False))


def square_cells(frame: pl.DataFrame) -> Finding:
    """Share of the sampled cells with square loss in which a fifth of the runs converge."""
    found = tally(frame, (cell for cell in LAPTOP_CELLS if cell.loss == "square"), slowest=False)
    if found.open:
        return NOT_ENOUGH
    return Finding(found.measured, at_least(0.7), "points", found.text())


def every_sampled_cell(frame: pl.DataFrame) -> Finding:
    """Share of all sampled cells in which a fifth of the runs converge."""
    return _every(tally(frame, LAPTOP_CELLS))


def every_cell(frame: pl.DataFrame) -> Finding:
    """Share of the paper's cells of (i) to (xv) in which a fifth of the runs converge."""
    return _every(tally(frame, (cell for cell in paper_cells() if cell.setting in ROBUST)))


def every_starred_cell(frame: pl.DataFrame) -> Finding:
    """Share of the cells of (*i) to (*iii) from B = 16 on in which a fifth of the runs converge."""
    return _every(tally(frame, (cell for cell in paper_cells() if cell.setting not in ROBUST)))


CLAIMS = (
    Claim(
        "ef1-hinge-and-cross-entropy",
        "With hinge loss and cross entropy every setting learns",
        "Section 3, Empirical Finding 1",
        "≥ 20% of runs converge at the best of the rates 1, 0.1, 0.01 in every sampled cell",
        hinge_and_logistic_cells,
        ("laptop",),
        source="ours",
    ),
    Claim(
        "ef1-square",
        "With square loss most settings learn",
        "Section 3, Empirical Finding 1",
        "≥ 20% of runs converge at the best of the rates 1, 0.1, 0.01 in ≥ 70% of the sampled cells",
        square_cells,
        ("laptop",),
        source="ours",
    ),
    Claim(
        "ef1-every-sampled-cell",
        "Every setting learns with every initialisation, loss and batch size (on a sample)",
        "Section 3, Empirical Finding 1",
        "≥ 20% of runs converge at the best of the rates 1, 0.1, 0.01, 0.001 in every sampled cell",
        every_sampled_cell,
        ("laptop",),
        note="10 runs and 20,000 steps per cell; the paper has 25 and 100,000",
    ),
    Claim(
        "ef1-every-cell",
        "Every setting learns with every initialisation, loss and batch size",
        "Section 3, Empirical Finding 1",
        "≥ 20% of 25 runs converge within 100,000 steps at the best rate in every cell of (i) to (xv)",
        every_cell,
        ("paper",),
    ),
    Claim(
        "ef1-every-starred-cell",
        "Networks of width k and the Transformer learn from batches of 16 on",
        "Section 3, Empirical Finding 1",
        "≥ 20% of 25 runs converge within 100,000 steps at the best rate in every cell of (*i) to (*iii), B ≥ 16",
        every_starred_cell,
        ("paper",),
    ),
)


# -- figure -----------------------------------------------------------------------------------------------------------


def _figure(frame: pl.DataFrame) -> object:
    """The worst cell of each setting, loss and initialisation."""
    worst: dict[tuple[str, str, str], tuple[Cell, Best]] = {}
    for cell, best in best_rates(frame).items():
        place = cell.setting, cell.loss, cell.init
        if place not in worst or best.share < worst[place][1].share:
            worst[place] = cell, best
    ordered = sorted(worst.items(), key=lambda item: (LOSSES.index(item[1][0].loss), _rank(item[0][0]), item[0][2]))
    names = {"dense": "uniform", "kaiming": "Gaussian", "sign": "signs", "glorot": "Glorot"}
    losses = {"hinge": "hinge loss", "square": "square loss", "logistic": "cross entropy"}
    table = pl.DataFrame(
        [
            {
                "panel": losses[loss],
                "row": f"({setting})",
                "column": names[init],
                "value": best.share,
                "text": f"{best.share:.0%}  n={cell.n} k={cell.k} B={cell.batch}",
            }
            for (setting, loss, init), (cell, best) in ordered
        ]
    )
    return tiles(
        table,
        scale=alt.Scale(domain=[0, 0.2, 1], range=["#c2410c", "#fde9c9", "#2b6cb0"], interpolate="rgb"),
        title="The robust space: converged runs at the best learning rate",
        subtitle="the worst cell of each setting, loss and initialisation, at the best rate tried; 20% is enough",
        x_title="initial weights",
        y_title="setting",
        value_title="converged runs",
        percent=True,
        tile_width=132,
        legend_values=[0, 0.2, 0.6, 1],
    )


def _rank(setting: str) -> int:
    return [*ROBUST, "*i", "*ii", "*iii"].index(setting)


STUDY = Study(
    name="hidden-progress/robust-space",
    title="Settings, initialisations, losses and batch sizes that learn a parity",
    about=__doc__ or "",
    stages=tuple(_stage(turn) for turn in range(len(LAPTOP_RATES))),
    claims=CLAIMS,
    figures={"cells": _figure},
    paper_runs=1_454_625,
)
