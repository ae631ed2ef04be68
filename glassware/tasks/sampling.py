"""Which examples a minibatch holds: fresh ones (online), or a fixed sample of m with replacement or by epochs."""

from __future__ import annotations

from typing import Literal, TypeAlias

from glassware.foundation.arrays import Array, Key, UInt32, Whole
from glassware.foundation.backend import jnp
from glassware.foundation.draws import below, draw

Sampling: TypeAlias = Literal["replacement", "epochs"]

# Rounds of the swap-or-not shuffle; enough that positions are uniform to statistical tests at every m tried.
SHUFFLE_ROUNDS = 32


def minibatch(sampling: Sampling, key: Key, step: Whole, batch: int, m: Whole) -> UInt32[Array, " {batch}"]:
    """Example indices of one minibatch. ``m`` = 0 means online: every example is new."""
    slot = jnp.arange(batch, dtype=jnp.uint32)
    position = jnp.uint32(step) * jnp.uint32(batch) + slot
    size = jnp.maximum(m, 1).astype(jnp.uint32)
    if sampling == "replacement":
        words, _ = draw(key, jnp.broadcast_to(jnp.uint32(step), slot.shape), slot)
        offline = below(words, size)
    else:
        offline = shuffled(key, position // size, position % size, size)
    return jnp.where(m > 0, offline, position)


def shuffled(
    key: Key, epoch: UInt32[Array, "*#batch"], position: UInt32[Array, "*#batch"], m: Whole
) -> UInt32[Array, " *batch"]:
    """Where ``position`` goes in the permutation of range(m) that belongs to ``epoch``.

    The swap-or-not shuffle (Hoang, Morris, Rogaway 2012): every round pairs x with K - x and swaps by a coin that
    both partners share, so each round, and hence the whole, is a bijection for any m, with no table and no sorting.
    """
    x = position
    rounds = jnp.arange(SHUFFLE_ROUNDS, dtype=jnp.uint32).reshape(-1, *[1] * jnp.ndim(epoch))
    for pivot, salt in zip(*draw(key, epoch, rounds), strict=True):  # drawn at once: a quick program to compile
        partner = (below(pivot, m) + m - x) % m
        coin = _scramble(jnp.maximum(x, partner) ^ salt) & jnp.uint32(1)
        x = jnp.where(coin == 1, partner, x)
    return x


def _scramble(x: UInt32[Array, " *batch"]) -> UInt32[Array, " *batch"]:
    """A cheap 32-bit mixing function (two multiply-xorshift rounds); only one bit of it is used."""
    x = (x ^ (x >> jnp.uint32(16))) * jnp.uint32(0x7FEB352D)
    x = (x ^ (x >> jnp.uint32(15))) * jnp.uint32(0x846CA68B)
    return x ^ (x >> jnp.uint32(16))
