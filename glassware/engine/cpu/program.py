"""Lanes of one shape on CPU cores: every core takes the next unfinished lane through the whole chunk."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import jax
import numpy as np

from glassware.engine.cpu import life
from glassware.engine.cpu.draws import places_of
from glassware.engine.cpu.life import BLOCK, Exam, Lane, Net, Work
from glassware.engine.cpu.network import CHUNK
from glassware.engine.cpu.operations import GROUP, TABLE
from glassware.engine.device import cores
from glassware.engine.program import CAPACITY
from glassware.engine.vectors import ROW
from glassware.foundation.arrays import Bool, Float32, Int, LaneValues, Params, RunValues, Shaped
from glassware.foundation.draws import held_out_key
from glassware.models import MLP
from glassware.tasks import Parity
from glassware.training import Loop, Records, Run, State

ALIGN = 64  # bytes: a row must not straddle two cache lines


class CpuProgram:
    """The CPU kernel behind the interface of ``Program``; its state lies in NumPy arrays."""

    skips_idle = True
    compile_seconds = 0.0

    def __init__(self, shape: Run, lanes: int) -> None:
        self.shape, self.lanes = shape, lanes
        self.loop = Loop(shape)
        self.columns: dict[str, tuple[int, ...]] = dict.fromkeys(("loss", "test_error", "train_error"), ())
        self.net = _net(shape)
        self._init = jax.jit(lambda values: self.loop.init(values).params)
        self._final = jax.jit(self.loop.final)
        self._exam = self._examination()
        self._scratch = [_make_scratch(self.net) for _ in range(cores())]
        self._pool = ThreadPoolExecutor(len(self._scratch), "glassware")

    def compile(self, values: RunValues) -> None:
        """Compile now, so that later calls can be timed: an advance by no rounds."""
        fresh = np.zeros(self.lanes, bool)
        fresh[0] = True
        self.advance(values, self.idle(), fresh, 0)

    def idle(self) -> State:
        """A state in which every lane is done."""
        lanes, tiles, inputs = self.lanes, self.net.tiles, _padded(self.net)
        params = {
            "w": _aligned(lanes, tiles * inputs * ROW),
            "v": _aligned(lanes, tiles * ROW),
            "c": np.zeros(lanes, np.float32),
        }
        zero, never = np.zeros(lanes, np.int32), np.full(lanes, life.NEVER, np.int32)
        sums = {name: np.zeros(lanes, np.float32) for name in ("loss", "error")}
        return State(params, (), zero, never, never.copy(), np.ones(lanes, bool), sums)

    def advance(
        self, values: RunValues, state: State, fresh: Bool[np.ndarray, " lanes"], evaluations: int
    ) -> tuple[State, Records]:
        """Start the ``fresh`` lanes, then take all through up to ``evaluations`` rounds. Consumes ``state``."""
        records = _records(self.lanes)
        waiting: Iterator[int] = iter(np.flatnonzero(fresh | ~state.done).tolist())

        def work(scratch: Work) -> None:
            for lane in waiting:
                one = jax.tree.map(lambda a, lane=lane: a[lane], values)
                if fresh[lane]:
                    self._begin(state, lane, one)
                self._advance(scratch, lane, one, state, records, bool(fresh[lane]), min(evaluations, CAPACITY))

        for done in [self._pool.submit(work, scratch) for scratch in self._scratch]:
            done.result()
        return state, records

    def gather(self, state: State, order: Int[np.ndarray, " kept"]) -> State:
        """Lanes in a new order."""
        moved = self.idle()
        for to, source in zip(jax.tree.leaves(moved), jax.tree.leaves(state), strict=True):
            to[:] = source[order]
        return moved

    def final(self, values: RunValues, state: State, lane: int) -> dict[str, Shaped[np.ndarray, "..."]]:
        """The final probes of one lane."""
        if not self.shape.probes:
            return {}
        return {name: np.asarray(a) for name, a in self._final(values, self.params(state, lane)).items()}

    def first(self, values: RunValues) -> Params:
        """The network that a lane with these values begins with."""
        return jax.tree.map(np.asarray, self._init(values))

    def params(self, state: State, lane: int) -> Params:
        """The network of one lane."""
        return self._network(jax.tree.map(lambda a: a[lane].copy(), state.params))

    def _begin(self, state: State, lane: int, values: RunValues) -> None:
        """First weights, from the same draws as everywhere."""
        net, (hidden, output) = self.net, jax.tree.map(np.asarray, self._init(values))
        width = len(hidden["b"])
        rows = np.zeros((net.tiles * ROW, _padded(net)), np.float32)
        rows[:width, : net.inputs] = hidden["w"].T
        rows[:width, net.inputs] = hidden["b"]
        params = state.params
        params["w"][lane] = rows.reshape(net.tiles, ROW, -1).transpose(0, 2, 1).ravel()
        params["v"][lane] = 0.0
        params["v"][lane, :width] = output["w"][:, 0]
        params["c"][lane] = output["b"][0] if "b" in output else 0.0
        state.t[lane] = 0
        state.success_step[lane] = state.diverged_step[lane] = life.NEVER
        state.done[lane] = False
        state.sums["loss"][lane] = state.sums["error"][lane] = 0.0

    def _advance(
        self, scratch: Work, lane: int, values: RunValues, state: State, records: Records, fresh: bool, rounds: int
    ) -> None:
        params = state.params
        now = np.array([state.t[lane], state.success_step[lane], state.diverged_step[lane], state.done[lane]], np.int64)
        sums = np.array([state.sums["loss"][lane], state.sums["error"][lane]], np.float32)
        count, c = life.advance(
            self.net,
            _lane(values),
            params["w"][lane],
            params["v"][lane],
            params["c"][lane],
            now,
            sums,
            fresh,
            rounds,
            self._exam,
            scratch,
            records.t[lane],
            records.curves[lane],
        )
        params["c"][lane] = c
        state.t[lane], state.success_step[lane], state.diverged_step[lane], state.done[lane] = now
        state.sums["loss"][lane], state.sums["error"][lane] = sums
        records.count[lane] = count

    def _network(self, params: LaneValues) -> Params:
        """Back to the parameters of an MLP."""
        net, width = self.net, self.shape.network.widths[0]
        rows = params["w"].reshape(net.tiles, _padded(net), ROW).transpose(1, 0, 2).reshape(_padded(net), -1)
        hidden = {"w": rows[: net.inputs, :width], "b": rows[net.inputs, :width]}
        output = {"w": params["v"][:width, None]}
        return hidden, output | ({"b": params["c"][None]} if self.net.output_bias else {})

    def _examination(self) -> Exam:
        size = -(-self.net.test // BLOCK) * BLOCK
        raw = self.shape.task.raw(held_out_key(), np.arange(size, dtype=np.uint32))
        words = np.zeros((_words(self.net), size), np.uint32)
        words[: cast(Parity, self.shape.task).words] = np.asarray(raw).T
        full, rest = divmod(self.net.inputs, 32)
        words[full] &= np.uint32((1 << rest) - 1)  # what lies past the inputs is +1
        places = np.zeros((size, len(words)), np.uint64)
        places_of(words, size, places)
        return Exam(words, places)


def _padded(net: Net) -> int:
    """Inputs and the constant one, in whole groups."""
    return (net.inputs + GROUP) // GROUP * GROUP


def _words(net: Net) -> int:
    """Words that hold the inputs and the constant one."""
    return net.inputs // 32 + 1


def _net(shape: Run) -> Net:
    evaluation = shape.evaluation
    return Net(
        inputs=shape.task.input_size,
        tiles=-(-shape.network.widths[0] // ROW),
        output_bias=cast(MLP, shape.network).output_bias,
        batch=shape.batch_size,
        every=evaluation.every,
        test=evaluation.test,
        screen=evaluation.screen,
        train=evaluation.train,
    )


def _lane(values: RunValues) -> Lane:
    optimiser, task, keys = values["optimiser"], values["task"], values["keys"]
    lr, decay = optimiser["lr"], optimiser["weight_decay"]
    rates = lr * optimiser.get("layer_rates", np.ones(2, np.float32))
    return Lane(
        keys=np.concatenate([keys["order"], keys["example"], keys["noise"]]),
        mask=np.asarray(task["mask"]),
        noise=np.float32(task["noise"]),
        m=np.uint32(values["m"]),
        steps=int(values["steps"]),
        success=np.float32(values["success"]),
        stop=bool(values["stop"]),
        rate_1=np.float32(rates[0]),
        rate_2=np.float32(rates[1]),
        keep_1=np.float32(1 - rates[0] * decay),
        keep_2=np.float32(1 - rates[1] * decay),
    )


def _make_scratch(net: Net) -> Work:
    """Scratch memory of one core."""
    rows, words, batch_words = max(net.batch, BLOCK), _words(net), -(-net.batch // 32)
    return Work(
        chosen=np.zeros(rows, np.uint32),
        words=np.zeros((words, rows), np.uint32),
        y=np.ones(rows, np.float32),
        places=np.zeros((rows, words), np.uint64),
        columns=np.zeros((32 * words, batch_words), np.uint32),
        square=np.zeros(32, np.uint32),
        tables=_aligned(CHUNK * TABLE),
        h=_aligned(max(net.tiles * net.batch, BLOCK) * ROW),
        share=_aligned(rows * ROW),
        out=_aligned(rows),
        slopes=_aligned(rows),
        marks=_aligned(batch_words * ROW).view(np.uint32),
        total=_aligned(ROW),
        factor=_aligned(ROW),
    )


def _records(lanes: int) -> Records:
    rows = CAPACITY + 1
    return Records(np.zeros((lanes, rows), np.int32), np.zeros((lanes, rows, 3), np.float32), np.zeros(lanes, np.int32))


def _aligned(*shape: int) -> Float32[np.ndarray, "*shape"]:
    """Zeros that begin at a cache line."""
    size = int(np.prod(shape)) * 4
    room = np.zeros(size + ALIGN, np.uint8)
    start = -room.ctypes.data % ALIGN
    return room[start : start + size].view(np.float32).reshape(shape)
