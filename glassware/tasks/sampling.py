"""Which examples a minibatch holds: fresh ones (online), or a fixed sample of m with replacement or by epochs."""

from __future__ import annotations

from typing import Literal, TypeAlias

from glassware.foundation.arrays import Array, Key, UInt32, Whole
from glassware.foundation.backend import jax, jnp
from glassware.foundation.draws import below, draw, scramble

Sampling: TypeAlias = Literal["replacement", "epochs"]
Coins: TypeAlias = tuple[UInt32[Array, "..."], UInt32[Array, "..."]]  # (rounds, *epochs) each

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
        offline = _by_epochs(key, position, size)
    return jnp.where(m > 0, offline, position)


def shuffled(
    key: Key, epoch: UInt32[Array, "*#batch"], position: UInt32[Array, "*#batch"], m: Whole
) -> UInt32[Array, " *batch"]:
    """Where ``position`` goes in the permutation of range(m) that belongs to ``epoch``.

    The swap-or-not shuffle (Hoang, Morris, Rogaway 2012): every round pairs x with K - x and swaps by a coin that
    both partners share, so each round, and hence the whole, is a bijection for any m, with no table and no sorting.
    """
    return _swap(*_coins(key, epoch, m), position, m)


def _by_epochs(key: Key, position: UInt32[Array, " batch"], m: Whole) -> UInt32[Array, " batch"]:
    """The examples at consecutive positions of an endless row of shuffled epochs."""
    epoch = position // m

    def of_two() -> Coins:
        """A minibatch no larger than the sample meets at most two epochs, so two draws serve all of its slots."""
        pick = lambda coins: jnp.where(epoch == epoch[0], coins[:, :1], coins[:, 1:])
        pivots, salts = _coins(key, epoch[0] + jnp.arange(2, dtype=jnp.uint32), m)
        return pick(pivots), pick(salts)

    pivots, salts = jax.lax.cond(position.size <= m, of_two, lambda: _coins(key, epoch, m))
    return _swap(pivots, salts, position % m, m)


def _coins(key: Key, epoch: UInt32[Array, "*batch"], m: Whole) -> Coins:
    """A pivot below m and a salt for every round of an epoch's shuffle, (rounds, *epoch.shape).

    They are drawn at once, which compiles quickly.
    """
    rounds = jnp.arange(SHUFFLE_ROUNDS, dtype=jnp.uint32).reshape(-1, *[1] * jnp.ndim(epoch))
    pivots, salts = draw(key, epoch, rounds)
    return below(pivots, m), salts


def _swap(
    pivots: UInt32[Array, "..."], salts: UInt32[Array, "..."], x: UInt32[Array, "..."], m: Whole
) -> UInt32[Array, "..."]:
    for pivot, salt in zip(pivots, salts, strict=True):
        partner = pivot + m - x
        partner = jnp.where(partner < m, partner, partner - m)  # CPUs have no vector division
        coin = scramble(jnp.maximum(x, partner) ^ salt) & jnp.uint32(1)
        x = jnp.where(coin == 1, partner, x)
    return x
