"""Where a sequence of maps of a few states leads."""

from __future__ import annotations

from functools import reduce

import numpy as np

from glassware.foundation.arrays import Array, UInt32
from glassware.foundation.backend import jax, jnp

WORD = 32  # bits


def follow(moves: UInt32[Array, "states steps *batch"], first: UInt32[Array, " *batch"]) -> UInt32[Array, "steps ..."]:
    """The states that one gets to from ``first``: by the first move, by the second after it, and so on.

    Args:
        moves: the state that each state is moved to, at every step.
        first: a state.
    """
    states, steps = moves.shape[:2]
    bits = max(1, (states - 1).bit_length())
    if states * bits > WORD:
        composed = lambda f, g: jnp.take_along_axis(g, f, axis=0)
        moved = jax.lax.associative_scan(composed, moves, axis=1)
        return jnp.take_along_axis(moved, first[None, None], axis=0)[0]
    rounds = (steps - 1).bit_length()
    nothing = np.uint32(sum(state << bits * state for state in range(states)))
    ahead = 1 << rounds  # places in front at which nothing moves

    def double(number: Array, packed: UInt32[Array, "places ..."]) -> UInt32[Array, "places ..."]:
        """From compositions of up to 2^number moves that end at a place to those of twice as many."""
        last = packed[ahead:]
        earlier = jax.lax.dynamic_slice_in_dim(packed, ahead - (1 << number), steps)
        both = _packed([_entry(last, _entry(earlier, np.uint32(i), bits), bits) for i in range(states)], bits)
        return jax.lax.dynamic_update_slice_in_dim(packed, both, ahead, axis=0)

    # A loop, though a short one: unrolled, each round would be computed again wherever the next reads it.
    still = jnp.full((ahead + steps, *first.shape), nothing)
    packed = jax.lax.dynamic_update_slice_in_dim(still, _packed(list(moves), bits), ahead, axis=0)
    packed = jax.lax.fori_loop(0, rounds, double, packed)
    return _entry(packed[ahead:], first, bits)


def _packed(entries: list[UInt32[Array, "steps ..."]], bits: int) -> UInt32[Array, "steps ..."]:
    """A map as a word: where state i leads, in the bits from i * bits on."""
    return reduce(jnp.bitwise_or, (entry << np.uint32(bits * state) for state, entry in enumerate(entries)))


def _entry(
    packed: UInt32[Array, "steps ..."], state: UInt32[Array, "..."] | np.uint32, bits: int
) -> UInt32[Array, "steps ..."]:
    """Where a state leads."""
    return (packed >> (state * np.uint32(bits))) & np.uint32((1 << bits) - 1)
