"""The network of Learning Parities with Neural Networks: it starts as the zero function."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from glassware.foundation.arrays import Array, Float, LaneValues, Params
from glassware.foundation.backend import jnp
from glassware.foundation.draws import below, draw, unit
from glassware.models.activations import ACTIVATIONS
from glassware.models.model import Model
from glassware.tasks.leaky import LeakyParity
from glassware.tasks.task import Task


class Mirrored(Model):
    """yhat(z) = sum of u_i relu6(w_i . z / sqrt(n) + b_i) over 2q hidden units, the second half a copy of the first.

    First weights, whatever the init scheme: w uniform on {-1, 0, 1}^n, b = 1/8k, u uniform on [-n/k, n/k], drawn for
    the n and k of a leaky parity.

    Attributes:
        half: q.
        copies: how the second half follows from the first. ``corrected``: -u with the same w and b, so that yhat is 0.
            ``printed``: the paper's displays turn w and b as well, and yhat is far from 0. ``none``: no copies and
            PyTorch's usual weights, uniform up to 1/sqrt(fan-in).
    """

    name: Literal["mirrored"] = "mirrored"
    half: Annotated[int, Field(ge=1, le=5_000_000)]
    copies: Literal["corrected", "printed", "none"] = "corrected"

    layered: ClassVar[bool] = True

    @property
    def widths(self) -> tuple[int, ...]:
        return (2 * self.half,)

    @property
    def layers(self) -> int:
        return 2

    def check(self, task: Task, scheme: str) -> None:
        if not isinstance(task, LeakyParity):
            raise ValueError(f"the model '{self.name}' is drawn for the task 'leaky-parity', not '{task.name}'")
        if scheme != "dense":
            raise ValueError(f"the model '{self.name}' has first weights of its own: leave init.scheme out")

    def init(self, values: LaneValues, task: Task) -> Params:
        assert isinstance(task, LeakyParity)
        n, units = task.n, self.half if self.copies != "none" else 2 * self.half
        columns, rows = jnp.arange(units, dtype=jnp.uint32), jnp.arange(n, dtype=jnp.uint32)
        words = [draw(values["keys"][i], columns, columns * jnp.uint32(0))[0] for i in (1, 2)]
        bias, readout = (2.0 * unit(word) - 1.0 for word in words)
        weight, _ = draw(values["keys"][0], columns[None, :], rows[:, None])
        if self.copies == "none":  # the inputs are divided by sqrt(n) already
            drawn = {"w": 2.0 * unit(weight) - 1.0, "b": bias / math.sqrt(n)}
            return drawn, {"w": readout / math.sqrt(units)}
        signs = below(weight, jnp.uint32(3)).astype(jnp.float32) - 1.0
        bias, readout = jnp.full(units, 1 / (8 * task.k), jnp.float32), task.n / task.k * readout
        turn = -1.0 if self.copies == "printed" else 1.0
        first = {"w": jnp.concatenate([signs, turn * signs], axis=1), "b": jnp.concatenate([bias, turn * bias])}
        return first, {"w": jnp.concatenate([readout, -readout])}

    def apply(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, " *batch"]:
        hidden, last = self.features(params, x), params[1]
        # One half after the other: where they cancel they cancel exactly, which one long sum would round away.
        q = self.half
        return hidden[..., :q] @ last["w"][:q] + hidden[..., q:] @ last["w"][q:]

    def features(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, "*batch features"]:
        first = params[0]
        return ACTIVATIONS["relu6"].function((x @ first["w"]) / math.sqrt(x.shape[-1]) + first["b"], None)
