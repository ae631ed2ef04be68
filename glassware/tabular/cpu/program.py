"""Networks of tables trained on CPU cores by the kernel: one thread per core, each takes the next network."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from glassware.engine.device import cores, stay
from glassware.foundation.arrays import Float32, UInt16
from glassware.tabular.cpu.draws import draw
from glassware.tabular.cpu.exact import Rows, State
from glassware.tabular.cpu.scratch import Work, kernel
from glassware.tabular.cpu.weights import adam_schedule, first, layout, orders, read, room, write, zeros
from glassware.tabular.jobs import Job, Outcome, Shape, best_check, lane_values
from glassware.tabular.recipe import Precision
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
        self.losses = np.zeros((len(job.keys), self.shape.checks), np.float32)
        self.kept: list[np.ndarray | None] = [None] * len(job.keys)
        self.waiting = len(job.keys)
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

    def finish(self) -> Outcome | None:
        """Count one network as done; the outcome if it was the last."""
        with self._lock:
            self.waiting -= 1
            if self.waiting:
                return None
        curve = self.losses[[kept is not None for kept in self.kept]].mean(axis=0)
        moment = best_check(curve)
        features = self.job.table.x.shape[1]
        members = [read(self.net, kept[moment], features) for kept in self.kept if kept is not None]
        self.kept, self._data = [], None
        return Outcome(members, float(curve[moment]))


def train(jobs: list[Job], watches: Sequence[Watch] = ()) -> list[Outcome]:
    """The trained networks of each job. A network is the same bit for bit whatever it was trained beside.

    When a job's watch says that it is over, no further network of it is started; the first is trained in any case.
    """
    watches = watches or [Watch()] * len(jobs)
    tasks = [_Task(job, watch) for job, watch in zip(jobs, watches, strict=True)]
    found: dict[int, Outcome] = {}
    order = [(i, member) for i, job in enumerate(jobs) for member in range(len(job.keys))]
    if any(watch.time_limit is not None or watch.callback is not None for watch in watches):
        order.sort(key=lambda place: place[1] / len(jobs[place[0]].keys))  # a share of every job when time is up
    waiting: Iterator[tuple[int, int]] = iter(order)
    lock, stop = threading.Lock(), threading.Event()

    count = min(cores(), sum(len(job.keys) for job in jobs))

    def work(number: int) -> None:
        if count == cores():
            stay(number)
        scratch: dict[Shape, Work] = {}
        while not stop.is_set():
            with lock:
                i, member = next(waiting, (-1, -1))
            if i < 0:
                return
            task = tasks[i]
            if member == 0 or not task.watch.over():
                if task.shape not in scratch:
                    scratch = {
                        task.shape: task.kernel.scratch(task.net)
                    }  # only one: a shape's jobs mostly come in a row
                _train_network(task, member, scratch[task.shape], stop)
                if not stop.is_set():
                    task.watch.finished()
            outcome = task.finish()
            if outcome is not None:
                found[i] = outcome

    with ThreadPoolExecutor(max(1, count), "glassware") as pool:
        try:
            for done in [pool.submit(work, number) for number in range(count)]:
                done.result()
        finally:
            stop.set()  # after an interrupt, or a failure on one core, the others end soon
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
    table = Rows(data.x, data.target, data.weight)
    held, judged = lane["held"][None, : lane["held_rows"]].astype(np.int64), Rows(data.x, data.truth, data.weight)
    size, _, _ = room(net)
    state = State(zeros(size), zeros(size), zeros(size))
    write(net, first(shape, job.table.x.shape[1], lane), state.w)
    kept = np.empty((shape.checks, size), np.float32)
    chunk = max(1, int(CHUNK_OPERATIONS / (6.0 * size * lane["rows"])))
    epoch = 0
    for check, end in enumerate(lane["ends"].tolist()):
        while epoch < end and not stop.is_set():
            last = min(epoch + chunk, end)
            train_epochs(
                net, table, orders(shape, lane, epoch, last), state, scratch, adam_schedule(shape, lane, epoch, last)
            )
            epoch = last
        loss = train_epochs(net, judged, held, state, scratch, NOTHING) if shape.held_out else np.nan
        kept[check], task.losses[member, check] = state.w, loss
    task.kept[member] = kept
