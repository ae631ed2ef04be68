"""The (n, k)-parity: uniform signs, labelled by the product of k hidden coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from glassware.foundation.arrays import Array, EitherArray, Float, Key, LaneValues, UInt32
from glassware.foundation.backend import jax, jnp
from glassware.foundation.draws import Stream, draw, stream_key, subset, unit
from glassware.foundation.part import Values
from glassware.tasks.signs import Signs
from glassware.tasks.task import Task


class Parity(Task):
    """x on {+1, -1}^n, uniform unless told otherwise, and y = prod of x_i over i in S, |S| = k.

    Examples are packed bits (bit 1 means -1), 32 coordinates per word, drawn from their counter when they are used, so
    a sample of any size m costs no memory. The label is the parity of popcount(words AND mask), so k, S and the noise
    are lane values.

    Attributes:
        n: number of coordinates.
        k: number of relevant coordinates.
        support: S itself, or None to let every run draw its own from its seed.
        noise: probability that a training label is flipped (fixed per example). Test labels are clean.
            At 1/2 the labels are random: a control that has nothing to learn.
        distribution: of the inputs, in training and when examined; uniform unless given.

    >>> import glassware as gw
    >>> gw.Parity(n=50, k=3, noise=0.1).input_shape
    (50,)
    """

    name: Literal["parity"] = "parity"
    n: Annotated[int, Field(ge=1, le=4096)]
    k: Annotated[int, Field(ge=1)]
    support: tuple[int, ...] | None = None
    noise: Annotated[float, Field(ge=0, le=0.5)] = 0.0
    distribution: Signs = Signs()

    lane: ClassVar = {"k": 1, "support": None}

    def shape(self) -> Self:
        """The noise rate is a lane value where there is noise; without it no coins are drawn."""
        return super().shape().model_copy(update={"noise": 0.25 if self.noise else 0.0})

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.k > self.n:
            raise ValueError(f"k must be at most n: k = {self.k}, n = {self.n}")
        if self.support is not None:
            if len(set(self.support)) != self.k or len(self.support) != self.k:
                raise ValueError(f"support must name k = {self.k} different coordinates, not {list(self.support)}")
            if not all(0 <= i < self.n for i in self.support):
                raise ValueError(f"support must lie in 0..{self.n - 1}, not {list(self.support)}")
            object.__setattr__(self, "support", tuple(sorted(self.support)))  # a set: its order is not another run
        return self

    @property
    def input_shape(self) -> tuple[int, ...]:
        return (self.n,)

    @property
    def skewed(self) -> bool:
        """Whether some inputs are likelier than others."""
        return not self.distribution.uniform

    @property
    def words(self) -> int:
        """32-bit words an example takes."""
        return -(-self.n // 32)

    def hidden_support(self, key: UInt32[np.ndarray, " 2"]) -> tuple[int, ...]:
        """S of the run with this key: the given support, or k coordinates drawn from the key."""
        if self.support is not None:
            return self.support
        return subset(stream_key(key, Stream.SUPPORT), self.n, self.k)

    def hidden(self, key: UInt32[np.ndarray, " 2"]) -> Mapping[str, object]:
        return {"support": self.hidden_support(key)}

    def values(self, key: UInt32[np.ndarray, " 2"]) -> Values:
        mask = np.zeros(self.words, np.uint32)
        for i in self.hidden_support(key):
            mask[i // 32] |= np.uint32(1 << (i % 32))
        return {"mask": mask, "noise": np.float32(self.noise)}

    def raw(self, key: Key, index: UInt32[EitherArray, " *batch"]) -> UInt32[Array, "*batch words"]:
        if self.skewed:
            return self.distribution.packed(key, index, self.n)
        pairs = [draw(key, index, index * np.uint32(0) + np.uint32(j)) for j in range(-(-self.words // 2))]
        return jnp.stack([word for pair in pairs for word in pair][: self.words], axis=-1)

    def inputs(self, values: LaneValues, raw: UInt32[Array, "*batch words"]) -> Float[Array, "*batch {self.n}"]:
        return self.signs(raw)

    def signs(self, raw: UInt32[Array, "*batch {self.words}"]) -> Float[Array, "*batch {self.n}"]:
        """Packed bits to signs."""
        bits = (raw[..., :, None] >> jnp.arange(32, dtype=jnp.uint32)) & jnp.uint32(1)
        bits = bits.reshape(*raw.shape[:-1], self.words * 32)[..., : self.n]
        return 1.0 - 2.0 * bits.astype(jnp.float32)

    def targets(self, values: LaneValues, raw: UInt32[Array, "*batch words"]) -> Float[Array, " *batch"]:
        odd = jnp.sum(jax.lax.population_count(raw & values["mask"]), axis=-1) & jnp.uint32(1)
        return 1.0 - 2.0 * odd.astype(jnp.float32)

    def train_targets(
        self,
        values: LaneValues,
        noise_key: Key,
        index: UInt32[EitherArray, " *batch"],
        raw: UInt32[Array, "*batch words"],
    ) -> Float[Array, " *batch"]:
        if not self.noise:
            return self.targets(values, raw)
        word, _ = draw(noise_key, index, index * np.uint32(0))
        return jnp.where(unit(word) < values["noise"], -1.0, 1.0) * self.targets(values, raw)
