"""What is left to train, and how long it may take."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from glassware.engine import SOLVE_RATE, Engine, evaluation_flops, measure_speed, solve_flops, step_flops
from glassware.sweeps.identity import run_id
from glassware.sweeps.store import Store
from glassware.training import Run


@dataclass(frozen=True)
class Plan:
    """The runs of a sweep by id, without repetition, and those among them that are not finished."""

    wanted: dict[str, Run]
    todo: dict[str, Run]

    @property
    def finished(self) -> int:
        return len(self.wanted) - len(self.todo)

    @property
    def steps(self) -> int:
        """Steps still to take if no run stops early."""
        return sum(run.steps for run in self.todo.values() if not run.model.solved)

    def estimate(self, lanes: int | None = None, engine: Engine = "auto") -> float:
        """Seconds the rest takes at most, from a short measurement of this machine on the costliest shape."""
        shapes: dict[Run, list[Run]] = defaultdict(list)
        solving = 0.0
        for run in self.todo.values():
            if run.model.solved:
                solving += solve_flops(run) / SOLVE_RATE
            else:
                shapes[run.shape()].append(run)
        if not shapes:
            return solving
        costs = {shape: sum(_flops(run) for run in runs) for shape, runs in shapes.items()}
        costliest = max(costs, key=lambda shape: costs[shape])
        started = time.perf_counter()
        speed = measure_speed(shapes[costliest], lanes, engine)
        compiling = (time.perf_counter() - started) * (
            len(shapes) - 1
        )  # the other shapes are compiled when their turn comes
        steps = {shape: sum(run.steps for run in runs) for shape, runs in shapes.items()}
        return solving + compiling + sum(max(costs[s] / speed.flops, speed.step_seconds * steps[s]) for s in shapes)


def make_plan(runs: Iterable[Run], store: Store | None) -> Plan:
    """Ids wanted minus ids finished."""
    wanted = {run_id(run): run for run in runs}
    finished = store.ids() if store is not None else set()
    return Plan(wanted, {key: run for key, run in wanted.items() if key not in finished})


def _flops(run: Run) -> float:
    rounds = run.steps // run.evaluation.every + 1
    return run.steps * step_flops(run) + rounds * evaluation_flops(run)
