"""Fully connected networks of any depth."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator

from glassware.foundation.arrays import Array, Float, LaneValues, Number, Params, UInt32
from glassware.foundation.backend import jnp
from glassware.models.activated import Activated
from glassware.models.init import affine
from glassware.tasks.task import Kind, Task

Width = Annotated[int, Field(ge=1, le=10_000_000)]


class MLP(Activated):
    """yhat(x) = v . sigma(W x + b) + beta, or deeper: every layer affine with bias, sigma between, an output per class.

    Attributes:
        width: hidden units r; a list gives one entry per hidden layer.
        output_bias: whether there is a beta.

    >>> import glassware as gw
    >>> gw.MLP(width=100).parameters(gw.Parity(n=50, k=3))
    5201
    >>> gw.MLP(width=(64, 32), activation="relu").layers
    3
    """

    name: Literal["mlp"] = "mlp"
    width: Width | Annotated[tuple[Width, ...], Field(min_length=1)]
    output_bias: bool = True

    layered: ClassVar[bool] = True
    kinds: ClassVar[tuple[Kind, ...]] = ("sign", "class")

    @field_validator("width", mode="after")
    @classmethod
    def _one_layer_is_a_number(cls, width: int | tuple[int, ...]) -> int | tuple[int, ...]:
        return width[0] if isinstance(width, tuple) and len(width) == 1 else width

    @property
    def widths(self) -> tuple[int, ...]:
        return (self.width,) if isinstance(self.width, int) else self.width

    @property
    def layers(self) -> int:
        return len(self.widths) + 1

    def sizes(self, task: Task) -> tuple[int, ...]:
        """Numbers between layers, inputs and outputs included."""
        return (task.input_size, *self.widths, task.classes)

    def init(self, values: LaneValues, task: Task) -> Params:
        sizes = self.sizes(task)
        addresses: list[UInt32[Array, " units"]] = [jnp.arange(size, dtype=jnp.uint32) for size in sizes]
        addresses[1] = values["neurons"]
        fans: list[Number] = list(sizes)
        fans[1] = values["fan_in"]
        layers = []
        for i in range(len(sizes) - 1):
            keys = values["keys"][2 * i], values["keys"][2 * i + 1]
            weight, bias = affine(values, *keys, addresses[i], addresses[i + 1], fans[i], fans[i + 1], first=i == 0)
            layers.append({"w": weight, "b": bias})
        if not self.output_bias:
            del layers[-1]["b"]
        return tuple(layers)

    def apply(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, "*batch_and_classes"]:
        last = params[-1]
        output = self.features(params, x) @ last["w"]
        output = output + last["b"] if self.output_bias else output
        return output[..., 0] if output.shape[-1] == 1 else output

    def features(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, "*batch features"]:
        for layer in params[:-1]:
            x = self.sigma(x @ layer["w"] + layer["b"])
        return x

    def neurons(self, params: Params) -> Float[Array, "units numbers"]:
        if len(self.widths) != 1:
            raise NotImplementedError
        hidden, readout = params
        return jnp.concatenate([hidden["w"].T, hidden["b"][:, None], readout["w"]], axis=1)

    def parameters(self, task: Task) -> int:
        sizes = self.sizes(task)
        return sum((a + 1) * b for a, b in pairwise(sizes)) - (0 if self.output_bias else sizes[-1])

    def step_flops(self, task: Task, batch: int) -> float:
        """Work of one training step: forward, weight gradients, and input gradients past the first layer."""
        sizes = self.sizes(task)
        products = [a * b for a, b in pairwise(sizes)]
        return 2.0 * batch * (3 * sum(products) - products[0])

    def forward_flops(self, task: Task, batch: int) -> float:
        return 2.0 * batch * sum(a * b for a, b in pairwise(self.sizes(task)))

    def widest(self, task: Task) -> int:
        return max(*self.widths, task.classes)
