"""Which path trains a shape: kernels where there are any for it, on CPU cores and on a GPU; XLA for everything."""

from __future__ import annotations

import logging
import time
from functools import lru_cache
from typing import Literal, TypeAlias

import jax
import numpy as np

from glassware.engine import cpu
from glassware.engine.device import on_cpu
from glassware.engine.kernels import program as gpu
from glassware.engine.program import LaneProgram, Program
from glassware.foundation.arrays import RunValues
from glassware.foundation.errors import GlasswareError
from glassware.training import Run

Engine: TypeAlias = Literal["auto", "xla", "kernels", "kernels-exact"]
ENGINES: tuple[Engine, ...] = ("auto", "xla", "kernels", "kernels-exact")

log = logging.getLogger("glassware")


def check_engine(name: str) -> Engine:
    """The engine of this name, or a sentence about which there are."""
    for known in ENGINES:
        if name == known:
            return known
    raise GlasswareError(f"unknown engine '{name}'; engines are {', '.join(ENGINES)}")


def choose(shape: Run, engine: Engine) -> Engine:
    """The path that will train this shape; ``auto`` means kernels where they can."""
    check_engine(engine)
    if engine == "xla":
        return engine
    supported = cpu.supports(shape) if on_cpu() else gpu.supports(shape)
    if engine == "auto":
        return "kernels" if supported else "xla"
    if not supported:
        raise GlasswareError(f"the kernels cannot train {_describe(shape)}; use the engine auto or xla")
    return engine


def family(shape: Run, engine: Engine) -> Run:
    """A key that shapes share when one program can train their runs side by side."""
    return shape if choose(shape, engine) == "xla" or on_cpu() else gpu.family(shape)


class KernelError(Exception):
    """A kernel that cannot be built here."""


def reason(error: Exception) -> str:
    """The first line of an error, or its name."""
    return str(error).strip().splitlines()[0][:120] if str(error).strip() else type(error).__name__


def fallback(shape: Run, wanted: Engine, used: Engine, error: Exception) -> Engine:
    """XLA instead of a kernel that failed, with a sentence in the log; where there is no other way, an error."""
    if wanted != "auto" or used == "xla":
        hint = "; try the engine xla" if used != "xla" else "; what is finished is kept"
        raise GlasswareError(f"the device failed at {_describe(shape)} ({reason(error)}){hint}") from error
    log.warning("the kernel failed for %s (%s); using XLA for it", _describe(shape), reason(error))
    return "xla"


@lru_cache(maxsize=64)  # calls that differ in how they pass an argument would be kept twice: all must be given
def program(shape: Run, lanes: int, engine: Engine, relatives: tuple[Run, ...], /) -> LaneProgram:
    """The compiled program of a shape (and of others of its family), kept for the life of the process."""
    started = time.perf_counter()
    made = _compiled(shape, lanes, engine, relatives)
    made.compile_seconds = time.perf_counter() - started
    return made


def _compiled(shape: Run, lanes: int, engine: Engine, relatives: tuple[Run, ...]) -> LaneProgram:
    values = jax.tree.map(lambda a: np.stack([a] * lanes), shape.values())
    if engine == "xla":
        made: LaneProgram = Program(shape, lanes)
        made.compile(values)
        return made
    try:
        if on_cpu():
            return _cpu_kernel(shape, lanes, values)
        return _gpu_kernel(shape, lanes, values, engine, relatives)
    except (jax.errors.JaxRuntimeError, MemoryError):
        raise
    except Exception as error:  # whatever lowering to an unknown device may raise
        raise KernelError(str(error)) from error


def _cpu_kernel(shape: Run, lanes: int, values: RunValues) -> LaneProgram:
    # Numba takes a second to import: only when it is used.
    from glassware.engine.cpu.compiled import build
    from glassware.engine.cpu.program import CpuProgram

    def make() -> LaneProgram:
        made = CpuProgram(shape, lanes)
        made.compile(values)
        return made

    return build(make)


def _gpu_kernel(shape: Run, lanes: int, values: RunValues, engine: Engine, relatives: tuple[Run, ...]) -> LaneProgram:
    precision: gpu.Precision = "exact" if engine == "kernels-exact" else "fast"
    made = gpu.KernelProgram(shape, lanes, precision, relatives=relatives)
    made.compile(values)
    return made


def _describe(shape: Run) -> str:
    return f"{shape.label()}, batch {shape.batch_size}"
