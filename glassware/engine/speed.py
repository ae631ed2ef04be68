"""How fast this machine trains, measured in a moment."""

from __future__ import annotations

import time
from dataclasses import dataclass

import jax
import numpy as np

from glassware.engine.choice import Engine, choose, program
from glassware.engine.device import choose_lanes, devices
from glassware.engine.lanes import evaluation_flops, step_flops
from glassware.training import Run

# Below this a step of one lane is all overhead, whatever its width (seen on CPU cores; a GPU's lanes share theirs).
STEP_OVERHEAD = 3e-6


@dataclass(frozen=True)
class Speed:
    """Useful floating-point operations per second of the whole machine, and its shortest step."""

    flops: float
    step_seconds: float


def measure_speed(runs: list[Run], lanes: int | None = None, engine: Engine = "auto") -> Speed:
    """Time one round of all lanes of a shape, with the very program that will train it (compiled once, kept)."""
    shape, count = runs[0].shape(), len(devices())
    used = choose(shape, engine)
    lanes = choose_lanes(shape, len(runs), used) if lanes is None else count * max(1, -(-lanes // count))
    compiled = program(shape, lanes, used)
    chosen = [runs[i % len(runs)] for i in range(lanes)]
    values = jax.tree.map(lambda *leaves: np.stack(leaves), *(run.values() for run in chosen))
    state = compiled.idle()
    state, _ = jax.block_until_ready(compiled.advance(values, state, np.ones(lanes, bool), 0))
    started = time.perf_counter()
    jax.block_until_ready(compiled.advance(values, state, np.zeros(lanes, bool), 1))
    seconds = time.perf_counter() - started
    work = shape.evaluation.every * step_flops(shape) + evaluation_flops(shape)
    return Speed(flops=lanes * work / seconds, step_seconds=STEP_OVERHEAD / len(devices()))
