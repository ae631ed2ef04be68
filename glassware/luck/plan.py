"""What to train for a task with so many examples, and how often: advice from the runs of a store."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.foundation.statistics import Estimate
from glassware.luck.groups import Columns
from glassware.luck.price import Cell, price_table, priced
from glassware.luck.problems import find_problem, say
from glassware.luck.restart import FEWEST_RUNS, FEWEST_SUCCESSES
from glassware.sweeps import Store

ENOUGH = 0.95  # a budget within which a cell succeeds so surely is large enough; then the cheapest is best
LATE = 0.9  # of the budget of steps: a best cut-off beyond it might lie further still
UNTOLD = {
    "no success": "never succeeded",
    "too few successes": f"succeeded less than {FEWEST_SUCCESSES} times",
    "too few runs": f"have less than {FEWEST_RUNS} runs",
}


@dataclass(frozen=True)
class Advice:
    """Which cell to train, cut off when, restarted how often.

    Attributes:
        where: the problem, by columns of the results table.
        m, budget: what was asked; m None: as many examples as needed, budget None: as many operations.
        cells: the cells that fit and have a price, best first.
        unmeasured: the cells that fit and have none.
        larger: the cells that need more than m examples.
        others: how many cells are other problems that were not asked for by name.
        apart: the columns in which those differ: of the task, or of what counts as success.
        unknown: how many cells have a part, such as an activation, that is not known here.
    """

    where: Mapping[str, object]
    m: int | None
    budget: float | None
    cells: tuple[Cell, ...]
    unmeasured: tuple[Cell, ...]
    larger: tuple[Cell, ...]
    others: int = 0
    apart: tuple[str, ...] = ()
    unknown: int = 0

    @property
    def best(self) -> Cell | None:
        """The recommendation; None when the store cannot tell."""
        return self.cells[0] if self.cells else None

    @property
    def chance(self) -> Estimate | None:
        """Probability that the recommendation succeeds within the budget."""
        return self.best.chance(self.budget) if self.best and self.budget is not None else None

    def notes(self) -> list[str]:
        """What was left aside, and what the store cannot tell."""
        return list(self._notes())

    def _notes(self) -> Iterator[str]:
        best = self.best
        if best is not None:
            if self.m is not None and best.examples < self.m:
                yield f"it uses {best.examples:,.0f} of the {self.m:,} examples: one can always use fewer"
            close = sum(cell.flops.low < best.flops.value for cell in self.cells[1:])
            if close:
                yield f"{_cells(close)} may be cheaper: the intervals overlap"
            if best.restart.cutoff > LATE * best.run.steps:
                yield f"runs end at {best.run.steps:,} steps, close to the cut-off: a later one may be cheaper"
            yield from self._edge(best)
            if best.run.m is not None:
                yield "tries count as independent: each has its own sample in the store, but yours share one"
        for tells, why in UNTOLD.items():
            silent = [cell for cell in self.unmeasured if cell.restart.tells == tells]
            if silent:
                runs, above = sum(cell.restart.runs for cell in silent), min(cell.flops.low for cell in silent)
                # Of tries as long as these runs: how cheap much shorter ones might be, failures do not say.
                how = {"no success": "run to its end, ", "too few successes": ""}.get(tells)
                price = "" if how is None else f"; {how}a success there costs more than {power(above)} FLOPs"
                yield f"no price for {_cells(len(silent))} ({runs:,} runs) that {why}{price}"
        if self.larger:
            yield f"{_cells(len(self.larger))} left aside: more than {self.m:,} examples"
        if self.others:
            yield f"{_cells(self.others)} left aside: they differ in {' or '.join(self.apart)}"
        if self.unknown:
            yield f"{_cells(self.unknown)} left aside: a model or activation that is not known here"

    def _edge(self, best: Cell) -> Iterator[str]:
        """Whether the best width is the first or last of those tried."""
        width = lambda cell: next(iter(cell.run.model.widths), None)
        widths = sorted({w for cell in (*self.cells, *self.unmeasured) if (w := width(cell)) is not None})
        if width(best) is None:
            return
        if width(best) == widths[0]:
            yield f"width {widths[0]:,} is the narrowest in the store: a narrower network may be cheaper"
        elif width(best) == widths[-1]:
            yield f"width {widths[-1]:,} is the widest in the store: a wider network may be cheaper"

    def prices(self) -> pl.DataFrame:
        """Every cell of the task as a row of ``price``, those that need more examples too."""
        return price_table((*self.cells, *self.unmeasured, *self.larger))

    def plain(self) -> Columns:
        """Plain data, for JSON."""
        return {
            "where": dict(self.where),
            "m": self.m,
            "budget": self.budget,
            "best": self._plain(self.cells[0]) if self.cells else None,
            "runners_up": [self._plain(cell) for cell in self.cells[1:]],
            "notes": self.notes(),
        }

    def _plain(self, cell: Cell) -> Columns:
        restart, chance = cell.restart, None if self.budget is None else cell.chance(self.budget)
        return {
            "run": cell.attempt.canonical(),
            "cutoff": cell.attempt.steps,
            "tries": {"mean": restart.tries, "for_95_percent": restart.tries_for_95},
            "success_probability": restart.success_probability._asdict(),
            "flops": cell.flops._asdict(),
            "try_flops": cell.try_flops,
            "examples": int(cell.examples),
            "chance_within_budget": None if chance is None else chance._asdict(),
            "runs": restart.runs,
            "successes": restart.successes,
        }


def plan(
    store: Store, where: Mapping[str, object] | None = None, m: int | None = None, budget: float | None = None
) -> Advice:
    """What to train for a task, by the price of one success.

    A cell fits when its sample has at most ``m`` examples, for one can always use fewer; an online cell when a try
    draws at most so many. The best is the one whose price is lowest at the upper end of its interval: among many cells
    some look cheap by chance, most of all those with a single success. With a budget it is the best of those that
    succeed within it with probability 95%, or else the one that does so most probably, again at the safe end.

    Args:
        store: finished runs.
        where: columns of the results table and their values, as ``{"task": "parity", "n": 50, "k": 3}``. Columns of the
            task, and of what counts as success, that are not named have their usual values.
        m: examples at hand; None: any number.
        budget: floating-point operations to spend; None: any number.
    """
    if m is not None and m < 1:
        raise GlasswareError(f"m must be at least 1, not {m}")
    if budget is not None and not 0 < budget < math.inf:
        raise GlasswareError(f"budget must be a positive number of FLOPs, not {budget:g}")
    problem = find_problem(store, where or {})
    asked = [priced(group) for group in problem.groups]
    known = [cell for cell in asked if cell.restart.tells == "price"]
    fit = [cell for cell in known if m is None or cell.examples <= m]
    unmeasured = [cell for cell in asked if cell not in known and (m is None or (cell.run.sample or math.inf) <= m)]
    if m is not None and not fit and not unmeasured:
        least = min(cell.examples for cell in asked)
        smallest = f"; the smallest needs {least:,.0f}" if math.isfinite(least) else ""
        said = say(problem.where)
        raise GlasswareError(f"store {store.path} has no cell for {said} with {m} examples{smallest}")

    def rank(cell: Cell) -> tuple[float, float]:
        return 0.0 if budget is None else -min(cell.chance(budget).low, ENOUGH), cell.flops.high

    larger = tuple(cell for cell in asked if cell not in fit and cell not in unmeasured)
    best_first = tuple(sorted(fit, key=rank))
    return Advice(
        problem.where, m, budget, best_first, tuple(unmeasured), larger, problem.others, problem.apart, problem.unknown
    )


def power(value: float) -> str:
    """A large number in two digits: ``1.2e10``."""
    digits, exponent = f"{value:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count:,} cells"
