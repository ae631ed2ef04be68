"""Networks of tables trained on CPU cores by the kernel: one thread per core, each takes the next network."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from glassware.engine.device import cores, stay
from glassware.foundation.arrays import Float32, UInt16
from glassware.tabular.cpu.draws import draw
from glassware.tabular.cpu.exact import ADAM, Rows, State
from glassware.tabular.cpu.scratch import Work, kernel
from glassware.tabular.cpu.weights import adam_schedule, first, layout, orders, read, room, write, zeros
from glassware.tabular.jobs import Job, Lane, Outcome, Shape, lane_values
from glassware.tabular.recipe import Precision
from glassware.tabular.stopping import PILOTS, others_reach, stop_at, waited
from glassware.tabular.watch import Watch

CHUNK_OPERATIONS = 2e10  # a core checks whether to stop after this many, about a fifth of a second

NOTHING = np.zeros(0, np.float32)


class _Data(NamedTuple):
    """A job's table as the kernel reads it."""

    x: Float32[np.ndarray, " rows*features"] | UInt16[np.ndarray, " rows*features"]
    target: Float32[np.ndarray, " rows*outputs"]
    truth: Float32[np.ndarray, " rows*outputs"]
    weight: Float32[np.ndarray, " rows"]


class _Task:
    """A job in progress: what its networks share, and the weights and losses of those that are trained."""

    def __init__(self, job: Job, watch: Watch) -> None:
        self.job, self.shape, self.watch = job, job.shape(), watch
        self.net, self.kernel = layout(self.shape), kernel(self.shape.precision)
        members = len(job.keys)
        self.curves: list[np.ndarray | None] = [None] * members
        self.kept: list[np.ndarray | None] = [None] * members
        self.waiting = members
        # Without patience no network waits for another.
        self.pilots = min(PILOTS, members) if job.recipe.patience else members
        self.reach = self.shape.checks  # of networks that are no pilots
        self._data: _Data | None = None
        self._lock = threading.Lock()

    def data(self) -> _Data:
        """The table, made when the first network needs it."""
        with self._lock:
            if self._data is None:
                table = self.job.table
                x = np.zeros((len(table.x), self.net.layers[0, 0]), np.float32)
                x[:, : table.x.shape[1]] = table.x
                flat = (np.ascontiguousarray(a, np.float32).ravel() for a in table[1:])
                self._data = _Data(self.kernel.numbers(x.ravel()), *flat)
            return self._data

    def finish(self) -> tuple[range, Outcome | None]:
        """Count one network as done. Returns those that may start now, and the outcome if it was the last."""
        members = len(self.job.keys)
        with self._lock:
            self.waiting -= 1
            free = range(self.pilots, members) if self.waiting == members - self.pilots else range(0)
            if free:
                pilots = [curve for curve in self.curves[: self.pilots] if curve is not None]
                self.reach = others_reach(pilots, self.shape.checks, self.job.recipe.patience)
            if self.waiting:
                return free, None
        moment, loss = stop_at([curve for curve in self.curves if curve is not None])
        features = self.job.table.x.shape[1]
        networks = [read(self.net, kept[moment], features) for kept in self.kept if kept is not None]
        self.kept, self._data = [], None
        return free, Outcome(networks, loss)


def train(jobs: list[Job], watches: Sequence[Watch] = ()) -> list[Outcome]:
    """The trained networks of each job. A network is the same bit for bit whatever it was trained beside.

    When a job's watch says that it is over, no further network of it is started; the first is trained in any case.
    """
    watches = watches or [Watch()] * len(jobs)
    tasks = [_Task(job, watch) for job, watch in zip(jobs, watches, strict=True)]
    found: dict[int, Outcome] = {}
    share = any(watch.time_limit is not None or watch.callback is not None for watch in watches)

    def place(i: int, member: int) -> tuple[float, int, int]:
        """Job by job; a share of every job when time may be up."""
        return (member / len(jobs[i].keys) if share else 0.0, i, member)

    ready = [place(i, member) for i, task in enumerate(tasks) for member in range(task.pilots)]
    heapify(ready)
    left, changed, stop = sum(len(job.keys) for job in jobs), threading.Condition(), threading.Event()
    count = min(cores(), left)

    def next_one() -> tuple[int, int]:
        """The next network that may start; (-1, -1) if there will be none."""
        with changed:
            changed.wait_for(lambda: ready or not left or stop.is_set())
            return heappop(ready)[1:] if ready and not stop.is_set() else (-1, -1)

    def work(number: int) -> None:
        nonlocal left
        if count == cores():
            stay(number)
        scratch: dict[Shape, Work] = {}
        while True:
            i, member = next_one()
            if i < 0:
                return
            task = tasks[i]
            if member == 0 or not task.watch.over():
                if task.shape not in scratch:
                    # only one: a shape's jobs mostly come in a row
                    scratch = {task.shape: task.kernel.scratch(task.net)}
                _train_network(task, member, scratch[task.shape], stop)
                if stop.is_set():
                    return
                task.watch.finished()
            free, outcome = task.finish()
            if outcome is not None:
                found[i] = outcome
            with changed:
                left -= 1
                for other in free:
                    heappush(ready, place(i, other))
                changed.notify_all()

    def safely(number: int) -> None:
        try:
            work(number)
        except BaseException:  # the others end soon
            halt()
            raise

    def halt() -> None:
        stop.set()
        with changed:
            changed.notify_all()

    with ThreadPoolExecutor(max(1, count), "glassware") as pool:
        try:
            for done in [pool.submit(safely, number) for number in range(count)]:
                done.result()
        finally:
            halt()  # after an interrupt
    return [found[i] for i in range(len(jobs))]


def compile_now(precision: Precision = "exact") -> None:
    """Compile the kernel, or load it, by calling it on no data."""
    (train_epochs, scratch, numbers), none = kernel(precision), zeros(0)
    net = layout(Shape((1, 1, 1), False, 0, 1, 0, 1, True, "constant", False, precision))
    size, _, _ = room(net)
    state = State(zeros(size), zeros(size), zeros(size))
    draw(np.zeros(2, np.uint32), *np.zeros((2, 0), np.uint32))
    train_epochs(net, Rows(numbers(none), none, none), np.zeros((0, 1), np.int64), state, scratch(net), NOTHING)


def _train_network(task: _Task, member: int, scratch: Work, stop: threading.Event) -> None:
    """Train one network from its first weights on; its weights and losses at every check go to the task."""
    job, shape, net, data = task.job, task.shape, task.net, task.data()
    train_epochs = task.kernel.train_epochs
    lane = lane_values(shape, job, 0, member)
    held, judged = lane["held"][None, : lane["held_rows"]].astype(np.int64), Rows(data.x, data.truth, data.weight)
    size, _, _ = room(net)
    state = State(zeros(size), zeros(size), zeros(size))
    write(net, first(shape, job.table.x.shape[1], lane), state.w)
    kept, losses = np.empty((shape.checks, size), np.float32), np.full(shape.checks, np.nan, np.float32)
    pilot, epoch, reached = member < task.pilots, 0, 0
    for check, end in enumerate(lane["ends"][: None if pilot else task.reach].tolist()):
        # With few epochs there may be none between checks.
        kept[check] = _advance(task, lane, state, scratch, epoch, end, stop) if end > epoch else kept[check - 1]
        if stop.is_set():
            return
        if shape.held_out:
            losses[check] = train_epochs(net, judged, held, state._replace(w=kept[check]), scratch, NOTHING)
        epoch, reached = end, check + 1
        if pilot and waited(losses[:reached], lane["ends"], job.recipe.patience):
            break
    task.curves[member], task.kept[member] = losses[:reached], kept


def _advance(
    task: _Task, lane: Lane, state: State, scratch: Work, begin: int, end: int, stop: threading.Event
) -> Float32[np.ndarray, " weights"]:
    """Train from one epoch to another; returns what a check keeps: the weights, or their mean on the way."""
    shape, net, data = task.shape, task.net, task.data()
    table, steps = Rows(data.x, data.target, data.weight), -(-int(lane["rows"]) // shape.batch)
    size = len(state.w)
    # In calls of one epoch, and of a part of one where weights are averaged; else of about a fifth of a second.
    chunk = 1 if shape.averaged else max(1, int(CHUNK_OPERATIONS / (6.0 * size * lane["rows"])))
    part = int(shape.mean_every(steps)) if shape.averaged else steps
    total, count = zeros(size), 0
    for epoch in range(begin, end, chunk):
        last = min(epoch + chunk, end)
        order, adam = orders(shape, lane, epoch, last), adam_schedule(shape, lane, epoch, last)
        for step in range(0, steps, part):
            if stop.is_set():
                break
            rows = order[:, step * shape.batch : (step + part) * shape.batch]
            now = adam[step * ADAM : (step + part) * ADAM] if shape.averaged else adam
            task.kernel.train_epochs(net, table, np.ascontiguousarray(rows), state, scratch, now)
            if shape.averaged:
                total, count = np.add(total, state.w, out=total), count + 1
    return np.divide(total, np.float32(max(1, count)), out=total) if shape.averaged else state.w
