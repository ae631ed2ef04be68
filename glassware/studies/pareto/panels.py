"""The panels of the success frontier: a grid of sample sizes and widths for every n, k and way to draw first weights.

At paper scale the grid is searched (``luck/frontier.py``), narrow networks before wide ones: most of its device time
would go into failing runs of the widest. A search of some widths is part of that of more: its runs count there, too.
Rows (m50 of each width) come before columns (r50 of each m), of which they then tell most.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import Any, cast

import polars as pl

from glassware.luck.frontier import Frontier, Tally, frontiers, tally
from glassware.luck.lattice import Count, Place
from glassware.models import MLP, Init
from glassware.studies.claim import SCALES, Scale
from glassware.sweeps import Axes, grid
from glassware.tasks import Parity
from glassware.training import Evaluation, Run

DENSE, SPARSE = Init(), Init(scheme="sparse", s=2)
SAMPLES = [c * 10**e for e in (2, 3, 4, 5) for c in (1, 2, 3, 6)] + [10**6]
WIDTHS = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000]
SEEDS = 50  # of a cell of the paper's grid
WORK = 0.06  # of the grid's, which searching narrow networks first exceeds a little
CERTAIN = 40  # runs that say, where all are alike, that fewer than 10% succeed, or more than 90%
WIDEST = (1000, 3000, 10_000, 30_000, 100_000)  # of the first search of a panel, of the second, ..


def full_grid(scale: Scale, seeds: int | None) -> list[Run]:
    """The heat map, so many runs in every cell."""
    if scale == "smoke":
        base = Run(task=Parity(n=12, k=2), model=MLP(width=10), steps=600, evaluation=Evaluation(test=500))
        return grid(base, {"m": [20, 300, "online"], "model.width": [5, 30], "init": [DENSE, SPARSE]}, seeds=seeds or 3)
    if scale == "laptop":
        base = Run(
            task=Parity(n=50, k=3), model=MLP(width=10), steps=6000, evaluation=Evaluation(test=2000, screen=512)
        )
        samples: list[int | str] = [300, 600, 1000, 2000, 3000, 10_000, 100_000, "online"]
        axes: Axes = {"model.width": WIDTHS[:5], "m": samples, "init": [DENSE, SPARSE]}
        return grid(base, axes, seeds=seeds or 100)
    base = Run(task=Parity(n=50, k=3), model=MLP(width=10), steps=100_000, evaluation=Evaluation(screen=1024))
    axes = {
        "task.n": [50, 100, 150, 200, 250, 300],
        "task.k": [3, 4],
        "m": [*SAMPLES, "online"],
        "init": [DENSE, SPARSE],
    }
    widths = {"model.width": WIDTHS, "evaluation.every": [100 if r <= 1000 else 500 for r in WIDTHS]}
    return grid(base, axes, zips=[widths], seeds=seeds or SEEDS)


def heat_map(scale: Scale, seeds: int | None, rows: pl.DataFrame) -> list[Run]:
    """The next runs of the heat map: at paper scale, unless seeds are given, the next round of a search, else all."""
    if scale != "paper" or seeds is not None:
        return [] if len(rows) else full_grid(scale, seeds)
    counts, found = tally(rows), list[Run]()
    for searches in _searches():
        found += next((todo for one in searches if (todo := one.next(counts) or from_none_to_all(one, counts))), [])
    return found


def from_none_to_all(panel: Frontier, rows: Tally) -> list[Run]:
    """Runs that make sure that width alone takes success from none to all, which no edge needs: in the cheapest column.

    Of two cells in which none and all of a few runs have succeeded; nothing where there are none, or have enough runs.
    """
    counts = panel.counts(rows)
    prices, pairs = panel.lattice.prices(counts), list[dict[Place, int]]()
    for low, high in combinations(sorted(counts), 2):
        none, all_ = _lacking(counts[low], 0), _lacking(counts[high], counts[high].trials)
        if low[0] == high[0] and none is not None and all_ is not None:
            pairs.append({low: none, high: all_})
    cost = lambda todo: sum(prices[place] * more for place, more in todo.items())
    return panel.more(min(pairs, key=cost, default={}), counts)


def _lacking(count: Count, won: int) -> int | None:
    """Runs that a cell lacks to be sure of so many successes, none or all; nothing where it has others."""
    return max(0, CERTAIN - count.trials) if count.won == won else None


def panels_of(frame: pl.DataFrame) -> list[Frontier]:
    """All panels of the scale that these rows are of, those without a row included; none where there are no rows."""
    counts = tally(frame) if {"spec", "flops"} <= {*frame.columns} else {}
    scales = (panels(scale) for scale in SCALES) if counts else ()
    return next((found for found in scales if any(panel.counts(counts) for panel in found)), [])


def inferred(frame: pl.DataFrame) -> pl.DataFrame:
    """Cells without runs of which others tell, and the rate that is inferred: n, k, init, s, m, width, rate."""
    lines = list[tuple[Any, ...]]()
    counts = tally(frame)
    for panel in panels_of(frame):
        for place, rate in panel.lattice.inferred(panel.counts(counts), panel.lattice.levels[0]).items():
            run = panel.runs[place]
            task = cast(Parity, run.task)
            lines.append((task.n, task.k, run.init.scheme, run.init.s, run.m, run.network.widths[0], float(rate)))
    kinds = {"n": pl.Int64, "k": pl.Int64, "init": pl.String, "s": pl.Int64, "m": pl.Int64, "width": pl.Int64}
    return pl.DataFrame(lines, schema={**kinds, "rate": pl.Float64}, orient="row")


@lru_cache(maxsize=8)
def panels(scale: Scale) -> list[Frontier]:
    """The panels of a scale as searches."""
    return frontiers(full_grid(scale, 1), seeds=SEEDS, work=WORK)


@lru_cache(maxsize=8)
def _searches() -> list[list[Frontier]]:
    """Of each panel at paper scale: the searches that follow one another."""
    return [[*(_rows_of(panel, widest) for widest in WIDEST), panel] for panel in panels("paper")]


def _rows_of(panel: Frontier, widest: int) -> Frontier:
    """A search for m50 alone, of networks up to a width."""
    y = tuple(width for width in panel.lattice.y if width <= widest)
    runs = {place: run for place, run in panel.runs.items() if place[1] < len(y)}
    return replace(panel, runs=runs, lattice=replace(panel.lattice, y=y, columns=False))
