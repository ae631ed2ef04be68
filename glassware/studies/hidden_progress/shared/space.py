"""Cells of the robust space: what a run may choose, the paper's grid of them, and each at its best learning rate."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

import polars as pl

from glassware.foundation.statistics import NEVER
from glassware.models import Init
from glassware.studies.hidden_progress.shared.rows import cells as times_by
from glassware.studies.hidden_progress.shared.settings import ROBUST
from glassware.studies.hidden_progress.shared.trials import repeat, trial
from glassware.training import Run

INITS = ("dense", "kaiming", "sign")
LOSSES: tuple[str, ...] = ("hinge", "square", "logistic")
RATES = (1.0, 0.1, 0.01, 0.001)
ADAM_RATES = (0.001, 0.0003, 0.0001)
SIZES, KS, BATCHES = (10, 20, 30), (2, 3, 4), tuple(2**i for i in range(11))
LEAST_STARRED_BATCH = 16
PAPER_SEEDS = 25
PAPER_EVERY = 100  # a curve of 100,000 steps then has 1,000 points


class Cell(NamedTuple):
    """What a run of the robust space chooses, apart from its learning rate and its seed."""

    setting: str
    n: int
    k: int
    batch: int
    init: str
    loss: str

    def run(self, lr: float, steps: int, every: int = 10) -> Run:
        """A run of the cell."""
        init = Init.model_validate({"scheme": self.init})
        return trial(
            self.setting,
            self.n,
            self.k,
            lr=lr,
            batch=self.batch,
            steps=steps,
            every=every,
            loss=self.loss,
            init=init,
        )

    @property
    def rates(self) -> tuple[float, ...]:
        """The learning rates of the paper's grid."""
        return ADAM_RATES if self.setting == "*iii" else RATES

    def text(self) -> str:
        return f"({self.setting}) n={self.n} k={self.k} B={self.batch} {self.init} {self.loss}"


def paper_cells() -> Iterator[Cell]:
    """Every cell of the paper's grid, those that share a compiled program one after another."""
    for setting, n, batch, loss in product((*ROBUST, "*i", "*ii"), SIZES, BATCHES, LOSSES):
        if setting in ROBUST or batch >= LEAST_STARRED_BATCH:
            yield from (Cell(setting, n, k, batch, init, loss) for k in KS for init in INITS)
    for n, batch, k in product(SIZES, BATCHES, KS):
        if batch >= LEAST_STARRED_BATCH:
            yield Cell("*iii", n, k, batch, "glorot", "hinge")


def part(share: float, index: int = 0) -> list[list[Cell]]:
    """One of 1/share equal parts of the paper's grid, ``index`` = 0, 1, ..; together they are all of it.

    Cells that a GPU trains side by side are a list: those of one setting, n and batch size. Lists are dealt out at
    random (always in the same way): every part is a fair sample of the grid and compiles its share of the programs.
    """
    groups: dict[object, list[Cell]] = {}
    for cell in paper_cells():
        groups.setdefault((cell.setting, cell.n, cell.batch), []).append(cell)
    dealt = list(groups.values())
    random.Random(0).shuffle(dealt)
    return dealt[index :: round(1 / share)]


def every_rate(some: Iterable[Cell], seeds: int = PAPER_SEEDS) -> list[Run]:
    """Runs of the paper's grid. Of a cell one is validated: the others differ in their rate alone."""
    bases = ((cell.rates, cell.run(cell.rates[0], 100_000, PAPER_EVERY)) for cell in some)
    return repeat((_at_rate(base, lr) for rates, base in bases for lr in rates), seeds)


def _at_rate(run: Run, lr: float) -> Run:
    return run.model_copy(update={"optimiser": run.optimiser.model_copy(update={"lr": lr})})


class Best(NamedTuple):
    """A cell at the learning rate with most converged runs."""

    lr: float
    won: int
    trials: int
    rates: int  # learning rates tried

    @property
    def share(self) -> float:
        return self.won / self.trials


def best_rates(frame: pl.DataFrame) -> dict[Cell, Best]:
    """Every cell that has runs, at its best rate."""
    found: dict[Cell, list[tuple[float, int, int]]] = {}
    for (*key, lr), times in times_by(frame, *Cell._fields, "lr").items():
        found.setdefault(Cell(*key), []).append((lr, sum(t < NEVER for t in times), len(times)))
    return {
        cell: Best(*max(rates, key=lambda rate: (rate[1] / rate[2], rate[1])), len(rates))
        for cell, rates in found.items()
    }
