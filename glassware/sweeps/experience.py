"""What finished runs say about how many steps others will take."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import polars as pl
from pydantic import ValidationError

from glassware.sweeps.store import Store
from glassware.training import Evaluation, Run

# What an expected number of steps rests on: rows of the same cell, rows of the nearest cell, nothing (every run is
# taken to use all its steps), or the specification itself (runs that never stop early, models that are solved).
Basis: TypeAlias = Literal["cell", "neighbour", "nothing", "certain"]

COLUMNS = ["cell", "steps", "steps_to_success", "diverged_step", "steps_taken"]

# Columns in which a run may differ from the rows it is judged by: its luck, and how it is examined and kept.
EXAMINATION = set(Evaluation().columns("evaluation")) - {"success_at", "measure", "direction"}
IGNORED = {"seed", "steps", "probes", "keep", "pairing", "init_seed", "init_pairing", *EXAMINATION}

# A cell has a family, in which neighbours are looked for, and a place there. The family is the task, what counts as
# success, and everything that is not a number; the place is every other number: m, width, learning rate and so on.
Family: TypeAlias = tuple[tuple[str, object], ...]
Place: TypeAlias = tuple[float | None, ...]
APART = 1.0  # decades between two numbers of which one has no logarithm


@dataclass(frozen=True)
class Expected:
    """Steps a run of a cell is expected to take.

    Attributes:
        steps: the mean.
        worst: share of it of runs that count with their whole budget, for lack of runs to judge by.
        basis: what it rests on.
    """

    steps: float
    worst: float
    basis: Basis


@dataclass(frozen=True)
class _Ended:
    """Finished runs: the step at which they would have stopped (None: never), how many they were allowed, how many."""

    step: int | None
    allowed: int
    count: int


class Experience:
    """The finished runs of a store, by what decides how fast they learn."""

    def __init__(self, store: Store | None) -> None:
        self._ended: dict[Family, dict[Place, list[_Ended]]] = defaultdict(lambda: defaultdict(list))
        if store is None:
            return
        rows = store.read(COLUMNS).filter(pl.col("steps").is_not_null())  # null: a solved model
        stop = pl.coalesce("steps_to_success", pl.when(pl.col("diverged_step").is_not_null()).then("steps_taken"))
        alike = rows.group_by("cell", stop.alias("stop"), pl.col("steps"), maintain_order=True).len()
        for spec, stops, allowed, counts in alike.group_by("cell", maintain_order=True).agg(pl.all()).iter_rows():
            try:
                run = Run.model_validate_json(spec)
            except ValidationError:  # a part that is not registered here says nothing about runs that are
                continue
            family, place = _cell(run)
            self._ended[family][place] += [_Ended(*ended) for ended in zip(stops, allowed, counts, strict=True)]

    def expected(self, run: Run) -> Expected:
        """Mean steps of runs like this one, by the rows of its cell or else of the nearest one.

        A row that failed within fewer steps than this run may take says nothing about the rest: it counts in full.
        """
        if run.model.solved:
            return Expected(0.0, 0.0, "certain")
        if not run.evaluation.stop:
            return Expected(float(run.steps), 0.0, "certain")
        family, here = _cell(run)
        places = self._ended.get(family)
        if not places:
            return Expected(float(run.steps), 1.0, "nothing")
        drawn = run.steps * run.batch_size
        nearest = here if here in places else min(places, key=lambda place: _distance(here, place, drawn))
        known = unknown = 0
        for row in places[nearest]:
            if row.step is not None and row.step <= run.steps:
                known += row.count * row.step
            elif row.step is not None or row.allowed >= run.steps:
                known += row.count * run.steps
            else:
                unknown += row.count * run.steps
        total = known + unknown
        basis: Basis = "cell" if nearest == here else "neighbour"
        return Expected(total / sum(row.count for row in places[nearest]), unknown / max(1, total), basis)


def _cell(run: Run) -> tuple[Family, Place]:
    """The family of a run, and its place there."""
    columns = {name: value for name, value in run.given_columns().items() if name not in IGNORED}
    problem = {*run.task.columns("task"), "success_at", "measure", "direction"}
    axes = [name for name, value in columns.items() if name == "m" or (name not in problem and _number(value))]
    family = tuple((name, ... if name in axes else _hashable(columns[name])) for name in columns)
    return family, tuple(columns[name] for name in axes)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _hashable(value: object) -> object:
    return str(value) if isinstance(value, list | tuple | Mapping) else value


def _distance(here: Place, there: Place, drawn: int) -> float:
    """Euclidean, in decades. Online training is a sample as large as the number of examples drawn."""
    pairs = list(zip(here, there, strict=True))
    apart = math.hypot(*(_decades(drawn if a is None else a, drawn if b is None else b) for a, b in pairs))
    like = all((a is None) == (b is None) for a, b in pairs)
    return apart if like else apart + 1e-6  # like first


def _decades(a: float, b: float) -> float:
    if a == b:
        return 0.0
    return abs(math.log10(a / b)) if a > 0 and b > 0 else APART
