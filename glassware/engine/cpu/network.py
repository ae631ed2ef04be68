"""One training step of a two-layer ReLU network on +-1 inputs under the hinge loss, with hardly a multiplication.

Forward, ``h = W x``: of any four inputs' weights there are sixteen signed sums; they are made once for all examples and
then looked up, one addition where a matrix product takes four multiply-adds. Backward: the hinge loss weighs every
example by its label or by nothing, so the gradient of a weight is the outgoing weight times a count, the number of
examples whose signs agree less those whose signs differ, and that is a population count of 32 examples at a time.
Counts are exact, sums are float32 in a fixed order.

Neurons lie in tiles of sixteen: ``w`` (tiles, inputs, 16), ``v`` (tiles, 16), both flat. The bias is the weight of one
more input that is always +1. Inputs are padded to groups of four, neurons to tiles; padded weights stay zero.
"""

from __future__ import annotations

import numpy as np

from glassware.engine.cpu.compiled import compiled
from glassware.engine.cpu.operations import GROUP, descend, look_back, look_up, read_out, tabulate
from glassware.engine.vectors import ROW
from glassware.foundation.arrays import Float32, UInt8, UInt32

CHUNK = 16  # tables in use at once: 16 KB, half of a first-level cache


@compiled
def outputs(
    inputs: int,
    tiles: int,
    w: Float32[np.ndarray, " tiles*inputs*16"],
    v: Float32[np.ndarray, " tiles*16"],
    c: np.float32,
    places: UInt8[np.ndarray, " rows*stride"],
    first: int,
    stride: int,
    rows: int,
    tables: Float32[np.ndarray, " chunk*table"],
    h: Float32[np.ndarray, " sums"],
    kept: int,
    share: Float32[np.ndarray, " rows*16"],
    out: Float32[np.ndarray, " rows"],
) -> None:
    """Outputs for ``rows`` examples. Hidden sums of tile i go to ``h`` at ``i * kept``: 0 if they are not wanted."""
    groups = (inputs + GROUP) // GROUP  # the constant input is one more
    for i in range(rows * ROW):
        share[i] = 0.0
    for tile in range(tiles):
        at = tile * kept
        for begin in range(0, groups, CHUNK):
            count = min(CHUNK, groups - begin)
            tabulate(tables, w, (tile * groups + begin) * GROUP * ROW, count)
            look_up(h, at, rows, begin, tables, count, places, first + begin, stride)
        read_out(share, rows, h, at, v, tile * ROW)
    for i in range(rows):
        total = np.float32(0)
        for j in range(ROW):
            total += share[i * ROW + j]
        out[i] = total + c


@compiled
def descend_all(
    inputs: int,
    tiles: int,
    batch: int,
    w: Float32[np.ndarray, " tiles*inputs*16"],
    v: Float32[np.ndarray, " tiles*16"],
    rate_1: np.float32,
    rate_2: np.float32,
    keep_1: np.float32,
    keep_2: np.float32,
    columns: UInt32[np.ndarray, " inputs*batch_words"],
    slopes: Float32[np.ndarray, " rows"],
    h: Float32[np.ndarray, " tiles*batch*16"],
    marks: UInt32[np.ndarray, " batch_words*16"],
    total: Float32[np.ndarray, " 16"],
    factor: Float32[np.ndarray, " 16"],
) -> None:
    """One step of all weights but the output bias; ``slopes`` are the loss's derivatives by the outputs."""
    groups = (inputs + GROUP) // GROUP
    words = (batch + 31) // 32
    size_1, size_2 = rate_1 / np.float32(batch), rate_2 / np.float32(batch)
    for tile in range(tiles):
        for j in range(ROW):
            total[j] = 0.0
            factor[j] = size_1 * v[tile * ROW + j]
        for word in range(words):
            rows = min(32, batch - 32 * word)
            look_back(marks, word, total, h, (tile * batch + 32 * word) * ROW, rows, slopes, 32 * word)
        descend(w, tile * groups * GROUP * ROW, inputs + 1, keep_1, factor, marks, words, columns)
        for j in range(ROW):
            v[tile * ROW + j] = keep_2 * v[tile * ROW + j] - size_2 * total[j]
