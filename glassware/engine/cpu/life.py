"""A lane's life on a core: draw a minibatch, step, examine. The rules of ``glassware.training.loop``, compiled."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from glassware.engine.cpu.compiled import compiled
from glassware.engine.cpu.draws import columns_of, examples, label, places_of
from glassware.engine.cpu.network import descend_all, outputs
from glassware.engine.threefry import threefry
from glassware.foundation.arrays import Float32, Int32, Int64, UInt8, UInt32, UInt64

Hidden: TypeAlias = Float32[np.ndarray, " tiles*inputs*16"]  # incoming weights, see ``network``
Readout: TypeAlias = Float32[np.ndarray, " tiles*16"]  # outgoing weights
NEVER = -1
BLOCK = 256  # examples examined at once: their hidden sums of a tile take half of a first-level cache


class Net(NamedTuple):
    """What all lanes of a shape share."""

    inputs: int  # n
    tiles: int  # of sixteen neurons
    output_bias: bool
    batch: int
    every: int
    test: int
    screen: int
    train: int


class Lane(NamedTuple):
    """Lane values of one run."""

    keys: UInt32[np.ndarray, " 6"]  # words of the order, example and noise keys
    mask: UInt32[np.ndarray, " mask_words"]
    noise: np.float32
    m: np.uint32
    steps: int
    success: np.float32
    stop: bool
    rate_1: np.float32  # learning rates of the two layers, and what weight decay leaves of them per step
    rate_2: np.float32
    keep_1: np.float32
    keep_2: np.float32


class Work(NamedTuple):
    """A core's scratch memory; whatever is counted by examples has room for a minibatch and for a block."""

    chosen: UInt32[np.ndarray, " rows"]  # numbers of the examples
    words: UInt32[np.ndarray, "words rows"]
    y: Float32[np.ndarray, " rows"]
    places: UInt64[np.ndarray, "rows words"]
    columns: UInt32[np.ndarray, "32*words batch_words"]
    square: UInt32[np.ndarray, " 32"]
    tables: Float32[np.ndarray, " chunk*table"]
    h: Float32[np.ndarray, " sums"]
    share: Float32[np.ndarray, " rows*16"]
    out: Float32[np.ndarray, " rows"]
    slopes: Float32[np.ndarray, " rows"]
    marks: UInt32[np.ndarray, " batch_words*16"]
    total: Float32[np.ndarray, " 16"]
    factor: Float32[np.ndarray, " 16"]


class Exam(NamedTuple):
    """The held-out sample, padded to whole blocks."""

    words: UInt32[np.ndarray, "words examples"]
    places: UInt64[np.ndarray, "examples words"]


@compiled
def step(
    net: Net, lane: Lane, w: Hidden, v: Readout, c: np.float32, t: int, work: Work
) -> tuple[np.float32, np.float32, np.float32]:
    """One minibatch step; returns its mean loss and error, and the new output bias."""
    batch, now = net.batch, np.uint32(t)
    for i in range(batch):
        work.chosen[i] = now * np.uint32(batch) + np.uint32(i)
    if lane.m > 0:
        for i in range(batch):
            word, _ = threefry(lane.keys[0], lane.keys[1], now, np.uint32(i))
            work.chosen[i] = word
        for i in range(batch):
            work.chosen[i] %= lane.m
    examples(net.inputs, lane.keys, lane.mask, lane.noise, work.chosen, batch, work.words, work.y)
    places_of(work.words, batch, work.places)
    columns_of(work.words, work.y, batch, work.square, work.columns)
    stride = 8 * work.words.shape[0]
    places, columns = work.places.reshape(-1).view(np.uint8), work.columns.reshape(-1)
    outputs(
        net.inputs, net.tiles, w, v, c, places, 0, stride, batch, work.tables, work.h, batch * 16, work.share, work.out
    )
    loss, missed, slope_sum = np.float32(0), np.float32(0), np.float32(0)
    for i in range(batch):
        y = work.y[i]
        margin = y * work.out[i]
        slope = -y if margin < np.float32(1) else np.float32(0)
        work.slopes[i] = slope
        slope_sum += slope
        loss += np.float32(0) if margin >= np.float32(1) else np.float32(1) - margin  # NaN counts, and shows
        missed += np.float32(0) if margin > np.float32(0) else np.float32(1)
    descend_all(
        net.inputs,
        net.tiles,
        batch,
        w,
        v,
        lane.rate_1,
        lane.rate_2,
        lane.keep_1,
        lane.keep_2,
        columns,
        work.slopes,
        work.h,
        work.marks,
        work.total,
        work.factor,
    )
    size = np.float32(batch)
    if net.output_bias:
        c = lane.keep_2 * c - lane.rate_2 / size * slope_sum
    return loss / size, missed / size, c


@compiled
def misses(
    net: Net,
    w: Hidden,
    v: Readout,
    c: np.float32,
    places: UInt8[np.ndarray, " rows*stride"],
    first: int,
    y: Float32[np.ndarray, " rows"],
    count: int,
    work: Work,
) -> int:
    """Wrong answers among ``count`` examples of a block."""
    stride = 8 * work.words.shape[0]
    outputs(
        net.inputs,
        net.tiles,
        w,
        v,
        c,
        places,
        first * stride,
        stride,
        BLOCK,
        work.tables,
        work.h,
        0,
        work.share,
        work.out,
    )
    missed = 0
    for i in range(count):
        if not y[i] * work.out[i] > 0:
            missed += 1
    return missed


@compiled
def test_misses(
    net: Net, lane: Lane, w: Hidden, v: Readout, c: np.float32, exam: Exam, first: int, last: int, work: Work
) -> int:
    """Wrong answers among test examples first .. last - 1; ``first`` is a multiple of BLOCK."""
    places = exam.places.reshape(-1).view(np.uint8)
    missed = 0
    for start in range(first, last, BLOCK):
        label(exam.words[:, start:], lane.mask, BLOCK, work.y)
        missed += misses(net, w, v, c, places, start, work.y, min(BLOCK, last - start), work)
    return missed


@compiled
def test_error(net: Net, lane: Lane, w: Hidden, v: Readout, c: np.float32, exam: Exam, work: Work) -> np.float32:
    """Error on the held-out sample; past the screen only if the screened part is promising."""
    screened, begin, again = 0, 0, 0
    if net.screen:
        screened = test_misses(net, lane, w, v, c, exam, 0, net.screen, work)
        share = np.float32(screened) / np.float32(net.screen)
        if not share <= np.float32(2) * lane.success:
            return share
        begin = net.screen // BLOCK * BLOCK  # blocks are examined whole: count the screen's last one once
        again = test_misses(net, lane, w, v, c, exam, begin, net.screen, work)
    rest = test_misses(net, lane, w, v, c, exam, begin, net.test, work)
    return np.float32(screened - again + rest) / np.float32(net.test)


@compiled
def sample_error(net: Net, lane: Lane, w: Hidden, v: Readout, c: np.float32, work: Work) -> np.float32:
    """Error on the first ``train`` examples of the run's own sample."""
    size = int(lane.m) if lane.m > 0 and lane.m < net.train else net.train
    places = work.places.reshape(-1).view(np.uint8)
    missed = 0
    for start in range(0, size, BLOCK):
        for i in range(BLOCK):
            work.chosen[i] = np.uint32(start + i)
        examples(net.inputs, lane.keys, lane.mask, lane.noise, work.chosen, BLOCK, work.words, work.y)
        places_of(work.words, BLOCK, work.places)
        missed += misses(net, w, v, c, places, 0, work.y, min(BLOCK, size - start), work)
    return np.float32(missed) / np.float32(size)


@compiled
def advance(
    net: Net,
    lane: Lane,
    w: Hidden,
    v: Readout,
    c: np.float32,
    state: Int64[np.ndarray, " 4"],
    sums: Float32[np.ndarray, " 2"],
    fresh: bool,
    rounds: int,
    exam: Exam,
    work: Work,
    times: Int32[np.ndarray, " points"],
    curves: Float32[np.ndarray, "points 3"],
) -> tuple[int, np.float32]:
    """Take a lane through up to ``rounds`` rounds of steps and examination; returns points measured and output bias.

    ``state`` is t, success step, diverged step, done; ``sums`` the minibatch loss and error since the last evaluation.
    A fresh lane is examined before its first step.
    """
    count, turn = 0, -1 if fresh else 0
    while turn < rounds and not state[3]:
        if turn >= 0:
            for _ in range(net.every):
                loss, error, c = step(net, lane, w, v, c, state[0], work)
                state[0] += 1
                if state[2] == NEVER and not np.isfinite(loss):
                    state[2] = state[0]
                sums[0] += loss
                sums[1] += error
        measured = test_error(net, lane, w, v, c, exam, work)
        unseen, every = state[0] == 0, np.float32(net.every)
        times[count] = state[0]
        curves[count, 0] = np.float32(np.nan) if unseen else sums[0] / every
        curves[count, 1] = measured
        curves[count, 2] = np.float32(np.nan) if unseen else sums[1] / every
        if net.train:
            curves[count, 2] = sample_error(net, lane, w, v, c, work)
        sums[:] = 0.0
        count += 1
        if state[2] == NEVER and not np.isfinite(w.sum() + v.sum() + c):
            state[2] = state[0]
        if state[1] == NEVER and state[2] == NEVER and measured <= lane.success:
            state[1] = state[0]
        if (lane.stop and state[1] != NEVER) or state[2] != NEVER or state[0] >= lane.steps:
            state[3] = 1
        turn += 1
    return count, c
