"""The devices lanes run on, and how many lanes fit."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar, cast

import jax
import numpy as np

from glassware.engine.cache import keep_compiled
from glassware.models import Solved
from glassware.training import Run
from glassware.training.gradient import step_examples

Traced = TypeVar("Traced", bound=Callable[..., Any])

CPU_LANES = 32  # lanes a core works through in turn; enough to keep cores level while runs end at different times
FEWEST_LANES = 16  # of a small network on a core: idle lanes cost nothing there, and another number compiles again
SMALL = 2**26  # bytes of a lane
GPU_LANES = 8192  # past this the H200 gains nothing
KERNEL_LANES = 65_536  # kernels take lanes in turn, and one that ends makes room at once: hold many
MEMORY_SHARE = 0.5  # of what the device has; the rest is for temporaries we do not count


@cache
def devices() -> list[jax.Device]:
    """All local devices of the default backend. On a CPU, one per core: each core then trains its own lanes."""
    with contextlib.suppress(RuntimeError):  # JAX has started already (a notebook used it first): take what it has
        jax.config.update("jax_num_cpu_devices", cores())
    keep_compiled()
    return list(jax.local_devices())


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def stay(number: int) -> None:
    """Keep this thread, from now on, on the core of this number: schedulers that pack threads leave some cores idle
    while others have two."""
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, {allowed[number % len(allowed)]})


def on_cpu() -> bool:
    """Whether lanes run on CPU cores."""
    return devices()[0].platform == "cpu"


def full_float32(traced: Traced) -> Traced:
    """The same function, with matrix products that keep all of float32.

    A GPU rounds their factors to 11 bits (tf32) unless it is told otherwise: enough to train on, too little for margins
    that are compared with an optimum, and another network than a CPU's after far fewer steps.
    """

    @wraps(traced)
    def exact(*given: Any) -> Any:
        with jax.default_matmul_precision("highest"):
            return traced(*given)

    return cast(Traced, exact)


def memory() -> int:
    """Bytes one device can give."""
    if on_cpu():
        return _host_memory() // len(devices())
    stats = devices()[0].memory_stats() or {}
    return int(stats.get("bytes_limit", 8 << 30))


def _host_memory() -> int:
    return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def lane_bytes(shape: Run) -> int:
    """Memory one lane takes: parameters, optimiser state, gradients and their copies, activations, lane values."""
    parameters = shape.network.parameters(shape.task)
    copies = (8 if shape.optimiser.name == "sgd" else 12) + len(shape.keep)
    activations = 4 * step_examples(shape) * shape.network.held(shape.task) + 2 * 2**18
    return 4 * (copies * parameters + activations)


def fits(run: Run) -> bool:
    """Whether a run could be trained (or solved) here at all; generous, so that only what surely fails is refused."""
    whole = _host_memory() if on_cpu() or run.model.solved else memory()
    if isinstance(run.model, Solved):
        return run.model.held_bytes(run.task, run.m or 0) <= whole
    # Every device holds the held-out examples.
    exam = 0 if run.task.domain is not None else 4 * run.evaluation.test * run.task.input_size
    return lane_bytes(run) + exam * (len(devices()) if on_cpu() else 1) <= whole


def level_lanes(shape: Run, lanes: int) -> int:
    """So many lanes as asked for, or as many as the memory holds: as many on every device."""
    count = len(devices())
    return count * max(1, min(-(-lanes // count), memory() // lane_bytes(shape)))


def choose_lanes(shape: Run, runs: int, engine: str = "xla") -> int:
    """How many lanes to hold for ``runs`` runs of one shape: a multiple of the number of devices."""
    count = len(devices())
    fit = max(1, int(memory() * MEMORY_SHARE) // lane_bytes(shape))
    most = CPU_LANES if on_cpu() else GPU_LANES if engine == "xla" else KERNEL_LANES
    each = min(fit, most)
    # A power of two, so that sweeps of nearby sizes share compiled programs.
    wanted = 1 << (-(-runs // count) - 1).bit_length()
    if on_cpu() and engine == "xla" and lane_bytes(shape) < SMALL:
        wanted = max(wanted, FEWEST_LANES)
    return count * min(each, wanted)


def mesh() -> jax.sharding.Mesh:
    """All devices in a row; lanes are spread over it."""
    return jax.sharding.Mesh(np.array(devices()), ("lanes",))
