"""How long runs will take on this machine: steps from what is in the store, speed from a short measurement."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias

import jax
import numpy as np

from glassware.engine import (
    SOLVE_RATE,
    Engine,
    devices,
    evaluation_flops,
    measure_speed,
    round_flops,
    solve_flops,
    step_flops,
)
from glassware.engine.choice import KernelError, choose
from glassware.engine.device import fits
from glassware.foundation.errors import GlasswareError
from glassware.sweeps.experience import Experience
from glassware.sweeps.forecast import Amount, Forecast, ForecastCell, Measured
from glassware.training import Evaluation, Run
from glassware.training.trial import try_parts

SHAPES = 6  # measured at most; the speed of the others lies between
SECONDS = 60.0  # after which no further shape is measured

OnMeasure: TypeAlias = Callable[[str], None]  # called with a line about what is measured next


class MeasureError(GlasswareError):
    """No shape could be trained for a moment on this machine."""


def estimate(
    wanted: Mapping[str, Run],
    todo: Mapping[str, Run],
    experience: Experience,
    *,
    lanes: int | None = None,
    engine: Engine = "auto",
    on_measure: OnMeasure | None = None,
) -> Forecast:
    """Steps, work and time of the wanted runs, cell by cell.

    Args:
        wanted: runs by id.
        todo: those among them that are not finished.
        experience: what finished runs say about early stops.
        lanes, engine: as the sweep will be given them.
        on_measure: called with a line about each shape before it is timed.
    """
    cells: dict[Run, list[str]] = defaultdict(list)
    for key, run in wanted.items():
        cells[run.model_copy(update={"seed": 0})].append(key)
    shapes: dict[Run, list[Run]] = defaultdict(list)
    shape_of = {cell: cell.shape() for cell in cells if not cell.model.solved}
    for cell, shape in shape_of.items():
        shapes[shape] += [wanted[key] for key in cells[cell]]
    devices()  # before anything else touches JAX
    for runs in shapes.values():
        try_parts(runs[0])
    measured, compiling = _measure(shapes, lanes, engine, on_measure or (lambda _: None))
    rates = {shape: _rate(shape, measured, engine) for shape in shapes}
    found = []
    for cell, keys in cells.items():
        expected = experience.expected(cell)
        rate = rates[shape_of[cell]] if cell in shape_of else SOLVE_RATE
        left = sum(key in todo for key in keys)
        mean, most = _amount(cell, expected.steps, rate), _amount(cell, cell.steps, rate)
        found.append(ForecastCell(cell, len(keys), left, mean, most, expected.worst, expected.basis))
    return Forecast(tuple(found), compiling, tuple(measured))


def _amount(run: Run, steps: float, rate: float) -> Amount:
    """What one run takes."""
    if run.model.solved:
        flops = solve_flops(run)
        return Amount(0.0, flops, flops / rate)
    looks = _rounds(run.evaluation, steps) + 1
    flops = steps * step_flops(run) + looks * evaluation_flops(run)
    return Amount(steps, flops, _work([run], [steps]) / rate)


def _work(runs: list[Run], steps: Iterable[float]) -> float:
    """Work of runs of one shape, each of so many steps, in the operations of ``round_flops``.

    The evaluation before the first step counts as a whole round.
    """
    shape = runs[0]
    every, step = shape.evaluation.every, step_flops(shape)
    look = round_flops(shape) - every * step
    return sum((count + every) * step + (_rounds(shape.evaluation, count) + 1) * look for count in steps)


@lru_cache(maxsize=2**12)
def _rounds(evaluation: Evaluation, steps: float) -> float:
    return evaluation.rounds(steps)


def _measure(
    shapes: Mapping[Run, list[Run]], lanes: int | None, engine: Engine, on_measure: OnMeasure
) -> tuple[list[Measured], float]:
    """The speed of a few shapes, and the seconds that compiling the others will take.

    A shape that fails here (too large for the device, a kernel that does not compile) is left to training, which knows
    what to do then; its speed is taken from the others.
    """
    started = time.perf_counter()
    measured: list[Measured] = []
    failed: Exception | None = None
    for shape in _representatives(shapes, engine):
        if measured and time.perf_counter() - started > SECONDS:
            break
        on_measure(f"measuring {shape.label()}")
        try:
            if not fits(shape):
                raise MemoryError(f"a single {shape.label()} does not fit in its memory")
            speed = measure_speed(shapes[shape], lanes, engine)
        except (jax.errors.JaxRuntimeError, KernelError, MemoryError) as error:
            failed = error
        else:
            measured.append(Measured(shape, speed.engine, speed.flops, speed.compiling))
    if not measured:
        if failed is not None:
            raise MeasureError(f"cannot measure this machine: {' '.join(str(failed).split())[:120]}") from None
        return [], 0.0
    others = len(shapes) - len(measured)
    return measured, others * sum(one.compiling for one in measured) / len(measured)


def _representatives(shapes: Mapping[Run, list[Run]], engine: Engine) -> list[Run]:
    """Shapes to measure: the costliest first, then the ends of each engine's range, then those that halve the gaps."""
    if len(shapes) <= SHAPES:
        return sorted(shapes, key=lambda shape: -_cost(shapes[shape]))
    picked = [max(shapes, key=lambda shape: _cost(shapes[shape]))]
    paths: dict[Engine, list[Run]] = defaultdict(list)
    for shape in sorted(shapes, key=step_flops):
        paths[choose(shape, engine)].append(shape)
    for group in paths.values():
        picked += [shape for shape in (group[0], group[-1]) if shape not in picked]
    size = {shape: np.log(step_flops(shape)) for shape in shapes}
    gap = lambda shape: min(abs(size[shape] - size[other]) for other in picked)
    while len(picked) < SHAPES:
        widest = max(shapes, key=gap)
        if gap(widest) == 0:  # the others repeat what is measured
            break
        picked.append(widest)
    return picked[:SHAPES]


def _cost(runs: list[Run]) -> float:
    return _work(runs, (run.steps for run in runs))


def _rate(shape: Run, measured: list[Measured], engine: Engine) -> float:
    """Floating-point operations per second: on the line through the measured shapes, both axes logarithmic."""
    for one in measured:
        if one.shape == shape:
            return one.flops
    path = choose(shape, engine)
    points = [one for one in measured if one.engine == path] or measured
    known: dict[float, list[float]] = defaultdict(list)
    for one in points:
        known[np.log(step_flops(one.shape))].append(np.log(one.flops))
    places = sorted(known)
    return float(np.exp(np.interp(np.log(step_flops(shape)), places, [np.mean(known[place]) for place in places])))
