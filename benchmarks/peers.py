"""Who is measured, each in a worker process of its library so that thread pools and JAX settings do not collide."""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from benchmarks.cell import Cell, Reading, Setting, clocked
from glassware.engine.device import cores

THREADS = tuple(sorted({1, cores()}))


@dataclass(frozen=True)
class Peer:
    """A contestant: ``benchmarks.{worker}_peer.{name}(cell, setting)`` makes its ``advance``."""

    name: str
    title: str
    worker: str
    settings: tuple[Setting, ...]


ENGINE = Peer("training", "glassware, training only", "engine", (Setting(16),))
EVALUATED = Peer("evaluated", "glassware, with evaluation", "engine", (Setting(16),))
VMAPPED = Peer("vmapped", "JAX jit(vmap(scan))", "jax", tuple(Setting(lanes) for lanes in (1, 4, 16, 64, 128)))
ONE = Peer("one", "PyTorch loop, one model", "torch", tuple(Setting(1, threads) for threads in THREADS))
STACKED = Peer(
    "stacked",
    "PyTorch, stacked models",
    "torch",
    tuple(Setting(lanes, threads) for lanes in (4, 8, 64) for threads in THREADS),
)
PEERS = (ONE, STACKED, VMAPPED, EVALUATED, ENGINE)


def has_torch() -> bool:
    """Whether PyTorch is installed."""
    return importlib.util.find_spec("torch") is not None


def measure(peer: Peer, cell: Cell, setting: Setting, seconds: float) -> Reading:
    """A reading of one peer in this process; what it compiles is kept for the next."""
    module = importlib.import_module(f"benchmarks.{peer.worker}_peer")
    return clocked(getattr(module, peer.name)(cell, setting), seconds)


def ceiling(seconds: float) -> Reading:
    """A reading of the large matrix product, whose steps are floating-point operations."""
    from benchmarks.jax_peer import product

    return clocked(product(), seconds)


class Workers:
    """The worker processes, one a library. Each does one thing at a time; taking turns is the caller's business."""

    def __init__(self, pools: Mapping[str, Executor]) -> None:
        self._pools = pools

    def prepare(self, cell: Cell, peers: Sequence[Peer]) -> None:
        """Compile and warm every setting, all workers at once, so that no reading sees it."""
        tasks = [
            self._pools[peer.worker].submit(measure, peer, cell, setting, 0.0)
            for peer in peers
            for setting in peer.settings
        ]
        for task in tasks:
            task.result()

    def measure(self, peer: Peer, cell: Cell, setting: Setting, seconds: float) -> Reading:
        """A reading of one peer in its worker."""
        return self._pools[peer.worker].submit(measure, peer, cell, setting, seconds).result()

    def ceiling(self, seconds: float) -> Reading:
        """A reading of the large matrix product in the plain JAX worker."""
        return self._pools[VMAPPED.worker].submit(ceiling, seconds).result()


@contextmanager
def workers() -> Iterator[Workers]:
    """Start the worker processes when they are first used, and end them."""
    context = multiprocessing.get_context("spawn")
    with ExitStack() as stack:
        names = {peer.worker for peer in PEERS}
        pools = {name: ProcessPoolExecutor(1, context, initializer=_on_cpu) for name in names}
        for pool in pools.values():
            stack.enter_context(pool)
        yield Workers(pools)


def _on_cpu() -> None:
    """All peers on the processor, whatever else the machine has."""
    os.environ["JAX_PLATFORMS"] = "cpu"
