"""Products of linear forms: the smallest networks that can express a parity."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from glassware.foundation.arrays import Array, Float, LaneValues, Params
from glassware.foundation.backend import jnp
from glassware.models.init import affine
from glassware.models.model import Model
from glassware.tasks.task import Task


class PolyNet(Model):
    """yhat(x) = prod_i (w_i . x + b_i) with ``degree`` factors; or, disjoint, every factor on a block of its own.

    Disjoint: factor i sees coordinates i n/k .. (i+1) n/k - 1 and has no bias, so every coordinate has one weight. Such
    weights start at unit scale: signs +-1 under the init scheme ``sign``, N(0, 1) under ``kaiming``, uniform on [-1, 1]
    under ``dense``, uniform of variance 1 under ``glorot``. The factors of a full PolyNet start like single neurons.

    Attributes:
        degree: number of factors k.
        disjoint: whether each factor has its own n/k coordinates.

    >>> import glassware as gw
    >>> gw.PolyNet(degree=3).parameters(gw.Parity(n=50, k=3))
    153
    """

    name: Literal["polynet"] = "polynet"
    degree: Annotated[int, Field(ge=1, le=64)]
    disjoint: bool = False

    layered: ClassVar[bool] = True

    @property
    def units(self) -> int:
        return 1 if self.disjoint else self.degree

    @property
    def layers(self) -> int:
        return 1

    def check(self, task: Task, scheme: str) -> None:
        if self.disjoint and task.input_size % self.degree:
            raise ValueError(
                f"a disjoint polynet needs n to be a multiple of its degree {self.degree}, not {task.input_size}"
            )
        if self.disjoint and scheme == "sparse":
            raise ValueError(
                "the init scheme 'sparse' does not fit a disjoint polynet: its factors see disjoint blocks"
            )

    def init(self, values: LaneValues, task: Task) -> Params:
        keys, inputs = values["keys"], task.input_size
        rows = jnp.arange(inputs, dtype=jnp.uint32)
        columns = jnp.arange(self.units, dtype=jnp.uint32)
        fan_in, gain = (1, 1.0) if self.disjoint else (inputs, 2.0)
        weight, bias = affine(values, keys[0], keys[1], rows, columns, fan_in, 1, first=not self.disjoint, gain=gain)
        return ({"w": weight},) if self.disjoint else ({"w": weight, "b": bias},)

    def apply(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, " *batch"]:
        (layer,) = params
        if self.disjoint:
            blocks = (x * layer["w"][:, 0]).reshape(*x.shape[:-1], self.degree, -1)
            factors = jnp.sum(blocks, axis=-1)
        else:
            factors = x @ layer["w"] + layer["b"]
        # A few products in a row: their gradient is products too, where that of ``prod`` is a longer program.
        output = factors[..., 0]
        for i in range(1, self.degree):
            output = output * factors[..., i]
        return output

    def parameters(self, task: Task) -> int:
        return task.input_size if self.disjoint else (task.input_size + 1) * self.degree

    def step_flops(self, task: Task, batch: int) -> float:
        return 2.0 * self.forward_flops(task, batch)  # no gradient passes below the first layer

    def forward_flops(self, task: Task, batch: int) -> float:
        return 2.0 * batch * (task.input_size if self.disjoint else task.input_size * self.degree)

    def widest(self, task: Task) -> int:
        return task.input_size if self.disjoint else self.degree
