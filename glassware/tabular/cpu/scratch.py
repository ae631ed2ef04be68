"""The two kernels, and what each needs: how it reads a table, and a core's scratch memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from glassware.engine.vectors import ROW
from glassware.tabular.cpu import exact, fast
from glassware.tabular.cpu.exact import Lists, Net
from glassware.tabular.cpu.products import CHUNK
from glassware.tabular.cpu.vectors import multiplies_halves
from glassware.tabular.cpu.weights import room, whole, zeros
from glassware.tabular.recipe import Precision


class Kernel(NamedTuple):
    """Attributes: passes: trains. desk: makes scratch memory. numbers: a flat table as it is read."""

    passes: Callable[..., float]
    desk: Callable[[Net], Any]
    numbers: Callable[[np.ndarray], np.ndarray]


def kernel(precision: Precision) -> Kernel:
    """The one for this precision: exact where the processor does not multiply halves."""
    if precision == "fast" and multiplies_halves():
        return Kernel(fast.passes, _fast, lambda x: x.astype(jnp.bfloat16).view(np.uint16))
    return Kernel(exact.passes, _exact, lambda x: x)


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
        turned=zeros(weights),
        lists=Lists(zeros(lists), zeros(lists, np.int32), np.zeros(net.stride * chunks, np.int64)),
        zero=(zeros(ROW), 0),
    )


def _fast(net: Net) -> fast.Work:
    weights, activations, slopes = room(net)
    return fast.Work(
        x=zeros(activations),
        x_turned=zeros(activations),
        x_panels=zeros(_widest(net) * net.stride // 2),
        out=zeros(whole(net.layers[-1, 1], ROW) * net.stride),
        d=zeros(slopes),
        d_panels=zeros(slopes),
        w_panels=zeros(weights),
        w_turned=zeros(weights),
        w_few=zeros(int(net.layers[-1, 0])),
        d_few=zeros(net.stride + ROW),
    )


def _widest(net: Net) -> int:
    """The most outputs of a layer, in whole vectors."""
    return whole(int(net.layers[:, 1].max()), ROW)
