"""How much of something a run needs to succeed: an adaptive search over one field of a specification.

A trial is a run with a seed of its own, or up to ``tries`` runs on the same data: the next draws new first weights
after the one before has failed. Everything follows from the rows so far, by pure functions: a search that was stopped
goes on from a store, and the rounds of a search can be stages of a study.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.foundation.part import dotted
from glassware.foundation.specs import seedless
from glassware.luck.curve import Cell, Fit
from glassware.luck.design import Design, State
from glassware.sweeps.grid import grid
from glassware.sweeps.validation import build
from glassware.training import Run

Trial: TypeAlias = tuple[float, int]  # a value of the axis and a seed
TRY = 2**32  # apart: the seeds of the first weights of two tries


@dataclass(frozen=True)
class Search:
    """The value of a field at which runs succeed at a given rate.

    Attributes:
        base: the run; its seed is that of the first trial at every value.
        axis: the field that is searched, as ``m`` or ``model.width``. More of it must not hurt.
        design: range, level, precision and budget.
        tries: runs that a trial may take. All have the same data; each has its own first weights.

    >>> import glassware as gw
    >>> from glassware.luck.design import Design
    >>> base = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=1000)
    >>> runs = Search(base, "m", Design(10, 160)).next(pl.DataFrame())
    >>> [run.m for run in runs[::4]], [run.seed for run in runs[:4]]
    ([10, 20, 40, 80, 160], [0, 1, 2, 3])
    """

    base: Run
    axis: str
    design: Design
    tries: int = 1

    def __post_init__(self) -> None:
        if self.tries < 1:
            raise GlasswareError(f"tries must be at least 1, not {self.tries}")
        if self.tries > 1 and self.base.init.seed is not None:
            raise GlasswareError("a trial of several tries draws its first weights itself: leave init.seed out")

    def next(self, rows: pl.DataFrame) -> list[Run]:
        """The runs of the next round, or a second try of those that failed; none when the search is over."""
        if again := self._again(rows):
            return again
        cells, found = self.cells(rows), list[Run]()
        done = {cell.value: cell.trials for cell in cells}
        for value, more in self.design.next(cells):
            first = self.base.seed + done.get(value, 0)
            found += [self.run(value, seed) for seed in range(first, first + more)]
        return found

    def _again(self, rows: pl.DataFrame) -> list[Run]:
        """Another try of each trial that has failed and has one left."""
        trials = self.trials(rows).items()
        return [self.run(*trial, before=runs) for trial, (runs, won) in trials if not won and runs < self.tries]

    def run(self, value: float, seed: int, before: int = 0) -> Run:
        """One try of a trial, after so many that failed."""
        placed = _placed(self.base, self.axis, value).model_copy(update={"seed": seed})
        if not before:
            return placed
        return placed.model_copy(update={"init": placed.init.model_copy(update={"seed": before * TRY + seed})})

    def trials(self, rows: pl.DataFrame) -> dict[Trial, tuple[int, bool]]:
        """For each trial of this search among the rows, its runs and whether one of them succeeded."""
        found: dict[Trial, tuple[int, bool]] = {}
        if not len(rows):
            return found
        ours, _ = _apart(json.dumps(_unseeded(self.base.canonical()), sort_keys=True), self.axis)
        for spec, seed, success in rows.select(seedless(), "seed", "success").iter_rows():
            cell, value = _apart(spec, self.axis)
            if cell == ours:
                runs, won = found.get((value, seed), (0, False))
                found[value, seed] = runs + 1, won or bool(success)
        return found

    def cells(self, rows: pl.DataFrame) -> list[Cell]:
        """Successes and trials at each value, in order."""
        counts: dict[float, list[bool]] = {}
        for (value, _), (_, won) in self.trials(rows).items():
            counts.setdefault(value, []).append(won)
        return [Cell(value, sum(counts[value]), len(counts[value])) for value in sorted(counts)]

    def fit(self, rows: pl.DataFrame) -> Fit:
        """The curve of success along the axis, and where it reaches the level."""
        return Fit.of(self.cells(rows), self.design.level)

    def state(self, rows: pl.DataFrame) -> State:
        """How the search stands after these rows."""
        return "searching" if self._again(rows) else self.design.state(self.cells(rows))


def advance(searches: Sequence[Search], rows: pl.DataFrame) -> list[Run]:
    """The next runs of several searches, side by side; none when all are over. A stage of a study may return them."""
    return [run for search in searches for run in search.next(rows)]


def searches(runs: Iterable[Run], axis: str, **design: Any) -> list[Search]:
    """One search per cell of these runs, the axis apart: its smallest and largest value are the range.

    Args:
        runs: as a grid gives them, with two values of the axis or more.
        axis: the field to search.
        design: fields of ``Design``, and ``tries``.
    """
    tries = design.pop("tries", 1)
    ranges: dict[str, tuple[Run, list[float]]] = {}
    for run in runs:
        value = _field(run, axis)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise GlasswareError(f"the axis '{axis}' must have numbers to search between, not {value!r}")
        key = json.dumps(_without(_unseeded(run.canonical()), axis), sort_keys=True)
        base, values = ranges.setdefault(key, (run, []))
        ranges[key] = min(base, run, key=lambda one: one.seed), [*values, value]
    found: list[Search] = []
    for base, values in ranges.values():
        if min(values) == max(values):
            raise GlasswareError(f"the axis '{axis}' needs a range: give its smallest and its largest value")
        whole = all(isinstance(value, int) for value in values)
        found.append(Search(base, axis, Design(min(values), max(values), whole=whole, **design), tries))
    return found


def apart(found: Sequence[Search]) -> list[dict[str, Any]]:
    """For each search the fields in which its base differs from that of another."""
    fields = [dict(dotted(_unseeded(search.base.model_dump()))) for search in found]
    names = dict.fromkeys(name for one in fields for name in one if name != found[0].axis)
    varied = [name for name in names if len({json.dumps(one.get(name), default=str) for one in fields}) > 1]
    return [{name: one.get(name) for name in varied} for one in fields]


@lru_cache(maxsize=4096)
def _placed(base: Run, axis: str, value: float) -> Run:
    return grid(base, {axis: [value]})[0]


@lru_cache(maxsize=65536)  # a store has many seeds of few specifications
def _apart(spec: str, axis: str) -> tuple[str, float]:
    """A specification without its seeds and without the axis, and the value of the axis."""
    plain = _unseeded(json.loads(spec))
    value = dict(dotted(plain)).get(axis)
    if value is None:  # at its default, which specifications leave out
        value = _field(build(plain), axis)
    return json.dumps(_without(plain, axis), sort_keys=True), value


def _field(run: Run, axis: str) -> Any:
    values = dict(dotted(run.model_dump()))
    if axis not in values:
        raise GlasswareError(f"the run has no field '{axis}' to search; it has {', '.join(values)}")
    return values[axis]


def _unseeded(plain: dict[str, Any]) -> dict[str, Any]:
    """A plain specification without the seed of the run and that of its first weights."""
    kept = {field: value for field, value in plain.items() if field != "seed"}
    init = {field: value for field, value in kept.pop("init", {}).items() if field != "seed"}
    return {**kept, "init": init} if init else kept


def _without(plain: dict[str, Any], axis: str) -> dict[str, Any]:
    """The same without one dotted field; a part that had no other field goes with it."""
    first, _, rest = axis.partition(".")
    if first not in plain:
        return plain
    others = {field: value for field, value in plain.items() if field != first}
    inner = _without(plain[first], rest) if rest and isinstance(plain[first], dict) else {}
    return {**others, first: inner} if inner else others
