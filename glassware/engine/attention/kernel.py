"""Causal attention on CPU cores: the loops around ``passes``, called by XLA, with their gradient.

The forward pass of a step keeps every weight (a block's query i has i + 1 of them), which the backward pass reads;
where no gradient is asked for, only those of the query at hand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import jax
import jax.numpy as jnp

from glassware.engine.attention.calls import ARGUMENTS, HANDLER, RESULTS, data, only_asked, register, size
from glassware.engine.attention.passes import clear, learn, look
from glassware.engine.machine_code import MachineCode
from glassware.engine.vectors import ROW
from glassware.foundation.arrays import Array, Float

VECTOR = 4 * ROW  # bytes

_code = MachineCode("attention", Path(__file__).parent)


def _forward(f: int, g: int, v: int) -> Callable[[int], int]:
    """Arguments: alpha, kappa, phi, table, nu. Results: the means, inverse sums, weights."""

    def forward(frame: int) -> int:
        if only_asked(frame):
            return 0
        blocks, t, kept = size(frame, ARGUMENTS, 0, 1), size(frame, ARGUMENTS, 0, 2), size(frame, RESULTS, 2, 1)
        alpha, kappa, phi = data(frame, ARGUMENTS, 0), data(frame, ARGUMENTS, 1), data(frame, ARGUMENTS, 2)
        table, nu = data(frame, ARGUMENTS, 3), data(frame, ARGUMENTS, 4)
        out, inverse, weights = data(frame, RESULTS, 0), data(frame, RESULTS, 1), data(frame, RESULTS, 2)
        plane = blocks * t * ROW
        for block in range(blocks):
            row = weights + block * kept * VECTOR
            for query in range(t):
                arrays = (alpha, kappa, phi, table, nu, row, inverse, out)
                look((f, g, v), arrays, plane, block * t * ROW, query)
                if kept > t:
                    row += (query + 1) * VECTOR
        return 0

    return forward


def _backward(f: int, g: int, v: int) -> Callable[[int], int]:
    """Arguments: those of the forward pass, its results, the slopes of the means. Results: the slopes of the former."""

    def backward(frame: int) -> int:
        if only_asked(frame):
            return 0
        blocks, t, kept = size(frame, ARGUMENTS, 0, 1), size(frame, ARGUMENTS, 0, 2), size(frame, ARGUMENTS, 7, 1)
        alpha, kappa, phi = data(frame, ARGUMENTS, 0), data(frame, ARGUMENTS, 1), data(frame, ARGUMENTS, 2)
        table, nu, out = data(frame, ARGUMENTS, 3), data(frame, ARGUMENTS, 4), data(frame, ARGUMENTS, 5)
        inverse, weights, d_out = data(frame, ARGUMENTS, 6), data(frame, ARGUMENTS, 7), data(frame, ARGUMENTS, 8)
        d_alpha, d_kappa, d_phi = data(frame, RESULTS, 0), data(frame, RESULTS, 1), data(frame, RESULTS, 2)
        d_table, d_nu = data(frame, RESULTS, 3), data(frame, RESULTS, 4)
        plane = blocks * t * ROW
        clear(d_kappa, f * plane)
        clear(d_nu, v * plane)
        clear(d_table, t * g * ROW)
        for block in range(blocks):
            row = weights + block * kept * VECTOR
            for query in range(t):
                arrays = (alpha, kappa, phi, table, nu, row, inverse, out, d_out)
                slopes = (d_alpha, d_kappa, d_phi, d_table, d_nu)
                learn((f, g, v), arrays, slopes, plane, block * t * ROW, query)
                row += (query + 1) * VECTOR
        return 0

    return backward


@cache
def _target(make: Callable[[int, int, int], Callable[[int], int]], f: int, g: int, v: int) -> str:
    """The name under which XLA calls the function for these numbers of features; compiled when first asked for."""
    name = f"glassware_attention{make.__name__}_{f}_{g}_{v}"
    register(name, _code.build(lambda: _code.callback(HANDLER, make(f, g, v))))
    return name


def _look(arrays: tuple[Array, ...], kept: int) -> list[Array]:
    alpha, _, phi, _, nu = arrays
    _, blocks, t, _ = alpha.shape
    shapes = nu.shape, (blocks, t, ROW), (blocks, kept, ROW)
    target = _target(_forward, len(alpha), len(phi), len(nu))
    return _call(target, shapes, *arrays)


def _call(target: str, shapes: tuple[tuple[int, ...], ...], *arrays: Array) -> list[Array]:
    results = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes]
    return list(jax.ffi.ffi_call(target, results, vmap_method="sequential")(*arrays))


@jax.custom_vjp
def attend(
    alpha: Float[Array, "f blocks t 16"],
    kappa: Float[Array, "f blocks t 16"],
    phi: Float[Array, "g blocks t 16"],
    table: Float[Array, "t g"],
    nu: Float[Array, "v blocks t 16"],
) -> Float[Array, "v blocks t 16"]:
    """``glassware.models.causal_attention.attend`` in float32, on CPU cores."""
    return _look((alpha, kappa, phi, table, nu), alpha.shape[2])[0]


def _attend_and_keep(*arrays: Array) -> tuple[Array, tuple[Array, ...]]:
    t = arrays[0].shape[2]
    found = _look(arrays, t * (t + 1) // 2)
    return found[0], (*arrays, *found)


def _slopes(kept: tuple[Array, ...], d_out: Array) -> tuple[Array, ...]:
    alpha, kappa, phi, table, nu = kept[:5]
    target = _target(_backward, len(alpha), len(phi), len(nu))
    shapes = alpha.shape, kappa.shape, phi.shape, (*table.shape, ROW), nu.shape
    d_alpha, d_kappa, d_phi, d_table, d_nu = _call(target, shapes, *kept, d_out)
    return d_alpha, d_kappa, d_phi, jnp.sum(d_table, axis=-1), d_nu


attend.defvjp(_attend_and_keep, _slopes)
