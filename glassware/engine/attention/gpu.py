"""The attention kernel for GPUs, in Pallas: scores and weights live in registers and never reach memory.

A program takes the sixteen sequences of a block and a tile of queries against all keys. What the offsets answer is laid
out by query and key beforehand, held in registers for all sixteen, and its slopes are added up there. Weights are not
kept for the backward pass, but computed again from each query's largest score and sum: cheaper than to read them.

Features are unrolled and tables held, so there is a limit on both (``takes``); more go through matrix products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt

from glassware.foundation.arrays import Array, Bool, Float
from glassware.models.causal_attention import SIDE_BY_SIDE, Attend

TILE = 4096  # pairs of a query and a key that a program looks at together
FEWEST = 16  # queries of a tile, and keys
MOST_LENGTH = 256  # positions
MOST_FEATURES, MOST_OFFSETS = 16, 5  # in all; and those that ask of offsets
WARPS = 8


class Sizes(NamedTuple):
    """What a program is compiled for: features of keys, offsets and values; queries of a tile; keys."""

    f: int
    g: int
    v: int
    queries: int
    keys: int


def takes(f: int, g: int, v: int, t: int) -> bool:
    """Whether the kernel is for so many features of keys, offsets and values, and positions."""
    return f + g + v <= MOST_FEATURES and g <= MOST_OFFSETS and t <= MOST_LENGTH


@cache
def kernel(interpret: bool = False) -> Attend:
    """``glassware.models.causal_attention.attend`` in float32, on a GPU; interpreted, anywhere."""

    @jax.custom_vjp
    def core(*planes: Array) -> Array:
        return _forward(interpret, *planes)[0]

    core.defvjp(partial(_forward, interpret), partial(_backward, interpret))

    def attend(
        alpha: Float[Array, "f blocks t 16"],
        kappa: Float[Array, "f blocks t 16"],
        phi: Float[Array, "g blocks t 16"],
        table: Float[Array, "t g"],
        nu: Float[Array, "v blocks t 16"],
    ) -> Float[Array, "v blocks t 16"]:
        t = alpha.shape[2]
        if not len(phi):  # a kernel has no arrays without entries
            phi, table = jnp.zeros_like(alpha[:1]), jnp.zeros((t, 1), alpha.dtype)
        keys = max(FEWEST, 1 << (t - 1).bit_length())
        offsets = jnp.arange(keys)[:, None] - jnp.arange(keys)
        answers = table[jnp.clip(offsets, 0, t - 1)].transpose(2, 0, 1)
        padded = lambda planes: jnp.pad(planes.transpose(1, 3, 0, 2), ((0, 0), (0, 0), (0, 0), (0, keys - t)))
        found = core(padded(alpha), padded(kappa), padded(phi), answers, padded(nu))
        return found[..., :t].transpose(2, 0, 3, 1)

    return attend


def _forward(
    interpret: bool,
    alpha: Float[Array, "blocks 16 f keys"],
    kappa: Float[Array, "blocks 16 f keys"],
    phi: Float[Array, "blocks 16 g keys"],
    answers: Float[Array, "g keys keys"],
    nu: Float[Array, "blocks 16 v keys"],
) -> tuple[Array, tuple[Array, ...]]:
    """The means, and what the backward pass needs."""
    sizes, blocks = _sizes(alpha, phi, nu), len(alpha)
    by_query, by_key, per_query, by_both, *_ = _specs(sizes)
    row = (blocks, SIDE_BY_SIDE, sizes.keys)
    out, most, total = _call(
        partial(_look, sizes), blocks, sizes, interpret,
        [by_query(sizes.f), by_key(sizes.f), by_query(sizes.g), by_both, by_key(sizes.v)],
        [by_query(sizes.v), per_query, per_query], [nu.shape, row, row],
    )(alpha, kappa, phi, answers, nu)  # fmt: skip
    return out, (alpha, kappa, phi, answers, nu, most, total)


def _backward(interpret: bool, kept: tuple[Array, ...], d_out: Array) -> tuple[Array, ...]:
    alpha, kappa, phi, answers, nu, most, total = kept
    sizes, blocks = _sizes(alpha, phi, nu), len(alpha)
    tiles = sizes.keys // sizes.queries
    by_query, by_key, per_query, by_both, by_tile, by_block = _specs(sizes)
    part = lambda features: (blocks, tiles, SIDE_BY_SIDE, features, sizes.keys)
    d_alpha, d_kappa, d_phi, d_answers, d_nu = _call(
        partial(_slopes, sizes), blocks, sizes, interpret,
        [by_query(sizes.f), by_key(sizes.f), by_query(sizes.g), by_both, by_key(sizes.v), by_query(sizes.v)]
        + [per_query] * 2,
        [by_query(sizes.f), by_tile(sizes.f), by_query(sizes.g), by_block, by_tile(sizes.v)],
        [alpha.shape, part(sizes.f), phi.shape, (blocks, *answers.shape), part(sizes.v)],
    )(alpha, kappa, phi, answers, nu, d_out, most, total)  # fmt: skip
    return d_alpha, jnp.sum(d_kappa, axis=1), d_phi, jnp.sum(d_answers, axis=0), jnp.sum(d_nu, axis=1)


def _sizes(alpha: Array, phi: Array, nu: Array) -> Sizes:
    keys = alpha.shape[3]
    return Sizes(alpha.shape[2], phi.shape[2], nu.shape[2], min(keys, max(FEWEST, TILE // keys)), keys)


def _specs(sizes: Sizes) -> tuple[Any, ...]:
    """Which piece of an array a program gets: of a tile's queries, of all keys, or of both."""
    queries, keys = sizes.queries, sizes.keys
    return (
        lambda features: pl.BlockSpec((None, SIDE_BY_SIDE, features, queries), lambda n, q: (n, 0, 0, q)),
        lambda features: pl.BlockSpec((None, SIDE_BY_SIDE, features, keys), lambda n, q: (n, 0, 0, 0)),
        pl.BlockSpec((None, SIDE_BY_SIDE, queries), lambda n, q: (n, 0, q)),
        pl.BlockSpec((sizes.g, queries, keys), lambda n, q: (0, q, 0)),
        lambda features: pl.BlockSpec((None, None, SIDE_BY_SIDE, features, keys), lambda n, q: (n, q, 0, 0, 0)),
        pl.BlockSpec((None, sizes.g, queries, keys), lambda n, q: (n, 0, q, 0)),
    )


def _call(
    body: Callable[..., None],
    blocks: int,
    sizes: Sizes,
    interpret: bool,
    given: Sequence[pl.BlockSpec],
    made: Sequence[pl.BlockSpec],
    shapes: Sequence[tuple[int, ...]],
) -> Callable[..., Any]:
    """A program for every block and tile of queries."""
    return pl.pallas_call(
        body,
        grid=(blocks, sizes.keys // sizes.queries),
        in_specs=given,
        out_specs=made,
        out_shape=[jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes],
        compiler_params=None if interpret else plt.CompilerParams(num_warps=WARPS, num_stages=1),
        interpret=interpret,
    )


def _behind(sizes: Sizes) -> Bool[Array, "queries keys"]:
    """Which keys lie at a query or before it."""
    shape = (sizes.queries, sizes.keys)
    query, key = (jax.lax.broadcasted_iota(jnp.int32, shape, axis) for axis in (0, 1))
    return pl.program_id(1) * sizes.queries + query >= key


def _scores(asked: Sequence[Array], keys: Sequence[Array], offsets: Sequence[Array], answers: Sequence[Array]) -> Array:
    by_key = [a[:, None] * k[None, :] for a, k in zip(asked, keys, strict=True)]
    by_offset = [o[:, None] * a for o, a in zip(offsets, answers, strict=True)]
    return sum(by_key[1:] + by_offset, start=by_key[0])


def _look(sizes: Sizes, alpha: Any, kappa: Any, phi: Any, table: Any, nu: Any, out: Any, most: Any, total: Any) -> None:
    """The body of the forward pass."""
    answers, behind = [table[i] for i in range(sizes.g)], _behind(sizes)

    def sequence(s: Array, nothing: None) -> None:
        asked, keys = ([of[s, i] for i in range(sizes.f)] for of in (alpha, kappa))
        scores = jnp.where(behind, _scores(asked, keys, [phi[s, i] for i in range(sizes.g)], answers), -jnp.inf)
        largest = jnp.max(scores, axis=1)
        weights = jnp.exp(scores - largest[:, None])
        sums = jnp.sum(weights, axis=1)
        for i in range(sizes.v):
            out[s, i] = jnp.sum(weights * nu[s, i][None, :], axis=1) / sums
        most[s], total[s] = largest, sums

    jax.lax.fori_loop(0, SIDE_BY_SIDE, sequence, None)


def _slopes(
    sizes: Sizes, alpha: Any, kappa: Any, phi: Any, table: Any, nu: Any, d_out: Any, most: Any, total: Any,
    d_alpha: Any, d_kappa: Any, d_phi: Any, d_table: Any, d_nu: Any,
) -> None:  # fmt: skip
    """The body of the backward pass."""
    answers, behind = [table[i] for i in range(sizes.g)], _behind(sizes)

    def sequence(s: Array, d_answers: tuple[Array, ...]) -> tuple[Array, ...]:
        asked, keys = ([of[s, i] for i in range(sizes.f)] for of in (alpha, kappa))
        offsets = [phi[s, i] for i in range(sizes.g)]
        slopes = [d_out[s, i] for i in range(sizes.v)]
        scores = jnp.where(behind, _scores(asked, keys, offsets, answers), -jnp.inf)
        weights = jnp.exp(scores - most[s][:, None]) / total[s][:, None]
        d_weights = sum(slope[:, None] * nu[s, i][None, :] for i, slope in enumerate(slopes))
        # Taken from the weights and not from what came out: the two are equal where one key has all the weight, and
        # large tables would multiply a difference in rounding.
        d_scores = weights * (d_weights - jnp.sum(weights * d_weights, axis=1)[:, None])
        for i in range(sizes.f):
            d_alpha[s, i] = jnp.sum(d_scores * keys[i][None, :], axis=1)
            d_kappa[s, i] = jnp.sum(d_scores * asked[i][:, None], axis=0)
        for i in range(sizes.g):
            d_phi[s, i] = jnp.sum(d_scores * answers[i], axis=1)
        for i, slope in enumerate(slopes):
            d_nu[s, i] = jnp.sum(weights * slope[:, None], axis=0)
        return tuple(d + d_scores * offset[:, None] for d, offset in zip(d_answers, offsets, strict=True))

    nothing = tuple(jnp.zeros((sizes.queries, sizes.keys), jnp.float32) for _ in range(sizes.g))
    for i, found in enumerate(jax.lax.fori_loop(0, SIDE_BY_SIDE, sequence, nothing)):
        d_table[i] = found
