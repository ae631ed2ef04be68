"""The exact kernel and the fast one, and what each needs: its scratch memory, and how it reads a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import jax.numpy as jnp
import numpy as np

from glassware.engine.vectors import ROW
from glassware.tabular.cpu import exact, fast
from glassware.tabular.cpu.exact import Lists, Net
from glassware.tabular.cpu.products import CHUNK
from glassware.tabular.cpu.vectors import multiplies_halves
from glassware.tabular.cpu.weights import room, round_up, zeros
from glassware.tabular.recipe import Precision

Work: TypeAlias = exact.Work | fast.Work


class Kernel(NamedTuple):
    """One way to train.

    Attributes:
        train_epochs: trains a network.
        scratch: allocates the scratch memory of one core.
        numbers: converts a table's inputs, flat, to the type that the kernel reads.
    """

    train_epochs: Callable[..., float]
    scratch: Callable[[Net], Work]
    numbers: Callable[[np.ndarray], np.ndarray]


def kernel(precision: Precision) -> Kernel:
    """The kernel for this precision; the exact one if the processor cannot multiply bfloat16 numbers."""
    if precision == "fast" and multiplies_halves():
        return Kernel(fast.train_epochs, _fast, lambda x: x.astype(jnp.bfloat16).view(np.uint16))
    return Kernel(exact.train_epochs, _exact, lambda x: x)


def _exact(net: Net) -> exact.Work:
    weights, activations, slopes = room(net)
    x = zeros(activations)
    for inputs, _, _, at, _ in net.layers.tolist():
        x[at + inputs * net.stride : at + (inputs + 1) * net.stride] = 1.0
    widest = _widest(net) + ROW
    lists, chunks = widest * net.stride, -(-widest // (CHUNK * ROW)) + 1
    return exact.Work(
        x=x,
        in_panels=zeros(activations),
        d=zeros(slopes),
        slopes=zeros(slopes),
        transposed=zeros(weights),
        lists=Lists(zeros(lists), zeros(lists, np.int32), np.zeros(net.stride * chunks, np.int64)),
        zero=(zeros(ROW), 0),
    )


def _fast(net: Net) -> fast.Work:
    weights, activations, slopes = room(net)
    return fast.Work(
        x=zeros(activations),
        x_transposed=zeros(activations),
        x_panels=zeros(_widest(net) * net.stride // 2),
        out=zeros(round_up(net.layers[-1, 1], ROW) * net.stride),
        d=zeros(slopes),
        d_panels=zeros(slopes),
        w_panels=zeros(weights),
        w_transposed=zeros(weights),
        w_few=zeros(int(net.layers[-1, 0])),
        d_few=zeros(net.stride + ROW),
    )


def _widest(net: Net) -> int:
    """The largest number of outputs of a layer, in whole vectors."""
    return round_up(int(net.layers[:, 1].max()), ROW)
