"""Gates fixed at the start, a trained linear function behind each: the features of a tangent kernel."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from glassware.foundation.arrays import Array, Float, LaneValues, Params
from glassware.foundation.backend import jnp
from glassware.models.init import normal
from glassware.models.model import Model
from glassware.tasks.task import Task


class Gated(Model):
    """yhat(x) = sum over gates i of (w_i . x + b_i) where g_i . x > 0.

    The gates g are Gaussian, less their mean over the inputs: of inputs that are never negative, as pixels, a gate
    would otherwise be open, or shut, for all. No gradient reaches them. w and b start at 0.

    Attributes:
        gates: how many.
    """

    name: Literal["gated"] = "gated"
    gates: Annotated[int, Field(ge=1, le=1_000_000)]

    @property
    def widths(self) -> tuple[int, ...]:
        return (self.gates,)

    @property
    def layers(self) -> int:
        return 2

    def init(self, values: LaneValues, task: Task) -> Params:
        drawn = normal(values["keys"][0], task.input_size, self.gates)
        linear = {"w": jnp.zeros((task.input_size, self.gates)), "b": jnp.zeros(self.gates)}
        return {"w": drawn - jnp.mean(drawn, axis=0)}, linear

    def apply(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, " *batch"]:
        gates, linear = params
        return jnp.sum(jnp.where(x @ gates["w"] > 0, x @ linear["w"] + linear["b"], 0.0), axis=-1)
