"""Attention from one query to tokens that are one of two: logits and values are tables, made once per batch.

A position holds one of two tokens, so a batch of any size has 2 T + 1 different keys: T positions times two tokens, and
[CLS]. An example picks its own T + 1 of them.
"""

from __future__ import annotations

from typing import NamedTuple

from glassware.foundation.arrays import Array, EitherArray, Float
from glassware.foundation.backend import jax, jnp
from glassware.foundation.branch import everywhere

SAFE_GAP = 140.0  # of logits: exponentials of half of it, times sums and slopes, stay within float32


class Tables(NamedTuple):
    """What a query finds at every position, for either token there.

    Attributes:
        low, high: logits of token 0 and of token 1, (T, heads).
        own: logits of [CLS], (heads,).
        low_values, high_values: (T, heads, d).
        own_values: (heads, d).
    """

    low: Float[Array, "T heads"]
    high: Float[Array, "T heads"]
    own: Float[Array, " heads"]
    low_values: Float[Array, "T heads d"]
    high_values: Float[Array, "T heads d"]
    own_values: Float[Array, "heads d"]


def shares(
    chosen: Float[Array, "*batch T heads"], own: Float[EitherArray, " heads"]
) -> Float[Array, "*batch tokens heads"]:
    """Attention weights, row by row: the softmax of the chosen logits and, last, that of [CLS]."""
    last = jnp.broadcast_to(own, (*chosen.shape[:-2], 1, own.shape[-1]))
    return jax.nn.softmax(jnp.concatenate([chosen, last], axis=-2), axis=-2)


def chosen_shares(tables: Tables, x: Float[Array, "*batch T"]) -> Float[Array, "*batch tokens heads"]:
    """The attention weights of rows of tokens."""
    return shares(jnp.where(x[..., None] > 0.5, tables.high, tables.low), tables.own)


def attend(
    tables: Tables, x: Float[Array, "batch T"], kept: Float[Array, "heads batch tokens"] | None = None
) -> Float[Array, "batch heads d"]:
    """What each head brings to the query: values averaged by attention, after dropout where there is one.

    Sums of exponentials are products of 0/1 rows with the tables, without an exponential per example. The two tokens
    have a sum each: sum(e_0) + x (e_1 - e_0) would cancel where the largest logits belong to absent tokens.

    Args:
        tables: logits and values.
        x: which token each position holds, 0 or 1.
        kept: factors on the attention weights, (heads, batch, T + 1) with [CLS] last.
    """
    largest = jnp.maximum(jnp.max(tables.low, axis=0), jnp.max(tables.high, axis=0))
    gap = jax.lax.stop_gradient(jnp.max(largest - tables.own))
    summed = lambda: _summed(tables, largest, x, kept)
    # Rows would be lost in the shadow of tokens that they do not hold. Made again for the gradient, so that the branch
    # that is not taken costs no memory.
    by_row = jax.checkpoint(lambda: _by_row(tables, x, kept))
    return jax.lax.cond(everywhere(gap < SAFE_GAP), summed, by_row)


def _summed(
    tables: Tables,
    largest: Float[Array, " heads"],
    x: Float[Array, "batch T"],
    kept: Float[Array, "heads batch tokens"] | None,
) -> Float[Array, "batch heads d"]:
    """Exponentials of the tables, shifted half way between the largest logit and that of [CLS], which all rows hold.

    So those that underflow are small beside [CLS]'s.
    """
    shift = jax.lax.stop_gradient((jnp.maximum(largest, tables.own) + tables.own) / 2)
    low, high, own = (jnp.exp(logits - shift) for logits in (tables.low, tables.high, tables.own))
    total = (1 - x) @ low + x @ high + own  # (batch, heads)
    weighted = [low[..., None] * tables.low_values, high[..., None] * tables.high_values]
    mine = own[..., None] * tables.own_values
    if kept is None:
        heads, d = tables.own_values.shape
        flat = lambda values: values.reshape(-1, heads * d)
        brought = ((1 - x) @ flat(weighted[0]) + x @ flat(weighted[1])).reshape(-1, heads, d) + mine
    else:
        bits = kept[..., :-1]
        brought = _by_head((1 - x) * bits, weighted[0]) + _by_head(x * bits, weighted[1])
        brought = brought + kept[..., -1].T[..., None] * mine
    # Divided by a number of its own size first: the slope of a quotient has the square of what it is divided by.
    scale = jax.lax.stop_gradient(1 / total)
    return brought * scale[..., None] / (total * scale)[..., None]


def _by_head(
    factors: Float[Array, "heads batch T"], values: Float[Array, "T heads d"]
) -> Float[Array, "batch heads d"]:
    return jnp.einsum("hnt,thj->nhj", factors, values)


def _by_row(
    tables: Tables, x: Float[Array, "batch T"], kept: Float[Array, "heads batch tokens"] | None
) -> Float[Array, "batch heads d"]:
    share = jnp.moveaxis(chosen_shares(tables, x), -1, 0)
    share = share if kept is None else share * kept
    brought = _by_head((1 - x) * share[..., :-1], tables.low_values)
    brought = brought + _by_head(x * share[..., :-1], tables.high_values)
    return brought + share[..., -1].T[..., None] * tables.own_values
