"""Strips of handwritten digits, labelled by the parity of their sum."""

from __future__ import annotations

from functools import cache
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from glassware.foundation.arrays import Array, EitherArray, Float, Float32, Int32, Key, LaneValues, UInt32
from glassware.foundation.backend import jnp
from glassware.foundation.draws import Stream, below, draw, ranking, stream_key
from glassware.foundation.errors import GlasswareError
from glassware.foundation.part import Values
from glassware.tasks.task import Task

IMAGES, TRAIN_IMAGES = 1797, 1300  # of scikit-learn's digits, and how many of them training may use
PIXELS = 64


class DigitStrip(Task):
    """k images of 8 x 8 pixels in [0, 1] side by side; y = +1 where the sum of the digits is even, else -1.

    Every run shuffles the images by its own key. Training strips are made of the first 1,300, held-out strips of the
    others: no image is in both.

    Attributes:
        k: digits in a strip.
    """

    name: Literal["digit-strip"] = "digit-strip"
    k: Annotated[int, Field(ge=1, le=64)]

    hidden_inputs: ClassVar[bool] = True

    @property
    def input_shape(self) -> tuple[int, ...]:
        return (PIXELS * self.k,)

    def values(self, key: UInt32[np.ndarray, " 2"]) -> Values:
        index = np.arange(IMAGES, dtype=np.uint32)
        words, _ = draw(stream_key(key, Stream.SUPPORT), index, np.zeros_like(index))
        return {"order": np.argsort(ranking(words, index, IMAGES)).astype(np.int32)}

    def raw(self, key: Key, index: UInt32[EitherArray, " *batch"]) -> UInt32[Array, "*batch {self.k}"]:
        """Places in the run's order of the images."""
        return below(self._words(key, index), np.uint32(TRAIN_IMAGES))

    def held_out(self, key: Key, index: UInt32[EitherArray, " *batch"]) -> UInt32[Array, "*batch {self.k}"]:
        return np.uint32(TRAIN_IMAGES) + below(self._words(key, index), np.uint32(IMAGES - TRAIN_IMAGES))

    def _words(self, key: Key, index: UInt32[EitherArray, " *batch"]) -> UInt32[Array, "*batch {self.k}"]:
        pairs = [draw(key, index, index * np.uint32(0) + np.uint32(j)) for j in range(-(-self.k // 2))]
        return jnp.stack([word for pair in pairs for word in pair][: self.k], axis=-1)

    def inputs(self, values: LaneValues, raw: UInt32[Array, "*batch k"]) -> Float[Array, "*batch 64*k"]:
        strips = jnp.asarray(images()[0])[values["order"][raw]]
        return strips.reshape(*raw.shape[:-1], -1)

    def targets(self, values: LaneValues, raw: UInt32[Array, "*batch k"]) -> Float[Array, " *batch"]:
        total = jnp.sum(jnp.asarray(images()[1])[values["order"][raw]], axis=-1)
        return 1.0 - 2.0 * (total % 2).astype(jnp.float32)


@cache
def images() -> tuple[Float32[np.ndarray, "1797 64"], Int32[np.ndarray, " 1797"]]:
    """Pixels in [0, 1], and the digits."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise GlasswareError("the task 'digit-strip' needs scikit-learn: pip install 'glassware[tabular]'") from None
    pixels, digits = load_digits(return_X_y=True)
    return (pixels / 16.0).astype(np.float32), digits.astype(np.int32)
