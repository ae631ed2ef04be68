"""One network trained on one core in float32: what ``glassware.tabular.loop`` does, compiled by Numba."""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np

from glassware.engine.vectors import ROW
from glassware.foundation.arrays import Float32, Int32, Int64, UInt16
from glassware.tabular.cpu.compiled import compiled, inlined
from glassware.tabular.cpu.products import backward, forward, list_nonzero, sparse_product, transpose, update

ADAM = 8  # numbers per step, see ``products.adam_numbers``

Layers: TypeAlias = Int64[np.ndarray, "layers 5"]
Flat: TypeAlias = Float32[np.ndarray, " elements"]  # all layers, one after another


class Net(NamedTuple):
    """A network's layout. ``layers`` has one row per layer: inputs (in whole blocks of rows), outputs, and the elements
    at which its weights, its inputs and the slopes of its outputs begin. A slope is the loss's derivative."""

    layers: Layers
    batch: int
    stride: int  # room for one batch of examples, in whole vectors
    classify: bool


class Rows(NamedTuple):
    """A table as flat arrays."""

    x: Float32[np.ndarray, " rows*features"] | UInt16[np.ndarray, " rows*features"]
    target: Float32[np.ndarray, " rows*outputs"]
    weight: Float32[np.ndarray, " rows"]


class State(NamedTuple):
    """Weights, and Adam's averages of gradients and squares, each divided by (1 - beta); flat, see ``products``."""

    w: Flat
    m: Flat
    v: Flat


class Lists(NamedTuple):
    """The nonzero inputs of every example, see ``products.list_nonzero``."""

    values: Flat
    places: Int32[np.ndarray, " elements"]
    ends: Int64[np.ndarray, " chunks*stride"]


class Work(NamedTuple):
    """A core's scratch memory."""

    x: Flat  # inputs of every layer, (features + 1, stride), the last row all ones
    in_panels: Flat  # the same, (panels, stride, 16)
    d: Flat  # slopes of its outputs, (outputs, stride)
    slopes: Flat  # the same, (panels, stride, 16)
    transposed: Flat  # weights between hidden layers in panels of inputs, (panels, outputs, 16)
    lists: Lists
    zero: tuple[Float32[np.ndarray, " 16"], int]  # sixteen zeros, and where they begin


@inlined
def place(layers: Layers, layer: int) -> tuple[int, int, int, int, int]:
    """A row of ``Net.layers``."""
    return layers[layer, 0], layers[layer, 1], layers[layer, 2], layers[layer, 3], layers[layer, 4]


@inlined
def loss_and_slopes(
    net: Net,
    rows: Rows,
    order: Int64[np.ndarray, " batch"],
    count: int,
    room: int,
    d: Flat,
    d_at: int,
    outputs: int,
    far: int,
    stride: int,
) -> float:
    """Sum of the losses of ``count`` examples. Their outputs in ``d`` are replaced by slopes of the mean loss, and by 0
    for the examples that pad the batch to ``room``.

    Examples lie ``far`` apart, the outputs of one example ``stride``.
    """
    total = 0.0
    for i in range(room):
        at = d_at + i * far
        end = at + outputs * stride
        if i >= count:
            for j in range(at, end, stride):
                d[j] = 0
            continue
        row = order[i]
        weight, loss, target = rows.weight[row], np.float32(0), row * outputs
        scale = weight / np.float32(count)
        if net.classify:
            top, mass, share = d[at], np.float32(0), np.float32(0)
            for j in range(at, end, stride):
                top = d[j] if d[j] > top else top
            for j in range(at, end, stride):
                mass += math.exp(d[j] - top)
            for j in range(target, target + outputs):
                share += rows.target[j]
            level = top + math.log(mass)
            for j in range(at, end, stride):
                lag, wanted = d[j] - level, rows.target[target]
                loss -= wanted * lag
                d[j] = scale * (share * math.exp(lag) - wanted)
                target += 1
        else:
            for j in range(at, end, stride):
                miss = d[j] - rows.target[target]
                loss += np.float32(0.5) * miss * miss
                d[j] = scale * miss
                target += 1
        total += weight * loss
    return total


@compiled
def train_epochs(
    net: Net,
    rows: Rows,
    orders: Int64[np.ndarray, "epochs rows"],
    state: State,
    work: Work,
    adam: Float32[np.ndarray, " steps*8"],
) -> float:
    """One epoch per row of ``orders``, which has the row numbers in turn; returns the mean loss of the last epoch.

    ``adam`` has the numbers of every step (see ``products.update``); if it is empty, nothing is learnt.
    """
    epochs, count = orders.shape
    layers, stride, batch = net.layers, net.stride, net.batch
    w, m, v = state
    x, in_panels, d, slopes, transposed, (values, places, ends), zero = work
    lists = (values, places, ends)
    features, last = layers[0, 0], len(layers) - 1
    room, block = stride * ROW, ROW * ROW
    by_feature, by_panel = (room, ROW, stride), (room, block, ROW)  # distances for ``transpose``
    total, step = 0.0, 0
    for epoch in range(epochs):
        total = 0.0
        for first in range(0, count, batch):
            order = orders[epoch, first:]
            size = batch if batch < count - first else count - first
            vectors = (size + ROW - 1) // ROW
            for i in range(size):
                start = order[i] * features
                for j in range(features):
                    x[j * stride + i] = rows.x[start + j]
            for layer in range(last + 1):
                inputs, outputs, w_at, x_at, d_at = place(layers, layer)
                panel, panels, listed = (inputs + 1) * ROW, (outputs + ROW - 1) // ROW, inputs // ROW
                weights, source = (w, w_at), (x, x_at)
                if layer == last:
                    low = np.float32(-np.inf)
                    forward((d, d_at), weights, source, inputs, outputs, stride, vectors, low)
                    break
                to, to_panels = (x, layers[layer + 1, 3]), (in_panels, layers[layer + 1, 3])
                if layer == 0:
                    forward(to, weights, source, inputs, outputs, stride, vectors, np.float32(0))
                    if last > 1:
                        transpose(to_panels, by_panel, to, by_feature, panels, vectors)
                else:  # about half of a ReLU's outputs are 0
                    bias = (w, w_at + inputs * ROW)
                    list_nonzero(lists, (in_panels, x_at), listed, stride, size)
                    sparse_product(
                        to_panels, to_panels, weights, panel, bias, panel, lists, listed, panels, stride, size
                    )
                    transpose(to, by_feature, to_panels, by_panel, panels, vectors)
            total += loss_and_slopes(
                net, rows, order, size, vectors * ROW, d, layers[last, 4], layers[last, 1], 1, stride
            )
            if adam.size == 0:
                continue
            for behind in range(last + 1):
                layer = last - behind
                inputs, outputs, w_at, x_at, d_at = place(layers, layer)
                panel, panels, listed = (inputs + 1) * ROW, (outputs + ROW - 1) // ROW, inputs // ROW
                weights, source, here = (w, w_at), (x, x_at), (slopes, d_at)
                if layer == last:
                    transpose(here, by_panel, (d, d_at), by_feature, panels, vectors)
                if layer > 0:  # before the weights move
                    to, to_panels = (d, layers[layer - 1, 4]), (slopes, layers[layer - 1, 4])
                    if layer == last:
                        backward(to, (d, d_at), weights, source, inputs, outputs, stride, vectors)
                        transpose(to_panels, by_panel, to, by_feature, listed, vectors)
                    else:
                        now, mask = (transposed, w_at), (in_panels, x_at)
                        transpose(now, (block, panels * block, ROW), weights, (panel, block, ROW), panels, listed)
                        list_nonzero(lists, here, panels, stride, size)
                        sparse_product(
                            to_panels, mask, now, panels * block, zero, 0, lists, panels, listed, stride, size
                        )
                update(w, m, v, w_at, source, here, inputs, outputs, stride, size, (adam, step))
            step += ADAM
    return total / count
