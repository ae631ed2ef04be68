"""Who is measured, each in a worker process of its library so that thread pools and JAX settings do not collide."""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TypeVar

import jax

from glassware.bench.cell import Cell, Device, Reading, Setting, clocked
from glassware.engine import Engine
from glassware.engine.device import cores

THREADS = tuple(sorted({1, cores()}))
WORKERS = ("torch", "jax", "engine")
MOST_NUMBERS = 2**28  # weights of all models of a peer on a GPU: all settings of all cells must fit beside one another

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Peer:
    """A contestant: ``glassware.bench.{worker}_peer.{name}(cell, setting)`` makes its ``advance``."""

    name: str
    title: str
    worker: str
    settings: tuple[Setting, ...]

    @property
    def ours(self) -> bool:
        """Whether it is the engine."""
        return self.worker == "engine"

    @property
    def evaluates(self) -> bool:
        """Whether it does more than training."""
        return self.name == "evaluated"


def peers(device: Device, cell: Cell) -> tuple[Peer, ...]:
    """Everybody who takes part on a device, each with the settings that are tried."""
    if device == "cpu":
        lanes, threads, ours = (1, 4, 16, 64, 128), THREADS, 16
        stacks: tuple[int, ...] = (4, 8, 64)
    else:
        fit = lambda *wanted: tuple(sorted({max(1, min(w, MOST_NUMBERS // (cell.n * cell.r))) for w in wanted}))
        lanes, threads, ours = fit(64, 512, 4096), (0,), max(8, min(8192, 2**21 // cell.r))
        stacks = fit(64, 512, 4096)
    settings = lambda counts: tuple(Setting(count, t, device) for count in counts for t in threads)
    graph = (Peer("graphed", "PyTorch, stacked models, CUDA graph", "torch", settings(stacks)),)
    return (
        Peer("one", "PyTorch, one model", "torch", settings((1,))),
        Peer("stacked", "PyTorch, stacked models", "torch", settings(stacks)),
        *(graph if device == "gpu" else ()),
        Peer("vmapped", "JAX jit(vmap(scan))", "jax", tuple(Setting(count, 0, device) for count in lanes)),
        Peer("evaluated", "glassware, evaluating", "engine", (Setting(ours, 0, device),)),
        *(
            Peer("training", f"glassware, {engine}", "engine", (Setting(ours, 0, device, engine),))
            for engine in _engines(device)
        ),
    )


def _engines(device: Device) -> tuple[Engine, ...]:
    return ("xla", "kernels") if device == "cpu" else ("xla", "kernels-exact", "kernels")


def lacking(peer: Peer) -> str:
    """Why a peer cannot take part; empty when it can."""
    if peer.worker == "torch" and importlib.util.find_spec("torch") is None:
        return "PyTorch is not installed (pip install 'glassware[bench]')"
    return ""


def measure(peer: Peer, cell: Cell, setting: Setting, seconds: float) -> Reading:
    """A reading of one peer in this process; what it compiles is kept for the next."""
    module = importlib.import_module(f"glassware.bench.{peer.worker}_peer")
    return clocked(getattr(module, peer.name)(cell, setting), seconds)


def machine(what: str, device: Device, seconds: float) -> Reading:
    """A reading of ``product`` (its steps are floating-point operations) or ``copy`` (bytes)."""
    module = importlib.import_module("glassware.bench.jax_peer")
    return clocked(getattr(module, what)(device), seconds)


def device_name() -> str:
    """What JAX calls its first device; empty where that is the processor."""
    found = jax.devices()[0]
    return "" if found.platform == "cpu" else str(found.device_kind)


class Workers:
    """The worker processes of one device, one a library. Each does one thing at a time; the caller takes turns."""

    def __init__(self, device: Device, pools: Mapping[str, Executor]) -> None:
        self.device, self._pools = device, pools

    def prepare(self, peer: Peer, cell: Cell, setting: Setting) -> str:
        """Compile and warm, so that no reading sees it. Says what went wrong, if anything did."""
        try:
            self.measure(peer, cell, setting, 0.0)
        except BrokenProcessPool:
            raise
        except Exception as error:  # whatever a library raises when a shape does not fit it
            return " ".join(str(error).split())[:100] or type(error).__name__
        return ""

    def measure(self, peer: Peer, cell: Cell, setting: Setting, seconds: float) -> Reading:
        """A reading of one peer in its worker."""
        return self._ask(peer.worker, measure, peer, cell, setting, seconds)

    def machine(self, what: str, seconds: float) -> Reading:
        """A reading of the device's ceiling, in the worker of plain JAX."""
        return self._ask("jax", machine, what, self.device, seconds)

    def name(self) -> str:
        """The device's name, as ``device_name``."""
        return self._ask("jax", device_name)

    def end(self) -> None:
        """End the processes, which gives back what they hold of the device."""
        for pool in self._pools.values():
            pool.shutdown()

    def _ask(self, worker: str, function: Callable[..., Answer], *about: object) -> Answer:
        """What a worker says. One that starts here never sees Ctrl-C, which is for the caller: it ends its workers."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # a new process inherits it
        try:
            asked = self._pools[worker].submit(function, *about)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return asked.result()


@contextmanager
def workers(device: Device) -> Iterator[Workers]:
    """Start the worker processes when they are first used, and end them."""
    context = multiprocessing.get_context("spawn")
    with ExitStack() as stack:
        made = {name: ProcessPoolExecutor(1, context, initializer=_start, initargs=(device,)) for name in WORKERS}
        pools = {name: stack.enter_context(pool) for name, pool in made.items()}
        yield Workers(device, pools)


def _start(device: Device) -> None:
    """All peers on the processor, or sharing one GPU."""
    if device == "cpu":
        jax.config.update("jax_platforms", "cpu")  # JAX has read its environment when this module was imported
    else:
        os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
