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

    def kept(self, rate: float, site: int, shape: tuple[int, ...]) -> Float[Array, "rows ..."]:
        """1 / (1 - rate) where a number is kept and 0 where it is dropped, for (batch, *shape) numbers.

        Args:
            rate: probability of being dropped.
            site: which layer asks; sites have independent coins.
            shape: of the numbers of one row.
        """
        count = math.prod(shape)
        low, high = (scramble(word + np.uint32(site * GOLDEN & 0xFFFFFFFF)) for word in self._words)
        rows = scramble(self._places ^ high)
        columns = scramble(jnp.arange(-(-count // 2), dtype=jnp.uint32) ^ low)
        rows, columns = jax.lax.optimization_barrier((rows, columns))
        words = scramble(columns + rows[:, None])
        coins = (words[..., None] >> np.array([0, 16], np.uint32)) & np.uint32(LEVELS - 1)
        coins = coins.reshape(len(rows), -1)[:, :count]
        dropped = round(rate * LEVELS)
        scale = np.float32(LEVELS / (LEVELS - dropped))
        return jnp.where(coins < dropped, np.float32(0), scale).reshape(-1, *shape)
