"""A network's life on a core: take a minibatch, step. The rules of ``glassware.tabular.lanes``, compiled."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np

from glassware.tabular.cpu.compiled import compiled
from glassware.tabular.cpu.tiles import ROW, back, descend, forward, turn

ADAM = 8  # numbers of a step


class Net(NamedTuple):
    """A network's layout. ``layers`` has a row a layer: inputs (in whole blocks of rows), outputs, and the elements at
    which its weights, its inputs and the slopes of its outputs begin."""

    layers: Any
    batch: int
    stride: int  # room for the examples of a batch, in whole vectors, two at least
    classify: bool


class Rows(NamedTuple):
    """A table, all flat."""

    x: Any
    target: Any
    weight: Any


class State(NamedTuple):
    """Weights, and Adam's averages of gradients and squares, each over its (1 - beta); flat, see ``tiles``."""

    w: Any
    m: Any
    v: Any


class Work(NamedTuple):
    """A core's scratch memory."""

    x: Any  # inputs of every layer, (features + 1, stride), the last row all ones
    d: Any  # slopes of its outputs, (outputs, stride)
    slopes: Any  # the same of one layer, (panels, stride, 16)


@numba.njit(inline="always")  # type: ignore[untyped-decorator]
def judge(net: Net, rows: Rows, order: Any, count: int, room: int, d: Any, d_at: int, outputs: int) -> float:
    """Sum of the losses of ``count`` examples; their outputs are replaced by slopes of the mean, 0 in the rest."""
    total, stride = 0.0, net.stride
    for i in range(room):
        at = d_at + i
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
def passes(net: Net, rows: Rows, orders: Any, state: State, work: Work, adam: Any) -> float:
    """An epoch for each row of ``orders``, which are numbers of rows; returns the mean loss of the last.

    ``adam`` has the numbers of every step (see ``tiles.descend``); where there are none, nothing is learnt.
    """
    epochs, count = orders.shape
    layers, stride, batch = net.layers, net.stride, net.batch
    w, m, v = state
    x, d, slopes = work
    features, last = layers[0, 0], len(layers) - 1
    total, step = 0.0, 0
    for epoch in range(epochs):
        total = 0.0
        for first in range(0, count, batch):
            order = orders[epoch, first:]
            size = batch if batch < count - first else count - first
            vectors = (size + ROW - 1) // ROW if size > ROW else 2
            for i in range(size):
                start = order[i] * features
                for j in range(features):
                    x[j * stride + i] = rows.x[start + j]
            for layer in range(last + 1):
                at = layers[layer]
                z, z_at, least = d, at[4], np.float32(-np.inf)
                if layer < last:
                    z, z_at, least = x, layers[layer + 1, 3], np.float32(0)
                forward(z, z_at, w, at[2], x, at[3], at[0], at[1], stride, vectors, least)
            total += judge(net, rows, order, size, vectors * ROW, d, layers[last, 4], layers[last, 1])
            if adam.size == 0:
                continue
            for behind in range(last + 1):
                layer = last - behind
                at = layers[layer]
                turn(slopes, d, at[4], at[1], stride, vectors)
                if layer > 0:  # before the weights move
                    back(d, layers[layer - 1, 4], at[4], w, at[2], x, at[3], at[0], at[1], stride, vectors)
                descend(w, m, v, at[2], x, at[3], at[0], at[1], stride, slopes, size, adam, step)
            step += ADAM
    return total / count
