"""A single neuron: sigma(w . x + b), with nothing after it."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import jax.numpy as jnp

from glassware.models.activated import Activated
from glassware.models.init import affine
from glassware.models.model import Params


class Neuron(Activated):
    """yhat(x) = sigma(w . x + b). For a scale after it, ``MLP(width=1, output_bias=False)``."""

    name: Literal["neuron"] = "neuron"

    layered: ClassVar[bool] = True

    @property
    def widths(self) -> tuple[int, ...]:
        return ()

    @property
    def layers(self) -> int:
        return 1

    def init(self, values: Any, inputs: int) -> Params:
        keys = values["keys"]
        addresses = jnp.arange(inputs, dtype=jnp.uint32)
        weight, bias = affine(values, keys[0], keys[1], addresses, addresses[:1], inputs, 1, first=True)
        return ({"w": weight, "b": bias},)

    def apply(self, params: Params, x: Any) -> Any:
        (layer,) = params
        return self.sigma((x @ layer["w"] + layer["b"])[..., 0])

    def parameters(self, inputs: int) -> int:
        return inputs + 1

    def step_flops(self, inputs: int, batch: int) -> float:
        return 2.0 * self.forward_flops(inputs, batch)  # no gradient passes below the first layer

    def forward_flops(self, inputs: int, batch: int) -> float:
        return 2.0 * batch * inputs
