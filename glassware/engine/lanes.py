"""Lanes: fill, advance, retire, refill, compact. Finished runs stream out."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator

import jax
import numpy as np

from glassware.engine.choice import Engine, KernelError, choose, fallback, family, program
from glassware.engine.device import choose_lanes, devices, fits, level_lanes
from glassware.engine.flight import Chunk, Flight, Glance, glances
from glassware.engine.flops import evaluation_flops, step_flops
from glassware.engine.outcome import Outcome
from glassware.engine.program import CAPACITY, LaneProgram
from glassware.engine.solve import solve
from glassware.foundation.errors import GlasswareError
from glassware.foundation.quantities import runs_text
from glassware.models import Params
from glassware.training import NEVER, Load, Run
from glassware.training.trial import try_parts

NAMED = 3  # networks in a sentence about those that are too large
CHUNK_SECONDS = 0.4  # how long the host leaves the device alone: long enough to hide it, short enough to refill soon


def train(
    runs: Iterable[Run],
    *,
    lanes: int | None = None,
    engine: Engine = "auto",
    on_chunk: Callable[[Chunk], None] | None = None,
    load: Load | None = None,
    chunk_seconds: float | None = None,
) -> Iterator[Outcome]:
    """Train (or solve) all runs and yield each as it finishes, in no particular order.

    Runs that the memory cannot hold are set aside; when all others are finished, a GlasswareError names them.

    Args:
        runs: what to train; grouped by shape here.
        lanes: runs held at once on all devices together; chosen from the device's memory unless given.
        engine: ``xla``, ``kernels`` (on a GPU half-precision products of +-1 inputs, as good as tf32; on CPU cores
            float32), ``kernels-exact`` (float32 to rounding everywhere), or ``auto``: kernels for the shapes they know,
            XLA for everything else.
        on_chunk: called after every chunk.
        load: finds the kept weights that runs start from.
        chunk_seconds: about how long a chunk is to take, at least one round; short ones are for whoever watches.
    """
    groups: dict[Run, list[Run]] = defaultdict(list)
    solved, refused = list[Run](), list[Run]()
    for run in runs:
        if run.model.solved:
            solved.append(run)
        else:
            groups[run.shape()].append(run)
    devices()  # before anything else touches JAX
    for shape in [shape for shape in groups if not fits(shape)]:
        refused += groups.pop(shape)
    for run in (*solved, *(members[0] for members in groups.values())):
        try_parts(run)
    on_chunk = on_chunk or (lambda _: None)
    for run in solved:
        try:
            if not fits(run):
                raise MemoryError
            outcome = solve(run, load)
        except MemoryError:
            refused.append(run)
            continue
        on_chunk(Chunk(steps=0, active=1, seconds=outcome.seconds))
        yield outcome
    families: dict[Run, list[Run]] = defaultdict(list)
    for shape in groups:
        families[family(shape, engine)].append(shape)
    for shapes in sorted(families.values(), key=lambda shapes: step_flops(shapes[0])):
        yield from _train_family(shapes, groups, lanes, engine, on_chunk, load, refused, chunk_seconds)
    if refused:
        raise GlasswareError(_too_large(refused))


def _too_large(refused: list[Run]) -> str:
    """The runs that were set aside, in a sentence: each kind of network once."""
    kinds = list(dict.fromkeys(run.label() for run in refused))
    if len(kinds) == 1:
        return f"a single {kinds[0]} does not fit in the device's memory; what is finished is kept"
    named = ", ".join(kinds[:NAMED]) + (f" and {len(kinds) - NAMED} more" if len(kinds) > NAMED else "")
    runs = runs_text(len(refused))
    return f"{runs} do not fit in the device's memory, not even one at a time: {named}; all others are kept"


def _train_family(
    shapes: list[Run],
    groups: dict[Run, list[Run]],
    lanes: int | None,
    engine: Engine,
    on_chunk: Callable[[Chunk], None],
    load: Load | None,
    refused: list[Run],
    chunk_seconds: float | None,
) -> Iterator[Outcome]:
    """Train shapes that one program can. On out-of-memory halve the lanes, on a kernel's failure use XLA.

    Runs in flight then start again. Those that do not fit one at a time are added to ``refused``.
    """
    (shape, *relatives), runs = shapes, [run for shape in shapes for run in groups[shape]]
    count, used = len(devices()), choose(shape, engine)
    wanted = choose_lanes(shape, len(runs), used) if lanes is None else level_lanes(shape, lanes)
    # Longest first: the tail of a sweep is then made of short runs.
    pending = deque(sorted(runs, key=lambda run: -run.steps))
    while pending:
        pool = None
        try:
            pool = _Pool(program(shape, wanted, used, tuple(relatives)), used, pending, load, chunk_seconds)
            pool.refill()
            while pool.active:
                yield from pool.advance(on_chunk)
        except (jax.errors.JaxRuntimeError, KernelError, MemoryError) as error:
            if pool is not None:
                pending.extendleft(pool.abandon())
            if not _out_of_memory(error):
                used = fallback(shape, engine, used, error)
                if relatives:  # XLA compiles them one by one
                    left: dict[Run, list[Run]] = defaultdict(list)
                    for run in pending:
                        left[run.shape()].append(run)
                    for one in left:
                        yield from _train_family([one], left, lanes, used, on_chunk, load, refused, chunk_seconds)
                    return
                wanted = min(wanted, choose_lanes(shape, len(pending), used))
            elif wanted <= count:
                refused += pending
                return
            else:
                wanted = count * max(1, wanted // count // 2)


def _out_of_memory(error: Exception) -> bool:
    text = str(error)
    return isinstance(error, MemoryError) or "RESOURCE_EXHAUSTED" in text or "out of memory" in text.lower()


class _Pool:
    """The lanes of one shape while it trains."""

    def __init__(
        self, compiled: LaneProgram, engine: Engine, pending: deque[Run], load: Load | None, seconds: float | None
    ) -> None:
        self.program, self.engine, self.pending, self.load = compiled, engine, pending, load
        self.seconds = CHUNK_SECONDS if seconds is None else seconds
        self.flights: list[Flight | None] = [None] * compiled.lanes
        self.state = compiled.idle()
        self.values = jax.tree.map(lambda a: np.stack([a] * compiled.lanes), compiled.shape.values())
        self.fresh = np.zeros(compiled.lanes, bool)
        self.rounds = 1
        self.pace = 0.0  # seconds per step of all lanes, in the last chunk

    @property
    def active(self) -> int:
        return sum(flight is not None for flight in self.flights)

    def abandon(self) -> list[Run]:
        """The runs in flight, given up."""
        return [flight.run for flight in self.flights if flight is not None]

    def advance(self, on_chunk: Callable[[Chunk], None]) -> Iterator[Outcome]:
        """One chunk: advance, retire, refill or compact."""
        started = time.perf_counter()
        active = self.active
        self.state, records = self.program.advance(self.values, self.state, self.fresh, self.rounds)
        t, counts, steps, curves, done, success, diverged = (
            np.asarray(a)
            for a in (
                self.state.t,
                records.count,
                records.t,
                records.curves,
                self.state.done,
                self.state.success_step,
                self.state.diverged_step,
            )
        )
        seconds = time.perf_counter() - started
        taken = self._account(t, counts, steps, curves, seconds)
        self.fresh[:] = False
        self.rounds = min(CAPACITY, max(1, round(self.rounds * min(4.0, self.seconds / max(seconds, 1e-6)))))
        on_chunk(Chunk(steps=taken, active=active, seconds=seconds, look=self._look))
        for lane in np.flatnonzero(done):
            flight = self.flights[lane]
            if flight is not None:
                yield self._retire(int(lane), flight, int(success[lane]), int(diverged[lane]))
        if self.pending:
            self.refill()
        elif self.active:
            self._compact()

    def _look(self) -> list[Glance]:
        return glances(self.flights, self.program.columns, lambda lane: self.program.params(self.state, lane))

    def _account(self, t: np.ndarray, counts: np.ndarray, steps: np.ndarray, curves: np.ndarray, seconds: float) -> int:
        """Append what was measured to each flight and share out the time; returns the steps taken by all."""
        advanced = [int(t[i]) - f.taken if f is not None else 0 for i, f in enumerate(self.flights)]
        total = max(1, sum(advanced))
        self.pace = seconds / max(1, *advanced)
        for lane, flight in enumerate(self.flights):
            if flight is not None:
                flight.steps.append(steps[lane, : counts[lane]].copy())
                flight.curves.append(curves[lane, : counts[lane]].copy())
                flight.taken = int(t[lane])
                flight.seconds += seconds * advanced[lane] / total
        return sum(advanced)

    def _retire(self, lane: int, flight: Flight, success: int, diverged: int) -> Outcome:
        values = jax.tree.map(lambda a: a[lane], self.values)
        named, run = flight.named(self.program.columns), flight.run
        flops = flight.taken * step_flops(run) + len(named["step"]) * evaluation_flops(run)
        outcome = Outcome(
            run=run,
            steps_taken=flight.taken,
            success_step=None if success == NEVER else success,
            diverged_step=None if diverged == NEVER else diverged,
            curves=named,
            final=self.program.final(values, self.state, lane),
            seconds=flight.seconds,
            flops=flops,
            engine=self.engine,
            weights=self._weights(run, lane, flight.taken),
        )
        self.flights[lane] = None  # last: should the final probes run out of memory, the run is still in flight
        return outcome

    def _weights(self, run: Run, lane: int, taken: int) -> dict[str, Params]:
        """The network at the steps that are kept, by step."""
        found: dict[str, Params] = {}
        if "first" in run.keep:
            found["first"] = self.program.first(jax.tree.map(lambda a: a[lane], self.values))
        for i, step in enumerate(run.kept_steps):
            if step <= taken:
                found[str(step)] = jax.tree.map(lambda a, i=i: np.asarray(a[lane, i]), self.state.kept)
        if "final" in run.keep:
            found["final"] = self.program.params(self.state, lane)
        return found

    def refill(self) -> None:
        """Give empty lanes to pending runs, in turn over the devices so that they stay level."""
        for lane in self._turns():
            if not self.pending:
                break
            if self.flights[lane] is None:
                values = self.pending[0].values(self.load)  # should these fail, the run is still pending
                jax.tree.map(lambda all_, one, lane=lane: all_.__setitem__(lane, one), self.values, values)
                self.flights[lane] = Flight(self.pending.popleft())
                self.fresh[lane] = True

    def _turns(self) -> np.ndarray:
        """Lanes in the order device 0, 1, .., 0, 1, ..: lanes of one device are contiguous."""
        return np.arange(self.program.lanes).reshape(len(devices()), -1).T.ravel()

    def _compact(self) -> None:
        """No run is left to start. Level the devices; where lanes step together, take fewer when that pays."""
        active = [i for i, flight in enumerate(self.flights) if flight is not None]
        lanes, count = self.program.lanes, len(devices())
        per_device = np.bincount(np.array(active) // (lanes // count), minlength=count)
        fewer = lanes
        while (half := count * -(-fewer // count // 2)) < fewer and len(active) <= half:
            fewer = half  # the same number on every device, even when that was odd
        shrinks = not self.program.skips_idle and self._saved(fewer) > self.program.compile_seconds
        if not shrinks and per_device.max() - per_device.min() < 2:
            return
        target = program(self.program.shape, fewer, self.engine, ()) if shrinks else self.program
        idle = [i for i in range(lanes) if self.flights[i] is None]
        source = np.array((active + idle)[: target.lanes])
        order = np.empty_like(source)
        order[np.arange(target.lanes).reshape(count, -1).T.ravel()] = source
        self.state = target.gather(self.state, order)
        self.values = jax.tree.map(lambda a: a[order], self.values)
        self.flights = [self.flights[i] for i in order]
        self.fresh = np.zeros(target.lanes, bool)
        self.program = target

    def _saved(self, lanes: int) -> float:
        """Seconds that fewer lanes would save if every run took all its steps, as those that are left over tend to."""
        left = max(flight.run.steps - flight.taken for flight in self.flights if flight is not None)
        return left * self.pace * (1 - lanes / self.program.lanes)


def describe(shape: Run, runs: int, engine: Engine = "auto") -> dict[str, str | int | float]:
    """What the engine would choose for this many runs of a shape."""
    used = choose(shape, engine)
    return {"engine": used, "lanes": choose_lanes(shape, runs, used), "devices": len(devices())}
