"""A network's life on a core as in ``life``, with products of halves; see ``halves`` for how all of it lies."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from glassware.engine.vectors import ROW
from glassware.tabular.cpu.compiled import compiled
from glassware.tabular.cpu.halves import activate, back, conclude, descend, halve_slopes, halve_weights, turn_weights
from glassware.tabular.cpu.life import ADAM, Net, Rows, State, judge, place
from glassware.tabular.cpu.tiles import ROWS, turn


class Work(NamedTuple):
    """A core's scratch memory: pairs of halves in the room of a float each, but for ``out``, which are floats."""

    x: Any
    x_turned: Any
    x_panels: Any  # of one layer, on the way to be turned
    out: Any
    d: Any
    d_panels: Any
    w_panels: Any
    w_turned: Any


@compiled
def passes(net: Net, rows: Rows, orders: Any, state: State, work: Work, adam: Any) -> float:
    """As ``life.passes``; ``rows.x`` are halves."""
    epochs, count = orders.shape
    layers, stride, batch = net.layers, net.stride, net.batch
    w, m, v = state
    x, x_turned, x_panels, out, d, d_panels, w_panels, w_turned = work
    by_row, by_column = x.view(np.uint16), x_turned.view(np.uint16)
    features, last = layers[0, 0], len(layers) - 1
    room, line, block = stride // 2 * ROW, stride // 2, ROW * ROW
    total, step = 0.0, 0
    for layer in range(last + 1):
        inputs, outputs, w_at, _, _ = place(layers, layer)
        halve_weights((w_panels, w_at), (w, w_at), inputs, outputs)
        if layer > 0:
            turn_weights((w_turned, w_at), (w_panels, w_at), inputs, outputs)
    for epoch in range(epochs):
        total = 0.0
        for first in range(0, count, batch):
            order = orders[epoch, first:]
            size = batch if batch < count - first else count - first
            groups = (size + ROWS - 1) // ROWS
            for i in range(groups * ROWS):  # rows that fill a group are 0, not what another network left there
                start, to = (order[i] if i < size else 0) * features, i * features
                for j in range(features):
                    value = rows.x[start + j] if i < size else np.uint16(0)
                    by_row[to + j] = value
                    by_column[j * stride + i] = value
            for layer in range(last + 1):
                inputs, outputs, w_at, x_at, d_at = place(layers, layer)
                panels, weights, panelled = (outputs + ROW - 1) // ROW, (w, w_at), (w_panels, w_at)
                if layer == last:
                    conclude((out, 0), panelled, weights, (x, x_at), inputs, panels, groups)
                    break
                to = layers[layer + 1, 3]
                activate((x, to), (x_panels, 0), panelled, weights, (x, x_at), inputs, panels, stride, groups)
                if adam.size > 0:
                    blocks = (size + 2 * ROW - 1) // (2 * ROW)
                    turn((x_turned, to), (room, ROW, line), (x_panels, 0), (room, block, ROW), panels, blocks)
            outputs, d_at = layers[last, 1], layers[last, 4]
            panels = (outputs + ROW - 1) // ROW
            total += judge(net, rows, order, size, groups * ROWS, out, 0, outputs, panels * ROW, 1)
            if adam.size == 0:
                continue
            halve_slopes((d, d_at), (d_panels, d_at), (out, 0), panels, stride, groups)
            for behind in range(last + 1):
                layer = last - behind
                inputs, outputs, w_at, x_at, d_at = place(layers, layer)
                panelled, turned, slopes = (w_panels, w_at), (w_turned, w_at), (d_panels, d_at)
                if layer > 0:  # before the weights move
                    to = layers[layer - 1, 4]
                    back((d, to), (d_panels, to), (x, x_at), turned, (d, d_at), inputs, outputs, stride, groups)
                descend(w, m, v, w_at, panelled, (x_turned, x_at), slopes, inputs, outputs, stride, size, (adam, step))
                if layer > 0:
                    turn_weights(turned, panelled, inputs, outputs)
            step += ADAM
    return total / count
