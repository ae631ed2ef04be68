"""A network's life on a core as in ``life``, with products of halves; see ``halves`` for how all of it lies."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from glassware.engine.vectors import ROW
from glassware.tabular.cpu.compiled import compiled, inlined
from glassware.tabular.cpu.exact import ADAM, Net, Rows, State, judge, place
from glassware.tabular.cpu.half_products import (
    activate,
    back,
    conclude,
    conclude_few,
    descend,
    descend_few,
    halve_slopes,
    halve_weights,
    turn_weights,
)
from glassware.tabular.cpu.products import ROWS, turn


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
    w_few: Any  # of the last layer, where it has one output or two
    d_few: Any


@inlined
def thin(few: Any, panel: Any, start: int, filled: int, count: int) -> None:
    """The first two columns of ``filled`` pairs of a panel, then zeros up to ``count``."""
    for i in range(count):
        for j in range(2):
            few[2 * i + j] = panel[start + i * ROW + j] if i < filled else np.float32(0)


@compiled
def passes(net: Net, rows: Rows, orders: Any, state: State, work: Work, adam: Any) -> float:
    """As ``exact.passes``; ``rows.x`` are halves."""
    epochs, count = orders.shape
    layers, stride, batch = net.layers, net.stride, net.batch
    w, m, v = state
    x, x_turned, x_panels, out, d, d_panels, w_panels, w_turned, w_few, d_few = work
    by_row, by_column = x.view(np.uint16), x_turned.view(np.uint16)
    features, last = layers[0, 0], len(layers) - 1
    room, line, block = stride // 2 * ROW, stride // 2, ROW * ROW
    few, at_last, pairs = layers[last, 1] <= 2, layers[last, 2], layers[last, 0] // 2
    total, step = 0.0, 0
    # Rows that fill a group, a pair or a vector are multiplied by 0: what another network left there may be NaN.
    x[:], x_turned[:], x_panels[:] = 0, 0, 0
    for layer in range(last + 1):
        inputs, outputs, w_at, _, _ = place(layers, layer)
        halve_weights((w_panels, w_at), (w, w_at), inputs, outputs)
        if layer > 0:
            turn_weights((w_turned, w_at), (w_panels, w_at), inputs, outputs)
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
                    conclude_few((out, 0), (w_few, 0), weights, (x, x_at), inputs, groups)
                    break
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
                now, source = (adam, step), (x_turned, x_at)
                if layer == last and few:
                    thin(d_few, d_panels, d_at, groups * ROWS // 2, (groups + 1) * ROWS // 2)
                    descend_few(w, m, v, w_at, panelled, source, (d_few, 0), inputs, stride, size, now)
                    thin(w_few, w_panels, w_at, pairs, pairs)
                else:
                    descend(w, m, v, w_at, panelled, source, slopes, inputs, outputs, stride, size, now)
                if layer > 0:
                    turn_weights(turned, panelled, inputs, outputs)
            step += ADAM
    return total / count
