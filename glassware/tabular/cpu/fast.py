"""One network trained on one core as in ``exact``, with bfloat16 products; ``half_products`` says how arrays lie."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from glassware.engine.vectors import ROW
from glassware.foundation.arrays import Float32, Int64
from glassware.tabular.cpu.compiled import compiled, inlined
from glassware.tabular.cpu.exact import ADAM, Flat, Net, Rows, State, loss_and_slopes, place
from glassware.tabular.cpu.half_few import output_few, update_few
from glassware.tabular.cpu.half_products import (
    backward,
    halve_slopes,
    hidden,
    output,
    update,
)
from glassware.tabular.cpu.half_weights import halve_weights, transpose_weights
from glassware.tabular.cpu.products import ROWS, transpose


class Work(NamedTuple):
    """A core's scratch memory: pairs of bfloat16, each in the room of a float, but for ``out``, which has floats."""

    x: Flat
    x_transposed: Flat
    x_panels: Flat  # of one layer, before it is transposed
    out: Flat
    d: Flat
    d_panels: Flat
    w_panels: Flat
    w_transposed: Flat
    w_few: Flat  # of the last layer, if it has one output or two
    d_few: Flat


@inlined
def thin(few: Flat, panel: Flat, start: int, filled: int, count: int) -> None:
    """Copy the first two columns of a panel's first ``filled`` pairs, then zeros up to ``count`` pairs."""
    for i in range(count):
        for j in range(2):
            few[2 * i + j] = panel[start + i * ROW + j] if i < filled else np.float32(0)


@compiled
def train_epochs(
    net: Net,
    rows: Rows,
    orders: Int64[np.ndarray, "epochs rows"],
    state: State,
    work: Work,
    adam: Float32[np.ndarray, " steps*8"],
) -> float:
    """As ``exact.train_epochs``; ``rows.x`` is bfloat16."""
    epochs, count = orders.shape
    layers, stride, batch = net.layers, net.stride, net.batch
    w, m, v = state
    x, x_transposed, x_panels, out, d, d_panels, w_panels, w_transposed, w_few, d_few = work
    by_row, by_column = x.view(np.uint16), x_transposed.view(np.uint16)
    features, last = layers[0, 0], len(layers) - 1
    room, line, block = stride // 2 * ROW, stride // 2, ROW * ROW
    few, at_last, pairs = layers[last, 1] <= 2, layers[last, 2], layers[last, 0] // 2
    total, step = 0.0, 0
    # Padding is multiplied by 0, so it must not be NaN, which a network that diverged may have left there.
    x[:], x_transposed[:], x_panels[:] = 0, 0, 0
    for layer in range(last + 1):
        inputs, outputs, w_at, _, _ = place(layers, layer)
        halve_weights((w_panels, w_at), (w, w_at), inputs, outputs)
        if layer > 0:
            transpose_weights((w_transposed, w_at), (w_panels, w_at), inputs, outputs)
    thin(w_few, w_panels, at_last, pairs, pairs)
    for epoch in range(epochs):
        total = 0.0
        for first in range(0, count, batch):
            order = orders[epoch, first:]
            size = batch if batch < count - first else count - first
            groups = (size + ROWS - 1) // ROWS
            for i in range(size):
                start, to = order[i] * features, i * features
                for j in range(features):
                    by_row[to + j] = rows.x[start + j]
                    by_column[j * stride + i] = rows.x[start + j]
            for layer in range(last + 1):
                inputs, outputs, w_at, x_at, d_at = place(layers, layer)
                panels, weights, panelled = (outputs + ROW - 1) // ROW, (w, w_at), (w_panels, w_at)
                if layer == last and few:
                    output_few((out, 0), (w_few, 0), weights, (x, x_at), inputs, groups)
                    break
                if layer == last:
                    output((out, 0), panelled, weights, (x, x_at), inputs, panels, groups)
                    break
                to = layers[layer + 1, 3]
                hidden((x, to), (x_panels, 0), panelled, weights, (x, x_at), inputs, panels, stride, groups)
                if adam.size > 0:
                    blocks = (size + 2 * ROW - 1) // (2 * ROW)
                    transpose((x_transposed, to), (room, ROW, line), (x_panels, 0), (room, block, ROW), panels, blocks)
            outputs, d_at = layers[last, 1], layers[last, 4]
            panels = (outputs + ROW - 1) // ROW
            total += loss_and_slopes(net, rows, order, size, groups * ROWS, out, 0, outputs, panels * ROW, 1)
            if adam.size == 0:
                continue
            halve_slopes((d, d_at), (d_panels, d_at), (out, 0), panels, stride, groups)
            for behind in range(last + 1):
                layer = last - behind
                inputs, outputs, w_at, x_at, d_at = place(layers, layer)
                panelled, transposed, slopes = (w_panels, w_at), (w_transposed, w_at), (d_panels, d_at)
                if layer > 0:  # before the weights move
                    to = layers[layer - 1, 4]
                    backward((d, to), (d_panels, to), (x, x_at), transposed, (d, d_at), inputs, outputs, stride, groups)
                now, source = (adam, step), (x_transposed, x_at)
                if layer == last and few:
                    thin(d_few, d_panels, d_at, groups * ROWS // 2, (groups + 1) * ROWS // 2)
                    update_few(w, m, v, w_at, panelled, source, (d_few, 0), inputs, stride, size, now)
                    thin(w_few, w_panels, w_at, pairs, pairs)
                else:
                    update(w, m, v, w_at, panelled, source, slopes, inputs, outputs, stride, size, now)
                if layer > 0:
                    transpose_weights(transposed, panelled, inputs, outputs)
            step += ADAM
    return total / count
