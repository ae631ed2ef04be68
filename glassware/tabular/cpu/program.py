"""Networks of tables on CPU cores: every core takes the next network from its first weights to its last."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from glassware.engine.device import cores, stay
from glassware.tabular.cpu.draws import draw
from glassware.tabular.cpu.exact import Rows, State
from glassware.tabular.cpu.scratch import kernel
from glassware.tabular.cpu.weights import first, layout, orders, pace, read, room, write, zeros
from glassware.tabular.jobs import Job, Outcome, Shape, best_check, lane_values
from glassware.tabular.recipe import Precision

A_WHILE = 2e10  # operations after which a core looks whether it should stop: a fifth of a second

NOTHING = np.zeros(0, np.float32)


class _Data(NamedTuple):
    """A job's table as the kernel reads it."""

    x: np.ndarray
    target: np.ndarray
    truth: np.ndarray
    weight: np.ndarray


class _Task:
    """A job under way: what its networks share, and what they have left to be chosen from."""

    def __init__(self, job: Job) -> None:
        self.job, self.shape = job, job.shape()
        self.net, self.kernel = layout(self.shape), kernel(self.shape.precision)
        self.losses = np.zeros((len(job.keys), self.shape.checks), np.float32)
        self.kept: list[np.ndarray | None] = [None] * len(job.keys)
        self.waiting = len(job.keys)
        self._data: _Data | None = None
        self._lock = threading.Lock()

    def data(self) -> _Data:
        """Made when the first network needs it."""
        with self._lock:
            if self._data is None:
                table = self.job.table
                x = np.zeros((len(table.x), self.net.layers[0, 0]), np.float32)
                x[:, : table.x.shape[1]] = table.x
                flat = (np.ascontiguousarray(a, np.float32).ravel() for a in table[1:])
                self._data = _Data(self.kernel.numbers(x.ravel()), *flat)
            return self._data

    def finish(self) -> Outcome | None:
        """The outcome, when this was the last network."""
        with self._lock:
            self.waiting -= 1
            if self.waiting:
                return None
        curve = self.losses.mean(axis=0)
        moment = best_check(curve)
        features = self.job.table.x.shape[1]
        members = [read(self.net, kept[moment], features) for kept in self.kept if kept is not None]
        self.kept, self._data = [], None
        return Outcome(members, float(curve[moment]))


def train(jobs: list[Job]) -> list[Outcome]:
    """The trained networks of each job. A network is the same bit for bit whatever it was trained beside."""
    tasks = [_Task(job) for job in jobs]
    found: dict[int, Outcome] = {}
    waiting: Iterator[tuple[int, int]] = ((i, member) for i, job in enumerate(jobs) for member in range(len(job.keys)))
    lock, stop = threading.Lock(), threading.Event()

    count = min(cores(), sum(len(job.keys) for job in jobs))

    def work(number: int) -> None:
        if count == cores():
            stay(number)
        desks: dict[Shape, Any] = {}
        while not stop.is_set():
            with lock:
                i, member = next(waiting, (-1, -1))
            if i < 0:
                return
            task = tasks[i]
            if task.shape not in desks:
                desks = {task.shape: task.kernel.desk(task.net)}  # jobs of a shape mostly follow one another
            _live(task, member, desks[task.shape], stop)
            outcome = task.finish()
            if outcome is not None:
                found[i] = outcome

    with ThreadPoolExecutor(max(1, count), "glassware") as pool:
        try:
            for done in [pool.submit(work, number) for number in range(count)]:
                done.result()
        finally:
            stop.set()  # an interrupt, or a failure in one core: the others end soon, too
    return [found[i] for i in range(len(jobs))]


def compile_now(precision: Precision = "exact") -> None:
    """Compile, or load what was compiled: no draws, and a pass over no rows."""
    (passes, desk, numbers), none = kernel(precision), zeros(0)
    net = layout(Shape((1, 1, 1), False, 0, 1, 0, 1, True, "constant", False, precision))
    size, _, _ = room(net)
    state = State(zeros(size), zeros(size), zeros(size))
    draw(np.zeros(2, np.uint32), *np.zeros((2, 0), np.uint32))
    passes(net, Rows(numbers(none), none, none), np.zeros((0, 1), np.int64), state, desk(net), NOTHING)


def _live(task: _Task, member: int, desk: Any, stop: threading.Event) -> None:
    """One network, from its first weights on; its weights at every check are left with the task."""
    job, shape, net, data = task.job, task.shape, task.net, task.data()
    passes = task.kernel.passes
    lane = lane_values(shape, job, 0, member)
    table = Rows(data.x, data.target, data.weight)
    held, judged = lane["held"][None, : lane["held_rows"]].astype(np.int64), Rows(data.x, data.truth, data.weight)
    size, _, _ = room(net)
    state = State(zeros(size), zeros(size), zeros(size))
    write(net, first(shape, job.table.x.shape[1], lane), state.w)
    kept = np.empty((shape.checks, size), np.float32)
    chunk = max(1, int(A_WHILE / (6.0 * size * lane["rows"])))
    epoch = 0
    for check, end in enumerate(lane["ends"].tolist()):
        while epoch < end and not stop.is_set():
            last = min(epoch + chunk, end)
            passes(net, table, orders(shape, lane, epoch, last), state, desk, pace(shape, lane, epoch, last))
            epoch = last
        loss = passes(net, judged, held, state, desk, NOTHING) if shape.held_out else np.nan
        kept[check], task.losses[member, check] = state.w, loss
    task.kept[member] = kept
