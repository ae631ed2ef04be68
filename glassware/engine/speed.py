"""How fast this machine trains, measured in a moment."""

from __future__ import annotations

import time
from dataclasses import dataclass

import jax
import numpy as np

from glassware.engine.choice import Engine, choose, program
from glassware.engine.device import choose_lanes, devices, level_lanes, on_cpu
from glassware.engine.flops import round_flops, step_flops, work
from glassware.training import Run

CORE_WORK = 5e9  # floating-point operations a core is given to be timed by: a tenth of a second to a second
SECONDS, ROUNDS = 0.1, 5  # short rounds are repeated until so much time has passed, or so many times
SMALL_TEST = 32  # held-out examples where an evaluation should not count


@dataclass(frozen=True)
class Speed:
    """How fast the whole machine trains one shape.

    Attributes:
        flops: floating-point operations per second (of ``round_flops``).
        compiling: seconds it took to compile the program and start its lanes.
        engine: the path that was measured.
    """

    flops: float
    compiling: float
    engine: Engine


def measure_speed(runs: list[Run], lanes: int | None = None, engine: Engine = "auto") -> Speed:
    """Time a few rounds of one shape, with the very program that will train it (compiled once, kept).

    Cores take their lanes in turn, so on a CPU a few lanes tell as much as all of them; where a round of one lane
    would still take seconds (a network of width 100,000), shorter rounds on as many lanes as there are cores stand in.
    """
    started = time.perf_counter()
    count = len(devices())
    if on_cpu() and round_flops(runs[0]) > CORE_WORK:
        runs, lanes = [_short_rounds(run) for run in runs[:count]], count
    shape = runs[0].shape()
    used = choose(shape, engine)
    lanes = choose_lanes(shape, len(runs), used) if lanes is None else level_lanes(shape, lanes)
    compiled = program(shape, lanes, used, ())
    each_run = [_patient(run).values() for run in runs[:lanes]]
    values = jax.tree.map(lambda *leaves: np.stack(leaves), *(each_run[i % len(each_run)] for i in range(lanes)))
    each = lanes // count
    most = max(1, min(each, int(CORE_WORK / round_flops(shape)))) if on_cpu() else each
    fresh = np.arange(lanes) % each < most  # lanes of one device are contiguous
    state, _ = jax.block_until_ready(compiled.advance(values, compiled.idle(), fresh, 0))
    fresh[:] = False
    compiling = time.perf_counter() - started
    steps, evaluations, seconds = 0, 0, 0.0
    for _ in range(ROUNDS):
        before, started = int(np.asarray(state.t).sum()), time.perf_counter()
        state, records = jax.block_until_ready(compiled.advance(values, state, fresh, 1))
        seconds += time.perf_counter() - started
        taken = int(np.asarray(state.t).sum()) - before
        # Counted, not computed: with ``evaluation.growth`` every round is longer than the one before.
        steps, evaluations = steps + taken, evaluations + int(np.asarray(records.count).sum())
        if not taken or seconds > SECONDS:
            break
    if not steps:  # all diverged at once: as if they had not
        steps, evaluations = most * count * shape.evaluation.every, most * count
    return Speed(work(shape, steps, evaluations) / seconds, compiling, used)


def _patient(run: Run) -> Run:
    """The same run, but it goes on while it is timed. Both changes are lane values: the program is the same."""
    evaluation = run.evaluation.model_copy(update={"stop": False})
    return run.model_copy(update={"evaluation": evaluation, "steps": max(run.steps, ROUNDS * evaluation.every)})


def _short_rounds(run: Run) -> Run:
    """The same network with rounds short enough to be timed, and evaluations that do not count."""
    every = max(1, min(run.evaluation.every, int(CORE_WORK / step_flops(run))))
    update = {"every": every, "growth": None, "test": SMALL_TEST, "train": 0, "screen": 0}
    return run.model_copy(update={"evaluation": run.evaluation.model_copy(update=update)})
