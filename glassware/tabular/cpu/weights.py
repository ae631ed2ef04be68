"""A network for the kernel: how its weights lie in memory, and the numbers that its training needs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from glassware.engine.vectors import ROW
from glassware.foundation.arrays import Float32, Int64, Params, Shaped
from glassware.tabular.cpu.draws import draw
from glassware.tabular.cpu.exact import ADAM, Flat, Net
from glassware.tabular.cpu.products import ROWS
from glassware.tabular.jobs import Lane, Shape
from glassware.tabular.rules import BETA1, BETA2, EPSILON, Backend, epoch_order, first_weights, rate_factor

HOST = Backend(np, draw)
ALIGN = 64  # bytes: a vector must not straddle two cache lines


def layout(shape: Shape) -> Net:
    """Where a network of this shape, its activations and its slopes lie."""
    stride = round_up(shape.batch, 2 * ROW if shape.precision == "fast" else ROW)  # fast: a whole vector of pairs
    rows, w_at, x_at, d_at = [], 0, 0, 0
    for i, (inputs, outputs) in enumerate(pairwise(shape.sizes)):
        inputs, columns = round_up(inputs, ROW if i else ROWS), round_up(outputs, ROW)
        rows.append((inputs, outputs, w_at, x_at, d_at))
        w_at, x_at, d_at = w_at + (inputs + 1) * columns, x_at + (inputs + 1) * stride, d_at + columns * stride
    return Net(np.array(rows), shape.batch, stride, shape.classify)


def room(net: Net) -> tuple[int, int, int]:
    """The number of elements of weights, activations and slopes."""
    inputs, outputs, w_at, x_at, d_at = net.layers[-1].tolist()
    columns = round_up(outputs, ROW)
    return w_at + (inputs + 1) * columns, x_at + (inputs + 1) * net.stride, d_at + columns * net.stride


def views(net: Net, flat: Flat) -> list[Float32[np.ndarray, "panels inputs+1 16"]]:
    """Each layer's panels in a flat array."""
    found = []
    for inputs, outputs, at, _, _ in net.layers.tolist():
        panels = round_up(outputs, ROW) // ROW
        found.append(flat[at : at + panels * (inputs + 1) * ROW].reshape(panels, inputs + 1, ROW))
    return found


def write(net: Net, params: Params, flat: Flat) -> None:
    """Write weights into a flat array of zeros."""
    for panels, layer in zip(views(net, flat), params, strict=True):
        (rows, columns), room = layer["w"].shape, panels.shape[0] * ROW
        dense = np.zeros((panels.shape[1], room), np.float32)
        dense[:rows, :columns] = layer["w"]
        dense[-1, :columns] = layer["b"]
        panels[:] = dense.reshape(len(dense), -1, ROW).transpose(1, 0, 2)


def read(net: Net, flat: Flat, features: int) -> Params:
    """Read weights from a flat array."""
    layers, rows = [], features
    for panels, outputs in zip(views(net, flat), net.layers[:, 1].tolist(), strict=True):
        dense = panels.transpose(1, 0, 2).reshape(panels.shape[1], -1)
        layers.append({"w": dense[:rows, :outputs].copy(), "b": dense[-1, :outputs].copy()})
        rows = outputs
    return tuple(layers)


def adam_schedule(shape: Shape, lane: Lane, begin: int, end: int) -> Float32[np.ndarray, " steps*8"]:
    """Adam's numbers for each step from ``begin`` to ``end``, see ``products.update``; flat."""
    steps = -(-int(lane["rows"]) // shape.batch)
    lr, decay, step = float(lane["lr"]), float(lane["decay"]), np.arange(begin * steps, end * steps) + 1.0
    rate = lr * rate_factor(np, shape.schedule, step, int(lane["epochs"]) * steps)
    found = np.empty((len(step), ADAM), np.float32)
    found[:, 0], found[:, 1], found[:, 4] = BETA1, BETA2, EPSILON**2
    found[:, 2] = -rate * (1.0 - BETA1) / (1.0 - BETA1**step)
    found[:, 3] = (1.0 - BETA2) / (1.0 - BETA2**step)
    found[:, 5], found[:, 6], found[:, 7] = (0.0, 1.0 - rate * decay, 1.0) if shape.decoupled else (decay, 1.0, 1.0)
    return found.ravel()


def orders(shape: Shape, lane: Lane, begin: int, end: int) -> Int64[np.ndarray, "epochs rows"]:
    """The rows to learn in the order of each epoch from ``begin`` to ``end``."""
    rows = int(lane["rows"])
    found = np.empty((end - begin, rows), np.int64)
    for i, epoch in enumerate(range(begin, end)):
        found[i] = lane["learnt"][epoch_order(HOST, lane["order"], epoch, rows, shape.rows)]
    return found


def first(shape: Shape, features: int, lane: Lane) -> Params:
    """The first weights, padded columns included."""
    start = lane if shape.spread else None
    return first_weights(HOST, shape.sizes, lane["keys"], features, int(lane["sparsity"]), start)


def round_up(count: int, size: int) -> int:
    """``count`` rounded up to a multiple."""
    return -(-count // size) * size


def zeros(count: int, kind: npt.DTypeLike = np.float32) -> Shaped[np.ndarray, " {count}"]:
    """Zeros of four bytes each, aligned to a cache line."""
    space = np.zeros(4 * count + ALIGN, np.uint8)
    start = -space.ctypes.data % ALIGN
    return space[start : start + 4 * count].view(kind)
