"""The minimal model of an induction head with attention instead of counts."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

from glassware.foundation.arrays import Array, Float, Int, LaneValues, Params
from glassware.foundation.backend import jax, jnp
from glassware.foundation.bounds import Real
from glassware.models.model import Model
from glassware.tasks.task import Kind, Task


class SoftmaxInduction(Model):
    """A_1 = softmax(v_{p-q} over q <= p), A_2 = softmax(E W (A_1 E)^T over q <= p); logits s A_2 E, for one-hot E.

    As ``MinimalInduction``, but both layers weigh the past with a softmax, so that logits do not grow with the
    position: W stands in for the second layer, v for the positions of the first, and s scales the answer.

    Attributes:
        diagonal: the first value of W's diagonal; the rest of W and all of v begin at 0, from where W could turn either
            way.
        scale: the first value of s.

    >>> import glassware as gw
    >>> from glassware.models import SoftmaxInduction
    >>> SoftmaxInduction().parameters(gw.MarkovChain(states=2, length=100))
    105
    """

    name: Literal["softmax-induction"] = "softmax-induction"
    diagonal: Real = 0.01
    scale: Real = math.e

    kinds: ClassVar[tuple[Kind, ...]] = ("sequence",)

    @property
    def layers(self) -> int:
        return 3

    def check(self, task: Task, scheme: str) -> None:
        if scheme != "dense":
            raise ValueError(f"the model '{self.name}' has first weights of its own: leave init.scheme out")

    def init(self, values: LaneValues, task: Task) -> Params:
        k, t = task.classes, task.input_shape[0]
        first, second = {"v": jnp.zeros(t, jnp.float32)}, {"w": self.diagonal * jnp.eye(k, dtype=jnp.float32)}
        return first, second, {"s": jnp.full(1, self.scale, jnp.float32)}

    def apply(self, params: Params, x: Int[Array, "*batch t"]) -> Float[Array, "*batch t classes"]:  # type: ignore[override]
        w = jnp.asarray(params[1]["w"])
        t, k = x.shape[-1], w.shape[0]
        one_hot = (x[..., None] == jnp.arange(k)).astype(jnp.float32)
        offset = jnp.arange(t)[:, None] - jnp.arange(t)[None, :]
        scores = jnp.where(offset >= 0, params[0]["v"][jnp.maximum(offset, 0)], -jnp.inf)
        seen = jax.nn.softmax(scores, axis=-1) @ one_hot
        # A score depends on the query's token m alone. Entries of ``seen`` are shares, so no score exceeds the largest
        # entry of its row of W: less that, exponentials cannot overflow.
        weight = jnp.exp(seen @ w.T - jnp.max(w, axis=-1))  # (.., q, m)
        counted = jnp.cumsum(one_hot[..., :, None] * weight[..., None, :], axis=-3)
        picked = jnp.einsum("...pim,...pm->...pi", counted, one_hot)
        total = jnp.sum(picked, axis=-1, keepdims=True)
        return (
            jnp.asarray(params[2]["s"]) * picked / jnp.maximum(total, 1e-30)
        )  # where all weights round to 0: no opinion

    def forward_flops(self, task: Task, batch: int) -> float:
        k, t = task.classes, task.input_shape[0]
        return 2.0 * batch * t * (t * k + 3 * k * k)

    def widest(self, task: Task) -> int:
        return task.input_shape[0] * task.classes**2
