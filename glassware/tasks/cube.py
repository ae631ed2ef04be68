"""The (n, k)-parity on all 2^n sign vectors, as a problem with two classes."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from glassware.foundation.arrays import Array, EitherArray, Int32, Key, LaneValues, UInt32
from glassware.foundation.backend import jax, jnp
from glassware.tasks.parity import Parity
from glassware.tasks.task import Kind


class CubeParity(Parity):
    """x is any of the 2^n sign vectors; class 0 where the product of x_i over i in S is +1, class 1 where it is -1.

    Example i has x_j = -1 where bit j of i is 1.

    >>> import glassware as gw
    >>> gw.CubeParity(n=10, k=4).domain
    1024
    """

    name: Literal["cube-parity"] = "cube-parity"  # type: ignore[assignment]
    n: Annotated[int, Field(ge=1, le=24)]
    noise: Annotated[float, Field(ge=0, le=0)] = 0.0

    kind: ClassVar[Kind] = "class"
    # k is compiled in: the largest margin depends on it.
    lane: ClassVar = {"support": None}

    @model_validator(mode="after")
    def _each_point_once(self) -> Self:
        if self.skewed:
            raise ValueError("every point of the cube counts once: leave distribution out")
        return self

    @property
    def classes(self) -> int:
        return 2

    @property
    def domain(self) -> int:
        return 1 << self.n

    def raw(self, key: Key, index: UInt32[EitherArray, " *batch"]) -> UInt32[Array, "*batch 1"]:
        return jnp.asarray(index, jnp.uint32)[..., None]

    def targets(self, values: LaneValues, raw: UInt32[Array, "*batch words"]) -> Int32[Array, " *batch"]:  # type: ignore[override]
        odd = jnp.sum(jax.lax.population_count(raw & values["mask"]), axis=-1) & np.uint32(1)
        return odd.astype(jnp.int32)

    def train_targets(  # type: ignore[override]
        self,
        values: LaneValues,
        noise_key: Key,
        index: UInt32[EitherArray, " *batch"],
        raw: UInt32[Array, "*batch words"],
    ) -> Int32[Array, " *batch"]:
        return self.targets(values, raw)
