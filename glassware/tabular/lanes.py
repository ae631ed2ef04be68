"""Many networks trained at once: by a kernel on CPU cores, or as lanes of an XLA program."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from typing import Literal

import jax
import numpy as np
from jax.sharding import PartitionSpec

from glassware.engine.choice import reason
from glassware.engine.device import MEMORY_SHARE, devices, memory, mesh, on_cpu
from glassware.foundation.arrays import Array, Float32, Int32, LaneValues, Params
from glassware.tabular.jobs import Job, Lane, Outcome, Shape, lane_values
from glassware.tabular.loop import fit
from glassware.tabular.recipe import Precision
from glassware.tabular.stopping import cut_short, stop_at
from glassware.tabular.watch import Watch

CPU_LANES, DEVICE_LANES = 64, 1024  # most lanes at once per core, or per accelerator
COPIES = 10  # of the parameters per lane: weights, their mean, gradients and Adam's two averages, each old and new

log = logging.getLogger("glassware")


def train(jobs: list[Job], engine: Literal["auto", "xla"] = "auto", watches: Sequence[Watch] = ()) -> list[Outcome]:
    """The trained networks of each job, as NumPy arrays; fewer where its watch ends the fit early.

    On a CPU a kernel trains one network per core (:mod:`glassware.tabular.cpu`). XLA trains on accelerators, without
    Numba, and on request. On a CPU a network is the same bit for bit whatever it is trained beside.
    """
    watches = watches or [Watch()] * len(jobs)
    if engine == "xla" or not on_cpu():
        return _train_xla(jobs, watches)
    # By precision: if one kernel cannot be compiled, the other still trains.
    found: dict[int, Outcome] = {}
    for precision in sorted({job.recipe.precision for job in jobs}):
        places = [i for i, job in enumerate(jobs) if job.recipe.precision == precision]
        trained = (_kernel(precision) or _train_xla)([jobs[i] for i in places], [watches[i] for i in places])
        found |= dict(zip(places, trained, strict=True))
    return [found[i] for i in range(len(jobs))]


@cache
def _kernel(precision: Precision = "exact") -> Callable[[list[Job], Sequence[Watch]], list[Outcome]] | None:
    """The trainer for jobs of this precision on CPU cores; None if it cannot be compiled."""
    if find_spec("numba") is None:
        return None
    # Numba takes a moment to import: only when it is used.
    from glassware.tabular.cpu.compiled import build
    from glassware.tabular.cpu.program import compile_now, train

    try:
        build(lambda: compile_now(precision))
    except Exception as error:  # whatever compiling for an unknown processor may raise
        log.warning("the kernel for tables failed (%s); using XLA", reason(error))
        return None
    return train


def _train_xla(jobs: list[Job], watches: Sequence[Watch] = ()) -> list[Outcome]:
    """Jobs of one shape run as one program, which ends when all of it is trained.

    Lanes are spread over the devices. On a CPU, with one device per core, those of a core take turns, so a network is
    the same bit for bit whatever it is trained beside; on an accelerator they step together.
    """
    found: dict[int, Outcome] = {}
    shapes: dict[Shape, list[int]] = {}
    for i, job in enumerate(jobs):
        shapes.setdefault(job.shape(), []).append(i)
    for shape, members in shapes.items():
        for part in _parts(shape, jobs, members):
            for i, outcome in zip(part, _train_part(shape, [jobs[i] for i in part]), strict=True):
                found[i] = outcome
                for _ in outcome.members if watches else ():
                    watches[i].finished()
    return [found[i] for i in range(len(jobs))]


def _parts(shape: Shape, jobs: list[Job], members: list[int]) -> list[list[int]]:
    """Jobs that are trained together: as many as memory allows, and always whole ones."""
    most = _lanes_at_once(shape, sum(len(jobs[i].keys) for i in members))
    parts: list[list[int]] = []
    room = 0
    for i in members:
        if room < len(jobs[i].keys):
            parts.append([])
            room = most
        parts[-1].append(i)
        room -= len(jobs[i].keys)
    return parts


def _lanes_at_once(shape: Shape, lanes: int) -> int:
    """How many lanes a program has: a power of two per device, so that programs are shared, limited by memory."""
    activations = 4 * max(shape.batch, shape.held_out) * sum(shape.sizes)
    fit = max(1, int(MEMORY_SHARE * memory()) // (4 * ((COPIES + shape.checks) * shape.parameters + activations)))
    most = min(fit, CPU_LANES if on_cpu() else DEVICE_LANES)
    wanted = -(-lanes // len(devices()))
    return len(devices()) * min(1 << (wanted - 1).bit_length(), 1 << (most.bit_length() - 1))


def _train_part(shape: Shape, jobs: list[Job]) -> list[Outcome]:
    """The ensembles of these jobs, by one call of the program."""
    tables: dict[str, int] = {}
    stacked: list[dict[str, np.ndarray]] = []
    lanes: list[Lane] = []
    for job in jobs:
        data = _padded(shape, job)
        # Seeds and settings share the rows of their fold, which are kept once.
        digest = hashlib.blake2b(b"".join(a.tobytes() for a in data.values())).hexdigest()
        if digest not in tables:
            tables[digest] = len(stacked)
            stacked.append(data)
        lanes += [lane_values(shape, job, tables[digest], member) for member in range(len(job.keys))]
    count = max(len(devices()), 1 << (len(lanes) - 1).bit_length())
    count = -(-count // len(devices())) * len(devices())
    idle = {**lanes[0], "epochs": np.array(0, np.int32), "ends": np.zeros_like(lanes[0]["ends"])}
    lanes += [idle] * (count - len(lanes))
    stacked += [stacked[0]] * ((1 << (len(stacked) - 1).bit_length()) - len(stacked))
    together = {name: np.stack([lane[name] for lane in lanes]) for name in lanes[0]}
    params, measured = _program(shape)({name: np.stack([t[name] for t in stacked]) for name in stacked[0]}, together)
    losses = np.asarray(measured)
    places = np.cumsum([0, *(len(job.keys) for job in jobs)])
    stops = [
        stop_at(cut_short(losses[start:end], lanes[start]["ends"], job.recipe.patience))
        for job, (start, end) in zip(jobs, pairwise(places), strict=True)
    ]
    chosen = np.zeros(len(lanes), np.int32)
    for (start, end), (moment, _) in zip(pairwise(places), stops, strict=True):
        chosen[start:end] = moment
    params = jax.tree.map(np.asarray, _picker()(params, chosen))
    found = []
    for job, start, (_, loss) in zip(jobs, places, stops, strict=False):
        features = job.table.x.shape[1]
        networks = []
        for lane in range(start, start + len(job.keys)):
            first, *rest = jax.tree.map(lambda a, lane=lane: a[lane].copy(), params)
            networks.append(({"w": first["w"][:features].copy(), "b": first["b"]}, *rest))
        found.append(Outcome(networks, loss))
    return found


@cache
def _picker() -> Callable[[Params, Int32[np.ndarray, " lanes"]], Params]:
    """Compiled: of all the weights kept, those of one check per lane."""
    lanes = PartitionSpec("lanes")
    pick = lambda params, check: jax.tree.map(lambda a: jax.vmap(lambda kept, i: kept[i])(a, check), params)
    return jax.jit(jax.shard_map(pick, mesh=mesh(), in_specs=(lanes, lanes), out_specs=lanes, check_vma=False))


def _padded(shape: Shape, job: Job) -> dict[str, np.ndarray]:
    """The job's arrays with the sizes of its shape; rows that are padding weigh nothing."""
    table, (rows, features) = job.table, job.table.x.shape
    more = shape.rows - rows
    return {
        "features": np.array(features, np.int32),
        "x": np.pad(table.x.astype(np.float32), ((0, more), (0, shape.sizes[0] - features))),
        "target": np.pad(table.target.astype(np.float32), ((0, more), (0, 0))),
        "truth": np.pad(table.truth.astype(np.float32), ((0, more), (0, 0))),
        "weight": np.pad(table.weight.astype(np.float32), (0, more)),
    }


@cache
def _program(shape: Shape) -> Callable[[Lane, Lane], tuple[Params, Float32[Array, "lanes checks"]]]:
    """Compiled: tables, shared by all, and lanes, spread over the devices, to parameters and held-out losses."""

    def body(data: LaneValues, lanes: LaneValues) -> tuple[Params, Float32[Array, "lanes checks"]]:
        one = lambda lane: fit(shape, data, lane)
        return jax.lax.map(one, lanes) if on_cpu() else jax.vmap(one)(lanes)

    spread, shared = PartitionSpec("lanes"), PartitionSpec()
    return jax.jit(jax.shard_map(body, mesh=mesh(), in_specs=(shared, spread), out_specs=spread, check_vma=False))
