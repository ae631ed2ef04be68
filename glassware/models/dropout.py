"""Dropout: which numbers of a training step are set to 0, as a pure function of key, step and place."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from glassware.foundation.arrays import Array, EitherArray, Float, Key, UInt32, Whole
from glassware.foundation.backend import jax, jnp
from glassware.foundation.draws import draw, scramble

GOLDEN = 0x9E3779B9
LEVELS = 2**16  # a coin is half a random word, so rates are exact to 1 in 65,536


def factors(words: UInt32[EitherArray, "..."], shift: UInt32[EitherArray, "..."], rate: float) -> Float[Array, "..."]:
    """1 / (1 - rate) or, where the coin says so, 0. A coin is 16 bits of a word, from ``shift`` (0 or 16) on."""
    coins = (words >> shift) & np.uint32(LEVELS - 1)
    dropped = round(rate * LEVELS)
    return jnp.where(coins < np.uint32(dropped), np.float32(0), np.float32(LEVELS / (LEVELS - dropped)))


class Coins(NamedTuple):
    """The coins of one site before they are tossed: the word of a number is ``scramble(row + column)``.

    The halves of a word belong to the first and the last half of the first axis of a row's numbers, so that no stride
    is odd. There are as many columns as words per row.

    Attributes:
        rate: probability of being dropped.
        rows: one word per row.
        columns: one word per two numbers of a row.
    """

    rate: float
    rows: UInt32[Array, " rows"]
    columns: UInt32[Array, "half ..."]

    def at(self, place: int) -> Float[Array, "rows ..."]:
        """Factors of the numbers at one place of the first axis."""
        last, column = divmod(place, len(self.columns))
        rows = jnp.expand_dims(self.rows, list(range(1, self.columns.ndim)))
        return factors(scramble(self.columns[column] + rows), jnp.uint32(16 * last), self.rate)


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

    def coins(self, rate: float, site: int, shape: tuple[int, ...]) -> Coins:
        """What ``kept`` is made of, for whoever makes it where it is used."""
        return self._coins(self._places, rate, site, shape)

    def _coins(self, places: UInt32[Array, " rows"], rate: float, site: int, shape: tuple[int, ...]) -> Coins:
        half = (-(-shape[0] // 2), *shape[1:])
        low, high = (scramble(word + np.uint32(site * GOLDEN & 0xFFFFFFFF)) for word in self._words)
        rows = scramble(places ^ high)
        columns = scramble(jnp.arange(math.prod(half), dtype=jnp.uint32) ^ low)
        # Without the barrier XLA would inline each scramble into the next, and compile for minutes.
        rows, columns = jax.lax.optimization_barrier((rows, columns))
        return Coins(rate, rows, columns.reshape(half))

    def _factors(
        self, places: UInt32[Array, " rows"], rate: float, site: int, shape: tuple[int, ...], axis: int
    ) -> Float[Array, "..."]:
        coins = self._coins(places, rate, site, shape)
        rows = jnp.expand_dims(coins.rows, [i for i in range(len(shape) + 1) if i != axis])
        words = scramble(jnp.expand_dims(coins.columns, axis) + rows)
        split = 0 if axis else 1  # where the first axis of ``shape`` is
        shifts = np.array([0, 16], np.uint32).reshape(2, *[1] * (words.ndim - split))
        kept = factors(jnp.expand_dims(words, split), shifts, rate)
        kept = kept.reshape(*words.shape[:split], 2 * words.shape[split], *words.shape[split + 1 :])
        return jax.lax.slice_in_dim(kept, 0, shape[0], axis=split)
