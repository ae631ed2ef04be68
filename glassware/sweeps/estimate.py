"""How long runs will take on this machine: steps from what is in the store, speed from a short measurement."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping

import jax
import numpy as np

from glassware.engine import SOLVE_RATE, Engine, evaluation_flops, measure_speed, round_flops, solve_flops, step_flops
from glassware.engine.choice import KernelError, choose
from glassware.errors import GlasswareError
from glassware.sweeps.experience import Experience
from glassware.sweeps.forecast import Amount, Forecast, ForecastCell, Measured
from glassware.training import Run

SHAPES = 6  # measured at most; the speed of the others lies between
SECONDS = 60.0  # after which no further shape is measured

Tell = Callable[[str], None]


class MeasureError(GlasswareError):
    """No shape could be trained for a moment on this machine."""


def estimate(
    wanted: Mapping[str, Run],
    todo: Mapping[str, Run],
    experience: Experience,
    *,
    lanes: int | None = None,
    engine: Engine = "auto",
    tell: Tell | None = None,
) -> Forecast:
    """Steps, work and time of the wanted runs, cell by cell.

    Args:
        wanted: runs by id.
        todo: those among them that are not finished.
        experience: what finished runs say about early stops.
        lanes, engine: as the sweep will be given them.
        tell: told what is being measured.
    """
    cells: dict[Run, list[str]] = defaultdict(list)
    for key, run in wanted.items():
        cells[run.model_copy(update={"seed": 0})].append(key)
    shapes: dict[Run, list[Run]] = defaultdict(list)
    shape_of = {cell: cell.shape() for cell in cells if not cell.model.solved}
    for cell, shape in shape_of.items():
        shapes[shape] += [wanted[key] for key in cells[cell]]
    measured, compiling = _measure(shapes, lanes, engine, tell or (lambda _: None))
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
    rounds = steps / run.evaluation.every + 1
    return Amount(steps, steps * step_flops(run) + rounds * evaluation_flops(run), rounds * round_flops(run) / rate)


def _measure(
    shapes: Mapping[Run, list[Run]], lanes: int | None, engine: Engine, tell: Tell
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
        tell(f"measuring n = {shape.task.input_size}, width {shape.network.width}")
        try:
            speed = measure_speed(shapes[shape], lanes, engine)
        except (jax.errors.JaxRuntimeError, KernelError) as error:
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
    return sum(run.steps / run.evaluation.every + 1 for run in runs) * round_flops(runs[0])


def _rate(shape: Run, measured: list[Measured], engine: Engine) -> float:
    """Floating-point operations a second: on the line through the measured shapes, both axes logarithmic."""
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
