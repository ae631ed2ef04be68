"""The leaky parity: a parity whose inputs give the label away part of the time."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from glassware.foundation.arrays import Array, Bool, EitherArray, Float, Key, LaneValues, UInt32
from glassware.foundation.backend import jnp
from glassware.foundation.draws import draw, unit
from glassware.foundation.part import Values
from glassware.tasks.parity import Parity


class LeakyParity(Parity):
    """A parity of k hidden coordinates under a mixture of two distributions of the inputs.

    D1: all signs uniform. D2, with probability ``leak``: the k relevant signs are equal, all + or all -, the others
    uniform. For odd k any single relevant sign is then the label. Both are made from the same bits, so an example can
    also be looked at as if it came from either component (``component``).

    Attributes:
        leak: share of D2; 1/2 in the paper, 0 is the plain parity.
    """

    name: Literal["leaky-parity"] = "leaky-parity"  # type: ignore[assignment]
    leak: Annotated[float, Field(ge=0, le=1)] = 0.5

    lane: ClassVar = {"leak": 0.5, "support": None}  # k is compiled in: the paper's network is drawn for it
    hidden_inputs: ClassVar[bool] = True

    @model_validator(mode="after")
    def _leaks(self) -> Self:
        if self.k % 2 == 0:
            raise ValueError(f"k must be odd, not {self.k}: with even k the label does not leak")
        if self.skewed:
            raise ValueError("the signs that do not leak are uniform: leave distribution out")
        return self

    def values(self, key: UInt32[np.ndarray, " 2"]) -> Values:
        return {**super().values(key), "leak": np.float32(self.leak)}

    def raw(self, key: Key, index: UInt32[EitherArray, " *batch"]) -> UInt32[Array, "*batch {self.words}+1"]:
        """Packed bits, and one more word: its high bits choose the component, its lowest the sign of D2."""
        after = np.uint32(-(-self.words // 2))  # the first counter that the packed bits leave unused
        coin, _ = draw(key, index, index * np.uint32(0) + after)
        return jnp.concatenate([super().raw(key, index), coin[..., None]], axis=-1)

    def inputs(
        self, values: LaneValues, raw: UInt32[Array, "*batch {self.words}+1"]
    ) -> Float[Array, "*batch {self.n}"]:
        return self.signs(self._packed(values, raw, self._leaking(values, raw)))

    def targets(self, values: LaneValues, raw: UInt32[Array, "*batch {self.words}+1"]) -> Float[Array, " *batch"]:
        return super().targets(values, self._packed(values, raw, self._leaking(values, raw)))

    def component(
        self, values: LaneValues, raw: UInt32[Array, "*batch {self.words}+1"], leaking: bool
    ) -> tuple[Float[Array, "*batch {self.n}"], Float[Array, " *batch"]]:
        """Inputs and labels of these examples as if all of them came from D2 (``leaking``), or all from D1."""
        packed = self._packed(values, raw, leaking)
        return self.signs(packed), super().targets(values, packed)

    def _leaking(self, values: LaneValues, raw: UInt32[Array, "*batch coin"]) -> Bool[Array, "*batch 1"]:
        return unit(raw[..., -1:]) < values["leak"]

    def _packed(
        self, values: LaneValues, raw: UInt32[Array, "*batch {self.words}+1"], leaking: bool | Bool[Array, "*batch 1"]
    ) -> UInt32[Array, "*batch {self.words}"]:
        """The packed bits, with those of S made equal where the example leaks."""
        words, coin, mask = raw[..., :-1], raw[..., -1:], values["mask"]
        equal = jnp.where((coin & jnp.uint32(1)) == 1, words | mask, words & ~mask)
        return jnp.where(leaking, equal, words)
