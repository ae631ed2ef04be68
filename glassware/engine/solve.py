"""Runs whose model is solved: no lanes and no steps, one linear system a run, in float64 on the host."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import lru_cache

import jax
import numpy as np

from glassware.engine.outcome import Outcome
from glassware.foundation.arrays import Array, Float, Float64, Key, LaneValues, UInt32
from glassware.foundation.draws import Stream, held_out_key, stream_key
from glassware.models import KernelRidge
from glassware.tasks import Task
from glassware.training import Run

BLOCK = 2048  # examples drawn, and examined, at once
SOLVE_RATE = 1e10  # floating-point operations a second that any host gives, for estimates


def solve(run: Run) -> Outcome:
    """Fit the run's model to its m examples and examine it once. A network of the same seed would see the same data."""
    started = time.perf_counter()
    model = _kernel(run)
    x, y = _sample(run)
    coefficients = model.fit(x, y)
    fitted = model.predict(coefficients, x, x)
    test_error = _test_error(run, model, coefficients, x)
    finite = bool(np.isfinite(coefficients).all())
    passed = finite and test_error <= run.evaluation.success
    measured = {
        "step": 0,
        "test_error": test_error,
        "train_error": np.mean(y * fitted <= 0),
        "loss": np.mean((fitted - y) ** 2),
    }
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
    return _kernel(run).solve_flops(run.task.input_size, run.m or 0, run.evaluation.test)


def _kernel(run: Run) -> KernelRidge:
    if not isinstance(run.model, KernelRidge):
        raise TypeError(f"the model '{run.model.name}' is trained, not solved")
    return run.model


def _sample(run: Run) -> tuple[Float64[np.ndarray, "m n"], Float64[np.ndarray, " m"]]:
    """The run's m examples and their labels as the learner sees them."""
    key = run.key()
    keys = stream_key(key, Stream.EXAMPLE), stream_key(key, Stream.NOISE)
    blocks = list(_blocks(run, keys, run.m or 0))
    return np.concatenate([x for x, _ in blocks]), np.concatenate([y for _, y in blocks])


def _test_error(
    run: Run, model: KernelRidge, coefficients: Float64[np.ndarray, " m"], sample: Float64[np.ndarray, "m n"]
) -> float:
    """Error on the held-out sample that all runs of a task share."""
    missed = 0
    for x, y in _blocks(run, (held_out_key(), None), run.evaluation.test):
        missed += int(np.sum(~(y * model.predict(coefficients, sample, x) > 0)))
    return missed / run.evaluation.test


def _blocks(
    run: Run, keys: tuple[Key, Key | None], size: int
) -> Iterator[tuple[Float64[np.ndarray, "block n"], Float64[np.ndarray, " block"]]]:
    """The first ``size`` examples of a stream, a block at a time; without a noise key their labels are clean."""
    draw, values = _drawer(run.task.shape()), run.task.values(run.key())
    for first in range(0, size, BLOCK):
        x, y = draw(values, *keys, np.arange(first, first + BLOCK, dtype=np.uint32))
        kept = min(BLOCK, size - first)
        yield np.asarray(x, np.float64)[:kept], np.asarray(y, np.float64)[:kept]


@lru_cache(maxsize=16)
def _drawer(task: Task) -> Callable[..., tuple[Float[Array, "block n"], Float[Array, " block"]]]:
    """One block of examples of a task, compiled."""

    def draw(
        values: LaneValues, key: Key, noise_key: Key | None, index: UInt32[Array, " block"]
    ) -> tuple[Float[Array, "block n"], Float[Array, " block"]]:
        raw = task.raw(key, index)
        y = task.targets(values, raw) if noise_key is None else task.train_targets(values, noise_key, index, raw)
        return task.inputs(values, raw), y

    return jax.jit(draw)
