"""Attention from one query to tokens with dropout on every number, for GPUs, in Pallas.

A program has a tile of token places and goes through some examples: it makes tokens from the table and their coins,
norms them and uses them, so that no token reaches memory. For every example it leaves what its tile has, under the
tile's own largest logit; tiles are put together outside. The backward pass makes tokens and weights again. Slopes of a
tile's part of the table are added up over the examples in registers, those of the logits over tiles outside.

Tokens are laid out in two halves, each filled up to whole tiles: so a tile has one half of all its coins' words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt

from glassware.engine.attention.dropped_programs import Sizes, Tuning, look, slopes
from glassware.foundation.arrays import Array, Float, UInt32
from glassware.models.dropout import Coins
from glassware.models.dropped_attention import Attend

TINY = 1e-30  # what slopes of examples without weight are divided by

FORWARD = Tuning(tile=64, examples=32, warps=4)
BACKWARD = Tuning(tile=64, examples=32, warps=4)


def takes(width: int, heads: int) -> bool:
    """Whether the kernel is for such sizes: powers of two, as Triton has them, that fit in registers."""
    return width in (16, 32, 64) and heads == 16


@cache
def kernel(forward: Tuning = FORWARD, backward: Tuning = BACKWARD, interpret: bool = False) -> Attend:
    """What ``glassware.models.dropped_attention`` asks for; interpreted, anywhere."""

    @partial(jax.custom_vjp, nondiff_argnums=(0,))
    def core(sizes: Sizes, *arrays: Array) -> tuple[Array, Array]:
        return _forward(forward, interpret, sizes, *arrays)[0]

    core.defvjp(partial(_forward, forward, interpret), partial(_backward, backward, interpret))

    def attend(
        table: Float[Array, "2 tokens d"],
        to_logit: Float[Array, "batch heads d"],
        x: Float[Array, "batch tokens"],
        coins: Coins,
        of_weights: Coins | None,
    ) -> tuple[Float[Array, "batch heads d"], Float[Array, "batch heads"]]:
        (_, heads, width), tokens = to_logit.shape, table.shape[1]
        tile = max(forward.tile, backward.tile)
        padded = -(-coins.columns.shape[0] // tile) * tile
        sizes = Sizes(tokens, padded, heads, width, coins.rate, of_weights.rate if of_weights else 0.0)
        columns = jnp.concatenate([coins.columns, coins.columns[: tokens - sizes.half]])
        by_half = lambda array, axis: _by_half(array, axis, sizes)
        if of_weights:  # of head h the word h mod half
            place = np.arange(heads) % len(of_weights.columns)
            by_head = of_weights.rows, by_half(of_weights.columns[place].T, 0)
        else:
            by_head = jnp.zeros_like(coins.rows), jnp.zeros((2 * padded, heads), jnp.uint32)
        return core(sizes, by_half(table, 1), to_logit, by_half(x, 1), coins.rows, by_half(columns, 0), *by_head)

    return attend


def _by_half(array: Array, axis: int, sizes: Sizes) -> Array:
    """Tokens in the order of the programs: either half filled up to whole tiles."""
    halves = jnp.split(array, [sizes.half], axis=axis)
    fill = lambda half: [(0, (sizes.padded - half.shape[i]) if i == axis else 0) for i in range(half.ndim)]
    return jnp.concatenate([jnp.pad(half, fill(half)) for half in halves], axis=axis)


def _forward(
    tuning: Tuning,
    interpret: bool,
    sizes: Sizes,
    table: Float[Array, "2 places d"],
    to_logit: Float[Array, "batch heads d"],
    x: Float[Array, "batch places"],
    rows: UInt32[Array, " batch"],
    columns: UInt32[Array, "places d"],
    rows_of_weights: UInt32[Array, " batch"],
    columns_of_weights: UInt32[Array, "places heads"],
) -> tuple[tuple[Array, Array], tuple[Array, ...]]:
    """Means and the sums of their weights, and what the backward pass needs."""
    n, grid = len(x), _Grid(tuning, sizes, len(x))
    given = (table, to_logit, x, rows, columns, rows_of_weights, columns_of_weights)
    parts = [(n, grid.tiles, sizes.heads, *more) for more in ((sizes.width,), (), (), ())]
    mean, most, sums, totals = grid.call(
        partial(look, tuning, sizes), interpret, grid.given(), [grid.part(len(part)) for part in parts], parts
    )(*given)
    largest = jnp.max(most, axis=1)
    weight = jnp.exp(most - largest[:, None])
    inverse = 1 / jnp.sum(weight * sums, axis=1)
    share = weight * inverse[:, None]
    found = jnp.sum(share[..., None] * mean, axis=1), jnp.sum(share * totals, axis=1)
    return found, (*given, *found, largest, inverse)


def _backward(
    tuning: Tuning, interpret: bool, sizes: Sizes, kept: tuple[Array, ...], seen: tuple[Array, Array]
) -> tuple[Array | None, ...]:
    *given, mean, total, largest, inverse = kept
    d_mean, d_total = seen
    size = jnp.maximum(jnp.max(jnp.abs(d_mean), axis=(1, 2)), jnp.max(jnp.abs(d_total), axis=1))
    size = jnp.maximum(size, TINY)  # examples without weight
    d_mean, d_total = d_mean / size[:, None, None], d_total / size[:, None]
    expected = jnp.sum(d_mean * mean, axis=-1) + d_total * total
    n, grid = len(mean), _Grid(tuning, sizes, len(mean))
    shapes = [(grid.chunks, *given[0].shape), (n, grid.tiles, sizes.heads, sizes.width)]
    d_table, d_to_logit = grid.call(
        partial(slopes, tuning, sizes), interpret,
        grid.given() + [grid.whole(n, sizes.heads, sizes.width)] + [grid.whole(n, sizes.heads)] * 4
        + [grid.whole(n)],
        [grid.of_chunk(), grid.part(4)], shapes,
    )(*given, d_mean, d_total, expected, largest, inverse, size)  # fmt: skip
    return jnp.sum(d_table, axis=0), size[:, None, None] * jnp.sum(d_to_logit, axis=1), *[None] * 5


class _Grid:
    """A program for every few examples and every tile; and which piece of an array it gets."""

    def __init__(self, tuning: Tuning, sizes: Sizes, n: int) -> None:
        self.tuning, self.sizes, self.n = tuning, sizes, n
        self.tiles = 2 * sizes.padded // tuning.tile
        self.chunks = -(-n // tuning.examples)

    def given(self) -> list[pl.BlockSpec]:
        """Of what every pass takes."""
        sizes, tile, n = self.sizes, self.tuning.tile, self.n
        by_tile = lambda *more: pl.BlockSpec((tile, *more), lambda i, t: (t, 0))
        return [
            pl.BlockSpec((2, tile, sizes.width), lambda i, t: (0, t, 0)),
            self.whole(n, sizes.heads, sizes.width),
            pl.BlockSpec((n, tile), lambda i, t: (0, t)),
            self.whole(n),
            by_tile(sizes.width),
            self.whole(n),
            by_tile(sizes.heads),
        ]

    def whole(self, *shape: int) -> pl.BlockSpec:
        return pl.BlockSpec(shape, lambda i, t: (0,) * len(shape))

    def part(self, ndim: int) -> pl.BlockSpec:
        """What a tile has for all examples, of (examples, tiles, heads, ..); a program writes the rows of its own."""
        sizes = (self.n, None, self.sizes.heads, self.sizes.width)[:ndim]
        return pl.BlockSpec(sizes, lambda i, t: (0, t, 0, 0)[:ndim])

    def of_chunk(self) -> pl.BlockSpec:
        """What some examples have for a tile, of (chunks, 2, places, d)."""
        return pl.BlockSpec((None, 2, self.tuning.tile, self.sizes.width), lambda i, t: (i, 0, t, 0))

    def call(
        self,
        body: Any,
        interpret: bool,
        given: Sequence[pl.BlockSpec],
        made: Sequence[pl.BlockSpec],
        shapes: Sequence[tuple[int, ...]],
    ) -> Any:
        parameters = plt.CompilerParams(num_warps=self.tuning.warps, num_stages=self.tuning.stages)
        return pl.pallas_call(
            partial(body, self.n),
            grid=(self.chunks, self.tiles),
            in_specs=given,
            out_specs=made,
            out_shape=[jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes],
            compiler_params=None if interpret else parameters,
            interpret=interpret,
        )
