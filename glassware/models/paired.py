"""Networks that start as the zero function, as theorems about one large step want them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from glassware.foundation.arrays import Array, Float, LaneValues, Params
from glassware.foundation.backend import jax, jnp
from glassware.foundation.bounds import NotNegative, Real
from glassware.foundation.draws import below, draw
from glassware.models.init import affine
from glassware.models.mlp import MLP
from glassware.tasks.task import Task


class Paired(MLP):
    """An MLP whose second half of neurons copies the first with the outgoing sign turned, so that f = 0 at first.

    Its first gradient is then the correlation of the label with every neuron's gate. Incoming weights start at unit
    size (scheme ``sign``: +-1, ``sparse``: ones); every pair draws a bias level and an outgoing sign.

    Attributes:
        levels: what the biases of the hidden layer are drawn from.
        outgoing: size of the outgoing weights at first; 0 for a readout that is trained from nothing.
        frozen_biases: whether the biases of the hidden layer stay as drawn.
    """

    name: Literal["paired"] = "paired"  # type: ignore[assignment]
    levels: Annotated[tuple[Real, ...], Field(min_length=1)]
    outgoing: NotNegative = 1.0
    frozen_biases: bool = False

    @model_validator(mode="after")
    def _in_pairs(self) -> Self:
        if not isinstance(self.width, int) or self.width % 2:
            raise ValueError(f"a paired network has one hidden layer of an even width, not {self.width}")
        return self

    def init(self, values: LaneValues, task: Task) -> Params:
        keys, rows = values["keys"], jnp.arange(task.input_size, dtype=jnp.uint32)
        pairs = values["neurons"][: self.units // 2]
        weight, _ = affine(values, keys[0], keys[1], rows, pairs, 1, 1, first=True)
        level, coin = (draw(key, pairs, jnp.zeros_like(pairs))[0] for key in (keys[1], keys[2]))
        bias = jnp.array(self.levels, jnp.float32)[below(level, len(self.levels))]
        out = jnp.where(below(coin, 2) == 1, self.outgoing, -self.outgoing).astype(jnp.float32)
        hidden = {"w": jnp.concatenate([weight, weight], axis=1), "b": jnp.concatenate([bias, bias])}
        readout = {"w": jnp.concatenate([out, -out])[:, None]}
        return (hidden, {**readout, "b": jnp.zeros(1)} if self.output_bias else readout)

    def apply(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, " *batch"]:
        hidden, readout = params
        if self.frozen_biases:
            hidden = {**hidden, "b": jax.lax.stop_gradient(hidden["b"])}
        return super().apply((hidden, readout), x)

    def check(self, task: Task, scheme: str) -> None:
        if task.classes != 1:
            raise ValueError(f"the model '{self.name}' predicts signs, not what '{task.name}' asks for")
