"""The engine through its public path: the compiled program of a shape, advanced by chunks of rounds."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

import jax
import numpy as np

from glassware.bench.cell import LAPTOP, Cell, Setting
from glassware.engine import choose_lanes, devices
from glassware.engine.choice import choose, program
from glassware.engine.program import CAPACITY
from glassware.training import Evaluation

CHUNK_SECONDS = 0.25  # near that of glassware.engine.train
ROUND_FLOPS = 2e10  # work of all lanes between two evaluations in the training-only measurement


def training(cell: Cell, setting: Setting) -> Callable[[], int]:
    """Training only: an evaluation of a single batch every 100 to 1000 steps, less than 1% of the work."""
    every = max(100, min(1000, int(ROUND_FLOPS / (setting.lanes * cell.flops))))
    return _lanes(cell, setting, Evaluation(every=every, test=32, success=0.0, stop=False))


def evaluated(cell: Cell, setting: Setting) -> Callable[[], int]:
    """Training and the laptop scale's evaluation."""
    return _lanes(cell, setting, LAPTOP)


@cache
def _lanes(cell: Cell, setting: Setting, evaluation: Evaluation) -> Callable[[], int]:
    devices()  # before anything else touches JAX
    shape = cell.run(evaluation).shape()
    used = choose(shape, setting.engine)
    lanes = choose_lanes(shape, setting.lanes, used)
    compiled = program(shape, lanes, used, ())
    runs = [cell.run(evaluation, seed).values() for seed in range(lanes)]
    values = jax.tree.map(lambda *leaves: np.stack(leaves), *runs)
    state, _ = compiled.advance(values, compiled.idle(), np.ones(lanes, bool), 0)
    jax.block_until_ready(state)
    rounds, taken = 1, 0

    def advance() -> int:
        nonlocal state, taken, rounds
        started = time.perf_counter()
        state, _ = compiled.advance(values, state, np.zeros(lanes, bool), rounds)
        before, taken = taken, int(np.asarray(state.t, np.int64).sum())  # what was done, not what was asked for
        a_round = (time.perf_counter() - started) / rounds
        rounds = max(1, min(CAPACITY, round(CHUNK_SECONDS / a_round)))
        return taken - before

    advance()
    return advance
