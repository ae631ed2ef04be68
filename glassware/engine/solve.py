"""Runs whose model is solved: no lanes and no steps, one linear system per run, in float64 on the host."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import jax
import numpy as np

from glassware.engine.outcome import Outcome
from glassware.foundation.arrays import Array, Float, Float64, Key, LaneValues, Params, UInt32
from glassware.foundation.draws import Stream, held_out_key, stream_key
from glassware.foundation.part import Values
from glassware.models import Solved
from glassware.probes import PROBES
from glassware.training import Run
from glassware.training.start import Load

BLOCK = 8192  # examples drawn, and examined, at once
SOLVE_RATE = 1e10  # floating-point operations a second that any host gives, for estimates

Seen: TypeAlias = tuple[Float[Array, "block seen"], Float[Array, " block"]]  # examples as the model sees them, labels
Block: TypeAlias = tuple[Float64[np.ndarray, "block seen"], Float64[np.ndarray, " block"]]


class Compiled(NamedTuple):
    """The device's part of solved runs of one shape."""

    first: Callable[[Values], Params]
    training: Callable[..., Seen]
    held_out: Callable[..., dict[str, Seen]]  # by column: the examples as they are, and the views of probes


def solve(run: Run, load: Load | None = None) -> Outcome:
    """Fit the run's model to its m examples and examine it once. A network of the same seed would see the same data.

    Args:
        run: what to solve.
        load: finds the kept weights that it starts from.
    """
    started = time.perf_counter()
    model, compiled = _solved(run), _compiled(run.shape())
    params = compiled.first(run.values(load)) if model.drawn else ()
    predict = model.solve(_training(run, compiled, params))
    squares, missed = 0.0, 0
    for seen, y in _training(run, compiled, params):
        output = predict(seen)
        squares, missed = squares + float(np.sum((output - y) ** 2)), missed + _missed(output, y)
    right = _held_out(run, compiled, params, lambda seen, y: len(y) - _missed(predict(seen), y))
    finite, sample = bool(np.isfinite(squares)), run.m or 1
    test_error = 1 - right.pop("test") / run.evaluation.test
    passed = finite and test_error <= run.evaluation.success
    measured = {"step": 0, "test_error": test_error, "train_error": missed / sample, "loss": squares / sample}
    measured |= {name: count / run.evaluation.test for name, count in right.items()}
    return Outcome(
        run=run,
        steps_taken=0,
        success_step=0 if passed else None,
        diverged_step=None if finite else 0,
        curves={name: np.array([value]) for name, value in measured.items()},
        final={},
        seconds=time.perf_counter() - started,
        flops=solve_flops(run),
        engine="solve",
    )


def solve_flops(run: Run) -> float:
    """Useful floating-point operations of a solved run."""
    return _solved(run).solve_flops(run.task, run.m or 0, run.evaluation.test)


def _solved(run: Run) -> Solved:
    if not isinstance(run.model, Solved):
        raise TypeError(f"the model '{run.model.name}' is trained, not solved")
    return run.model


def _missed(output: Float64[np.ndarray, " block"], y: Float64[np.ndarray, " block"]) -> int:
    return int(np.sum(~(y * output > 0)))  # an output of 0, or NaN, is a miss


def _training(run: Run, compiled: Compiled, params: Params) -> Iterator[Block]:
    """The run's m examples, with their labels as the learner sees them."""
    values, key, m = run.task.values(run.key()), run.key(), run.m or 0
    keys = stream_key(key, Stream.EXAMPLE), stream_key(key, Stream.NOISE)
    for index in _indices(m):
        yield _kept(compiled.training(values, params, *keys, index), m - int(index[0]))


def _held_out(
    run: Run, compiled: Compiled, params: Params, count: Callable[[np.ndarray, np.ndarray], int]
) -> dict[str, int]:
    """The sum of a count over the held-out sample that all runs of a task share, in each of its views."""
    values, test, total = run.task.values(run.key()), run.evaluation.test, dict[str, int]()
    for index in _indices(test):
        for name, seen in compiled.held_out(values, params, held_out_key(), index).items():
            total[name] = total.get(name, 0) + count(*_kept(seen, test - int(index[0])))
    return total


def _indices(size: int) -> Iterator[UInt32[np.ndarray, " block"]]:
    block = min(size, BLOCK)
    return (np.arange(first, first + block, dtype=np.uint32) for first in range(0, size, block))


def _kept(seen: Seen, left: int) -> Block:
    """The examples of a block that are not past the end of the sample."""
    x, y = (np.asarray(part, np.float64)[:left] for part in seen)
    return x, y


@lru_cache(maxsize=16)
def _compiled(shape: Run) -> Compiled:
    """One block of examples as the model sees it: from the run's sample, and from the held-out one."""
    task, model = shape.task, _solved(shape)
    views = [view for view in (PROBES[name].views for name in shape.probes) if view is not None]

    def training(values: LaneValues, params: Params, key: Key, noise_key: Key, index: UInt32[Array, " block"]) -> Seen:
        raw = task.raw(key, index)
        return model.sees(params, task.inputs(values, raw)), task.train_targets(values, noise_key, index, raw)

    def held_out(values: LaneValues, params: Params, key: Key, index: UInt32[Array, " block"]) -> dict[str, Seen]:
        raw = task.held_out(key, index)
        found = {"test": (task.inputs(values, raw), task.targets(values, raw))}
        for view in views:
            found |= view(task, values, raw)
        return {name: (model.sees(params, x), y) for name, (x, y) in found.items()}

    return Compiled(jax.jit(shape.first), jax.jit(training), jax.jit(held_out))
