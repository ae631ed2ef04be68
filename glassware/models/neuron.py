"""A single neuron: sigma(w . x + b), with nothing after it."""

from __future__ import annotations

from typing import ClassVar, Literal

from glassware.foundation.arrays import Array, Float, LaneValues, Params
from glassware.foundation.backend import jnp
from glassware.models.activated import Activated
from glassware.models.init import affine
from glassware.tasks.task import Task


class Neuron(Activated):
    """yhat(x) = sigma(w . x + b). For a scale after it, ``MLP(width=1, output_bias=False)``.

    >>> import glassware as gw
    >>> gw.Neuron(activation="sinusoid", degree=3).parameters(gw.Parity(n=50, k=3))
    51
    """

    name: Literal["neuron"] = "neuron"

    layered: ClassVar[bool] = True

    @property
    def layers(self) -> int:
        return 1

    def init(self, values: LaneValues, task: Task) -> Params:
        keys, inputs = values["keys"], task.input_size
        addresses = jnp.arange(inputs, dtype=jnp.uint32)
        weight, bias = affine(values, keys[0], keys[1], addresses, addresses[:1], inputs, 1, first=True)
        return ({"w": weight, "b": bias},)

    def apply(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, " *batch"]:
        (layer,) = params
        return self.sigma((x @ layer["w"] + layer["b"])[..., 0])

    def parameters(self, task: Task) -> int:
        return task.input_size + 1

    def step_flops(self, task: Task, batch: int) -> float:
        return 2.0 * self.forward_flops(task, batch)  # no gradient passes below the first layer

    def forward_flops(self, task: Task, batch: int) -> float:
        return 2.0 * batch * task.input_size

    def widest(self, task: Task) -> int:
        return 1
