"""Which examples a minibatch holds: fresh ones (online), or a fixed sample of m with replacement or by epochs."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from glassware.foundation.backend import jax, jnp
from glassware.foundation.draws import Words, below, draw

Sampling: TypeAlias = Literal["replacement", "epochs"]

# Rounds of the swap-or-not shuffle; enough that positions are uniform to statistical tests at every m tried.
SHUFFLE_ROUNDS = 32


def minibatch(sampling: Sampling, key: Words, step: Any, batch: int, m: Any) -> Any:
    """Example indices of one minibatch, uint32 (batch,). ``m`` = 0 means online: every example is new."""
    slot = jnp.arange(batch, dtype=jnp.uint32)
    position = jnp.uint32(step) * jnp.uint32(batch) + slot
    size = jnp.maximum(m, 1).astype(jnp.uint32)
    if sampling == "replacement":
        words, _ = draw(key, jnp.broadcast_to(jnp.uint32(step), slot.shape), slot)
        offline = below(words, size)
    else:
        offline = _by_epochs(key, position, size)
    return jnp.where(m > 0, offline, position)


def shuffled(key: Words, epoch: Any, position: Any, m: Any) -> Any:
    """Where ``position`` goes in the permutation of range(m) that belongs to ``epoch``.

    The swap-or-not shuffle (Hoang, Morris, Rogaway 2012): every round pairs x with K - x and swaps by a coin that
    both partners share, so each round, and hence the whole, is a bijection for any m, with no table and no sorting.
    """
    return _swap(*_coins(key, epoch, m), position, m)


def _by_epochs(key: Words, position: Any, m: Any) -> Any:
    """The examples at consecutive positions of an endless row of shuffled epochs."""
    epoch = position // m

    def of_two() -> tuple[Any, Any]:
        """A minibatch no larger than the sample meets at most two epochs, so two draws serve all of its slots."""
        pick = lambda coins: jnp.where(epoch == epoch[0], coins[:, :1], coins[:, 1:])
        pivots, salts = _coins(key, epoch[0] + jnp.arange(2, dtype=jnp.uint32), m)
        return pick(pivots), pick(salts)

    pivots, salts = jax.lax.cond(position.size <= m, of_two, lambda: _coins(key, epoch, m))
    return _swap(pivots, salts, position % m, m)


def _coins(key: Words, epoch: Any, m: Any) -> tuple[Any, Any]:
    """A pivot below m and a salt for every round of an epoch's shuffle, (rounds, *epoch.shape).

    They are drawn at once, which compiles quickly.
    """
    rounds = jnp.arange(SHUFFLE_ROUNDS, dtype=jnp.uint32).reshape(-1, *[1] * jnp.ndim(epoch))
    pivots, salts = draw(key, epoch, rounds)
    return below(pivots, m), salts


def _swap(pivots: Any, salts: Any, x: Any, m: Any) -> Any:
    for pivot, salt in zip(pivots, salts, strict=True):
        partner = pivot + m - x
        partner = jnp.where(partner < m, partner, partner - m)  # CPUs have no vector division
        coin = _scramble(jnp.maximum(x, partner) ^ salt) & jnp.uint32(1)
        x = jnp.where(coin == 1, partner, x)
    return x


def _scramble(x: Any) -> Any:
    """A cheap 32-bit mixing function (two multiply-xorshift rounds); only one bit of it is used."""
    x = (x ^ (x >> jnp.uint32(16))) * jnp.uint32(0x7FEB352D)
    x = (x ^ (x >> jnp.uint32(15))) * jnp.uint32(0x846CA68B)
    return x ^ (x >> jnp.uint32(16))
