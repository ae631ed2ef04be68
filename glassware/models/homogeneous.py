"""Networks with one hidden layer and no biases, whose output is a power of the scale of their weights.

Scaling all weights by c scales the output by c^nu. For these the margin has a meaning that does not depend on the
scale: divide it by the sum over neurons of ||omega||^nu, where omega is everything that belongs to a neuron.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from glassware.foundation.arrays import Array, Float, Integer, LaneValues, Params
from glassware.foundation.backend import jnp
from glassware.foundation.draws import draw, unit
from glassware.models.activated import Activated
from glassware.models.init import matrix
from glassware.models.mlp import Width
from glassware.models.pair_table import on_all_pairs
from glassware.tasks.group import GroupMultiplication
from glassware.tasks.task import Kind, Task

HOMOGENEOUS = {"identity": 1, "relu": 1, "square": 2}  # degree of activations that have one without being told


class Homogeneous(Activated):
    """One hidden layer without biases.

    Attributes:
        width: hidden units m.
    """

    width: Width

    kinds: ClassVar[tuple[Kind, ...]] = ("class",)

    @property
    def widths(self) -> tuple[int, ...]:
        return (self.width,)

    @property
    def layers(self) -> int:
        return 2

    @property
    def homogeneity(self) -> int:
        """nu: scaling all weights by c > 0 scales the output by c^nu."""
        return 1 + (self.degree if self.activation == "power" and self.degree else HOMOGENEOUS[self.activation])

    @model_validator(mode="after")
    def _homogeneous(self) -> Self:
        if self.activation != "power" and self.activation not in HOMOGENEOUS:
            known = ", ".join(["power", *HOMOGENEOUS])
            raise ValueError(f"the model '{self.name}' needs a homogeneous activation ({known}), not {self.activation}")
        return self

    @abstractmethod
    def neurons(self, params: Params) -> Float[Array, "units numbers"]: ...


class GroupNet(Homogeneous):
    """f(a, b) = sum over neurons of w_i sigma(u_i[a] + v_i[b]), with u_i, v_i and w_i in R^|G|.

    Attributes:
        activation: ``square``, or ``relu`` for the twin that learns nearly the same features.
        begins: ``drawn``: u and v uniform on +-1/sqrt(2|G|), w on +-1/sqrt(m), as PyTorch draws a linear layer on two
            concatenated one-hot vectors. ``memorising``: at the network that looks every product up, two neurons per
            pair; it needs the square and a width of 2|G|^2.
        scale: of every weight of the memorising network.
        noise: uniform noise on them, relative to the scale.

    >>> import glassware as gw
    >>> net = gw.GroupNet(width=200)
    >>> net.homogeneity, net.parameters(gw.GroupMultiplication(group="S_4"))
    (3, 14400)
    """

    name: Literal["group-net"] = "group-net"
    activation: str = "square"
    begins: Literal["drawn", "memorising"] = "drawn"
    scale: Annotated[float, Field(ge=1e-30, le=1e6)] = 1.0
    noise: Annotated[float, Field(ge=0, le=1e6)] = 0.0

    def check(self, task: Task, scheme: str) -> None:
        if not isinstance(task, GroupMultiplication):
            raise ValueError(f"the model '{self.name}' reads pairs of group elements: give it the task 'group'")
        if scheme == "sparse":
            raise ValueError(f"the model '{self.name}' has no sparse first weights: give another init.scheme")
        pairs = task.domain
        if self.begins == "memorising" and (self.width != 2 * pairs or self.activation != "square"):
            raise ValueError(f"the memorising network on this group has the square and width {2 * pairs}")

    def init(self, values: LaneValues, task: Task) -> Params:
        order, keys = task.classes, values["keys"]
        if self.begins == "memorising":
            return self._memorising(values, task)
        embeddings = {
            name: matrix(values, key, order, self.width, 2 * order, self.width)
            for name, key in (("u", keys[0]), ("v", keys[1]))
        }
        return embeddings, {"w": matrix(values, keys[2], self.width, order, self.width, order)}

    def _memorising(self, values: LaneValues, task: Task) -> Params:
        """Two neurons per pair: (e_a + e_b)^2 e_ab and -(e_a - e_b)^2 e_ab, which sum to 4 on the pair and 0 off it."""
        assert isinstance(task, GroupMultiplication)
        order, pairs = task.classes, task.domain
        a, b = jnp.divmod(jnp.arange(pairs), order)
        one_hot = lambda index: jnp.arange(order)[:, None] == index[None, :]
        u, v, w = (one_hot(index).astype(jnp.float32) for index in (a, b, jnp.asarray(task.structure.table)[a, b]))
        leaves = {"u": jnp.tile(u, 2), "v": jnp.concatenate([v, -v], axis=1), "w": jnp.concatenate([w, -w], axis=1)}
        neuron, element = jnp.arange(2 * pairs, dtype=jnp.uint32)[None, :], jnp.arange(order, dtype=jnp.uint32)[:, None]
        for key, name in zip(values["keys"], leaves, strict=False):
            leaves[name] += self.noise * (2.0 * unit(draw(key, neuron, element)[0]) - 1.0)
        return (
            {"u": self.scale * leaves["u"], "v": self.scale * leaves["v"]},
            {"w": self.scale * leaves["w"].T},
        )

    def apply(self, params: Params, x: Integer[Array, "*batch 2"]) -> Float[Array, "*batch classes"]:  # type: ignore[override]
        embeddings, readout = params
        return self.sigma(embeddings["u"][x[..., 0]] + embeddings["v"][x[..., 1]]) @ readout["w"]

    def apply_all(self, params: Params, task: Task) -> Float[Array, "pairs classes"]:
        embeddings, readout = params
        u, v, w = (jnp.asarray(leaf) for leaf in (embeddings["u"], embeddings["v"], readout["w"]))
        return on_all_pairs(self.sigma, u, v, w)

    def neurons(self, params: Params) -> Float[Array, "units numbers"]:
        embeddings, readout = params
        return jnp.concatenate([embeddings["u"].T, embeddings["v"].T, readout["w"]], axis=1)

    def forward_flops(self, task: Task, batch: int) -> float:
        """One product of hidden units with the readout; the embeddings are looked up."""
        return 2.0 * batch * self.width * task.classes

    def widest(self, task: Task) -> int:
        return max(self.width, task.classes)


class PowerNet(Homogeneous):
    """f(x) = sum over neurons of w_i (u_i . x)^k, k = ``degree``.

    >>> import glassware as gw
    >>> gw.PowerNet(width=40, degree=4).homogeneity
    5
    """

    name: Literal["power-net"] = "power-net"
    activation: str = "power"

    layered: ClassVar[bool] = True

    def init(self, values: LaneValues, task: Task) -> Params:
        inputs, outputs, keys = task.input_size, task.classes, values["keys"]
        first = matrix(values, keys[0], inputs, self.width, inputs, self.width)
        return {"w": first}, {"w": matrix(values, keys[2], self.width, outputs, self.width, outputs)}

    def check(self, task: Task, scheme: str) -> None:
        if scheme == "sparse":
            raise ValueError(f"the model '{self.name}' has no sparse first weights: give another init.scheme")

    def apply(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, "*batch classes"]:
        hidden, readout = params
        return self.sigma(x @ hidden["w"]) @ readout["w"]

    def neurons(self, params: Params) -> Float[Array, "units numbers"]:
        hidden, readout = params
        return jnp.concatenate([hidden["w"].T, readout["w"]], axis=1)
