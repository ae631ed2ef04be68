"""What finished runs say about how many steps others will take."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from glassware.sweeps.store import Store
from glassware.training import Run

# What an expected number of steps rests on: rows of the same cell, rows of the nearest cell, nothing (every run is
# taken to use all its steps), or the specification itself (runs that never stop early, models that are solved).
Basis: TypeAlias = Literal["cell", "neighbour", "nothing", "certain"]

COLUMNS = ["spec", "m", "width", "steps", "steps_to_success", "diverged_step", "steps_taken"]

# What may differ between a cell and the rows it is judged by. Everything else (task, initialisation, loss, optimiser,
# batch, what counts as success) must be the same.
COORDINATES = {"m", "steps", "seed", "probes"}
EXAMINATION = {"every", "test", "train", "screen", "stop"}

Place: TypeAlias = tuple[float | None, float]  # log10 of m (None: online) and of the width


@dataclass(frozen=True)
class Expected:
    """Steps a run of a cell is expected to take.

    Attributes:
        steps: the mean.
        worst: share of it that comes from runs taken to use all their steps because nobody knows better.
        basis: what it rests on.
    """

    steps: float
    worst: float
    basis: Basis


@dataclass(frozen=True)
class _Ended:
    """A finished run: the step at which it would have stopped (None: it never did) and how many it was allowed."""

    step: int | None
    allowed: int


class Experience:
    """The finished runs of a store, by what decides how fast they learn."""

    def __init__(self, store: Store | None) -> None:
        self._ended: dict[str, dict[Place, list[_Ended]]] = defaultdict(lambda: defaultdict(list))
        rows = store.read(COLUMNS).iter_rows() if store is not None else iter(())
        for spec, m, width, steps, success, diverged, taken in rows:
            if steps is not None:  # null: a solved model
                stop = success if success is not None else taken if diverged is not None else None
                self._ended[_family(json.loads(spec))][_place(m, width)].append(_Ended(stop, steps))

    def expected(self, run: Run) -> Expected:
        """Mean steps of runs like this one, by the rows of its cell or else of the nearest one.

        A row that failed within fewer steps than this run may take says nothing about the rest: it counts in full.
        """
        if run.model.solved:
            return Expected(0.0, 0.0, "certain")
        if not run.evaluation.stop:
            return Expected(float(run.steps), 0.0, "certain")
        places = self._ended.get(_family(run.canonical()))
        if not places:
            return Expected(float(run.steps), 1.0, "nothing")
        here = _place(run.m, run.model.widths[0] if run.model.widths else None)
        nearest = min(places, key=lambda place: _distance(here, place, run))
        known = unknown = 0
        for row in places[nearest]:
            if row.step is not None and row.step <= run.steps:
                known += row.step
            elif row.step is not None or row.allowed >= run.steps:
                known += run.steps
            else:
                unknown += run.steps
        total = known + unknown
        basis: Basis = "cell" if nearest == here else "neighbour"
        return Expected(total / len(places[nearest]), unknown / max(1, total), basis)


def _family(canonical: dict[str, Any]) -> str:
    """A specification without the coordinates along which neighbours are looked for."""
    kept = {field: value for field, value in canonical.items() if field not in COORDINATES}
    if not isinstance(kept["model"].get("width"), list | tuple):  # widths of deeper networks must be the same
        kept["model"] = {field: value for field, value in kept["model"].items() if field != "width"}
    evaluation = {f: v for f, v in kept.pop("evaluation", {}).items() if f not in EXAMINATION}
    return json.dumps({**kept, **evaluation}, sort_keys=True)


def _place(m: int | None, width: int | None) -> Place:
    return None if m is None else math.log10(m), math.log10(width or 1)


def _distance(here: Place, there: Place, run: Run) -> float:
    """Euclidean, in decades. Online training is a sample as large as the number of examples drawn."""
    drawn = math.log10(run.steps * run.batch)
    values: Iterable[tuple[float, float]] = zip(
        *((drawn if m is None else m, width) for m, width in (here, there)), strict=True
    )
    apart = math.hypot(*(a - b for a, b in values))
    return apart if (here[0] is None) == (there[0] is None) else apart + 1e-6  # like first
