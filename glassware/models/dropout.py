"""Dropout: which numbers of a training step are set to 0, as a pure function of key, step and place."""

from __future__ import annotations

import math

import numpy as np

from glassware.foundation.arrays import Array, EitherArray, Float, Key, UInt32, Whole
from glassware.foundation.backend import jax, jnp
from glassware.foundation.draws import draw, scramble

GOLDEN = 0x9E3779B9
LEVELS = 2**16  # a coin is half a random word, so rates are exact to 1 in 65,536


class Dropout:
    """The coins of one training step. A row's coins depend on its place in the sample, not on the rows beside it.

    A step tosses up to millions of coins, and threefry for each would cost more than the network. So two words of it
    per step are spread over rows and columns by ``scramble``, and a word gives two coins.
    """

    def __init__(self, key: Key, step: Whole, places: UInt32[EitherArray, " batch"]) -> None:
        """
        Args:
            key: of the run's dropout stream.
            step: t.
            places: of the rows in the run's sample, or in the minibatch.
        """
        self._words = draw(key, jnp.uint32(step), jnp.uint32(0))
        self._places = jnp.asarray(places, jnp.uint32)

    def kept(self, rate: float, site: int, shape: tuple[int, ...], axis: int = 0) -> Float[Array, "..."]:
        """1 / (1 - rate) where a number is kept and 0 where it is dropped, for ``shape`` numbers per row.

        Args:
            rate: probability of being dropped.
            site: which layer asks; sites have independent coins.
            shape: of the numbers of one row.
            axis: where the rows go in the result: 0 for (rows, *shape).
        """
        return self._factors(self._places, rate, site, shape, axis)

    def kept_for_all(self, rate: float, site: int, shape: tuple[int, ...]) -> Float[Array, "..."]:
        """The same for numbers that all rows of a step share, such as an array of parameters."""
        return self._factors(jnp.zeros(1, jnp.uint32), rate, site, shape, axis=0)[0]

    def _factors(
        self, places: UInt32[Array, " rows"], rate: float, site: int, shape: tuple[int, ...], axis: int
    ) -> Float[Array, "..."]:
        # The halves of a word belong to the first and the last half of the first axis, so that no stride is odd.
        half = (-(-shape[0] // 2), *shape[1:])
        low, high = (scramble(word + np.uint32(site * GOLDEN & 0xFFFFFFFF)) for word in self._words)
        rows = scramble(places ^ high)
        columns = scramble(jnp.arange(math.prod(half), dtype=jnp.uint32) ^ low)
        # Without the barrier XLA would inline each scramble into the next, and compile for minutes.
        rows, columns = jax.lax.optimization_barrier((rows, columns))
        rows = jnp.expand_dims(rows, [i for i in range(len(shape) + 1) if i != axis])
        words = scramble(jnp.expand_dims(columns.reshape(half), axis) + rows)
        split = 0 if axis else 1  # where the first axis of ``shape`` is
        shifts = np.array([0, 16], np.uint32).reshape(2, *[1] * (words.ndim - split))
        coins = (jnp.expand_dims(words, split) >> shifts) & np.uint32(LEVELS - 1)
        coins = coins.reshape(*words.shape[:split], 2 * half[0], *words.shape[split + 1 :])
        coins = jax.lax.slice_in_dim(coins, 0, shape[0], axis=split)
        dropped = round(rate * LEVELS)
        return jnp.where(coins < dropped, np.float32(0), np.float32(LEVELS / (LEVELS - dropped)))
