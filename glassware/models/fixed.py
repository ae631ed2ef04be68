"""Features fixed before any data are seen, and a trained (or solved) linear function of them."""

from __future__ import annotations

import math
from abc import abstractmethod
from itertools import combinations
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from glassware.foundation.arrays import Array, Float, LaneValues, Params
from glassware.foundation.backend import jax, jnp
from glassware.foundation.bounds import Positive
from glassware.foundation.draws import draw, unit
from glassware.models.init import normal
from glassware.models.model import Model
from glassware.tasks.task import Task


class FixedFeatures(Model):
    """yhat(x) = u . phi(x) + c. No gradient reaches phi; u and c start at 0."""

    @property
    def layers(self) -> int:
        return 2

    def init(self, values: LaneValues, task: Task) -> Params:
        return self.fixed(values, task), {"w": jnp.zeros(self.feature_count(task)), "b": jnp.zeros(())}

    def apply(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, " *batch"]:
        fixed, readout = params
        return self.features((jax.lax.stop_gradient(fixed), readout), x) @ readout["w"] + readout["b"]

    def widest(self, task: Task) -> int:
        return max(self.feature_count(task), task.input_size)

    @abstractmethod
    def fixed(self, values: LaneValues, task: Task) -> dict[str, Float[Array, "..."]]:
        """What the features are drawn from."""


class RandomFeatures(FixedFeatures):
    """Random features of inputs x = z / sqrt(n), z as the task gives them; g and b are drawn once per feature.

    Attributes:
        function: ``relu``: relu(g . x + b), Gaussian g of variance 1 and b of variance 1/4. ``gate``: 1[g . x + b >
            0] (x, 1), n + 1 features per gate: what a wide network can do with its gates frozen. ``fourier``:
            cos(g . z + b), Gaussian g of variance 2 gamma and a uniform phase b: the kernel exp(-gamma |z - z'|^2).
        count: how many g.
        gamma: of ``fourier``.
    """

    name: Literal["random-features"] = "random-features"
    function: Literal["relu", "gate", "fourier"]
    count: Annotated[int, Field(ge=1, le=10_000_000)]
    gamma: Positive | None = None

    layered: ClassVar[bool] = True

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.function == "fourier") != (self.gamma is not None):
            raise ValueError("the function 'fourier' needs a gamma, and no other has one")
        return self

    @property
    def widths(self) -> tuple[int, ...]:
        return (self.count,)

    def feature_count(self, task: Task) -> int:
        return self.count * (task.input_size + 1 if self.function == "gate" else 1)

    def fixed(self, values: LaneValues, task: Task) -> dict[str, Float[Array, "..."]]:
        keys, columns = values["keys"], jnp.arange(self.count, dtype=jnp.uint32)
        g = normal(keys[0], task.input_size, self.count)
        if self.gamma is None:
            return {"w": g / math.sqrt(task.input_size), "b": 0.5 * normal(keys[1], 1, self.count)[0]}
        phase, _ = draw(keys[1], columns, jnp.zeros_like(columns))
        return {"w": math.sqrt(2 * self.gamma) * g, "b": 2 * np.pi * unit(phase)}

    def features(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, "*batch features"]:
        before = x @ params[0]["w"] + params[0]["b"]
        if self.function == "relu":
            return jax.nn.relu(before)
        if self.function == "fourier":
            return jnp.cos(before)
        one = jnp.concatenate([x / math.sqrt(x.shape[-1]), jnp.ones_like(x[..., :1])], axis=-1)
        behind = jnp.where(before[..., :, None] > 0, one[..., None, :], 0.0)
        return behind.reshape(*x.shape[:-1], -1)


class Monomials(FixedFeatures):
    """All products of at most ``degree`` different inputs. A parity of k of them is one from degree k on."""

    name: Literal["monomials"] = "monomials"
    degree: Annotated[int, Field(ge=1, le=16)]

    def feature_count(self, task: Task) -> int:
        return sum(math.comb(task.input_size, size) for size in range(1, self.degree + 1))

    def fixed(self, values: LaneValues, task: Task) -> dict[str, Float[Array, "..."]]:
        return {}

    def features(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, "*batch features"]:
        sets = [np.array(list(combinations(range(x.shape[-1]), size))) for size in range(1, self.degree + 1)]
        return jnp.concatenate([jnp.prod(x[..., chosen], axis=-1) for chosen in sets], axis=-1)
