"""How the signs of an input are distributed: with a mean, and correlated in pairs."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from glassware.foundation.arrays import Array, EitherArray, Key, UInt32
from glassware.foundation.backend import jnp
from glassware.foundation.draws import draw, unit
from glassware.foundation.part import Part

WORD = 32


class Signs(Part):
    """A distribution on {+1, -1}^n in which every sign has the same mean; uniform unless told otherwise.

    The signs come in pairs of neighbours, x_0 and x_1, x_2 and x_3, ... The second of a pair copies the first with
    probability ``correlation`` and is drawn by itself otherwise, so that this is their correlation, whatever the mean.
    Everything else is independent.

    Attributes:
        mean: E[x_i].
        correlation: of x_2j and x_2j+1.

    >>> import glassware as gw
    >>> gw.Parity(n=30, k=3, distribution=gw.Signs(mean=0.5)).skewed
    True
    """

    mean: Annotated[float, Field(gt=-1, lt=1)] = 0.0
    correlation: Annotated[float, Field(ge=0, lt=1)] = 0.0

    column: ClassVar = {"mean": "input_mean", "correlation": "input_correlation"}

    @property
    def uniform(self) -> bool:
        """Whether all sign vectors are equally likely."""
        return not self.mean and not self.correlation

    def columns(self, role: str) -> dict[str, Any]:
        """Only runs whose inputs are not uniform have columns for it."""
        return {} if self.uniform else super().columns(role)

    def packed(self, key: Key, index: UInt32[EitherArray, " *batch"], n: int) -> UInt32[Array, "*batch words"]:
        """The examples at these indices as packed bits, 32 signs per word; bit 1 means -1. One draw per pair."""
        pairs = np.arange((n + 1) // 2, dtype=np.uint32)
        first, second = (unit(word) for word in draw(key, index[..., None], pairs + index[..., None] * np.uint32(0)))
        minus = (1.0 - self.mean) / 2.0
        leader = first < minus
        own = second < self.correlation + (1.0 - self.correlation) * minus
        bits = jnp.stack([leader, jnp.where(second < self.correlation, leader, own)], axis=-1)
        bits = bits.reshape(*index.shape, -1)[..., :n]
        words = -(-n // WORD)
        room = [(0, 0)] * len(index.shape) + [(0, words * WORD - n)]
        padded = jnp.pad(bits, room).reshape(*index.shape, words, WORD).astype(jnp.uint32)
        return jnp.sum(padded << jnp.arange(WORD, dtype=jnp.uint32), axis=-1, dtype=jnp.uint32)
