"""What every network offers: a pure init/apply pair and the size of its work."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from inspect import isabstract
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from glassware.foundation.arrays import Array, EitherArray, Float, LaneValues, Params, Shaped
from glassware.foundation.backend import jax
from glassware.foundation.part import Part
from glassware.models.dropout import Dropout
from glassware.tasks.task import Kind, Task

__all__ = ["Model", "Params", "from_leaves", "named_leaves"]


class Model(Part):
    """A network trained by steps. A subclass is a frozen specification: every field of it is compiled in.

    A subclass names itself by a field ``name: Literal["..."] = "..."``, is made known by ``gw.register``, and gives
    ``layers``, ``init`` and ``apply``; the rest has defaults. ``init`` returns a tuple of ``layers`` dictionaries of
    arrays.

    After changing what its code does, change its name, give it a new field, or use another store: ids are made of names
    and fields, so a store would give the rows of the former code for those of the new. (Rows remember their code, and a
    sweep that finds such rows says so; it uses them nevertheless.)

    Attributes:
        layered: whether ``params[0]["w"]`` is a matrix (inputs, units) that multiplies the input. Probes of the first
            layer look there and refuse models that have none.
        kinds: what its outputs can predict.

    >>> from typing import ClassVar, Literal
    >>> import jax.numpy as jnp
    >>> import glassware as gw
    >>> @gw.register
    ... class Square(gw.Model):
    ...     name: Literal["square"] = "square"
    ...     layers: ClassVar = 1
    ...
    ...     def init(self, values, task):
    ...         return ({"w": jnp.full(task.input_size, 0.1)},)
    ...
    ...     def apply(self, params, x):
    ...         return (x @ params[0]["w"]) ** 2 - 1
    >>> gw.train(gw.Run(task=gw.Parity(n=4, k=2), model=Square(), steps=1000))["success"]
    True
    """

    name: str

    solved: ClassVar[bool] = False
    layered: ClassVar[bool] = False
    kinds: ClassVar[tuple[Kind, ...]] = ("sign",)

    @property
    def widths(self) -> tuple[int, ...]:
        """Hidden layer sizes, first to last; empty where there is none."""
        return ()

    if TYPE_CHECKING:

        @property
        def width(self) -> int | tuple[int, ...]:
            """The size to tell people: the field of this name where there is one, else of the first hidden layer."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: object) -> None:
        # Not a plain property of this class: it would stand in the way of a subclass's field of the same name.
        if not isabstract(cls) and not hasattr(cls, "width") and "width" not in cls.model_fields:
            cls.width = property(lambda self: next(iter(self.widths), self.units))  # type: ignore[method-assign, assignment]
        # A subclass with outputs of its own has not got those of its parent on the whole domain.
        if "apply" in vars(cls) and "apply_all" not in vars(cls):
            cls.apply_all = Model.apply_all  # type: ignore[method-assign]

    @property
    def units(self) -> int:
        """Columns of ``params[0]["w"]`` of a layered network."""
        return next(iter(self.widths), 1)

    @property
    @abstractmethod
    def layers(self) -> int:
        """Entries of the parameter tuple. Each has a factor in ``layer_rates`` and two keys of the init stream."""

    @abstractmethod
    def init(self, values: LaneValues, task: Task) -> Params:
        """Initial parameters from the lane values of ``Init``."""

    @abstractmethod
    def apply(
        self, params: Params, x: Float[Array, "*batch_and_inputs"]
    ) -> Float[Array, "*batch_and_positions_and_classes"]:
        """Outputs for inputs (batch, *input_shape): (batch,), (batch, classes) or (batch, positions, classes)."""

    def apply_all(self, params: Params, task: Task) -> Float[Array, "*examples_and_classes"] | None:
        """Outputs on all examples of a finite domain, in their order; None where ``apply`` is the only way."""
        return None

    @property
    def drops(self) -> bool:
        """Whether training drops numbers at random: it then goes through ``apply_training``."""
        return False

    def apply_training(
        self, params: Params, x: Float[Array, "*batch_and_inputs"], dropout: Dropout
    ) -> Float[Array, "*batch_and_positions_and_classes"]:
        """Outputs in training, for a network with dropout."""
        return self.apply(params, x)

    def parameters(self, task: Task) -> int:
        """Number of trained scalars."""
        from glassware.models.init import Init

        blank = Init().values(np.zeros(2, np.uint32), next(iter(self.widths), 1), self.layers)
        shapes = jax.eval_shape(lambda values: self.init(values, task), blank)
        return sum(math.prod(leaf.shape) for leaf in jax.tree.leaves(shapes))

    def forward_flops(self, task: Task, batch: int) -> float:
        """Work of the outputs of a batch: a product and a sum per parameter, unless a model knows better."""
        return 2.0 * batch * self.parameters(task)

    def step_flops(self, task: Task, batch: int) -> float:
        """Work of one training step: forward, and twice that for the gradients, unless a model knows better."""
        return 3.0 * self.forward_flops(task, batch)

    def widest(self, task: Task) -> int:
        """Most numbers an example takes between two layers; examinations are cut into blocks by it."""
        return max((*self.widths, task.input_size, task.classes))

    def held(self, task: Task) -> int:
        """Numbers an example takes in a training step, for how many runs fit into the memory."""
        return task.input_size + sum(self.widths) + task.classes

    def neurons(self, params: Params) -> Float[Array, "units numbers"]:
        """Everything that belongs to each hidden unit, for penalties on neurons."""
        raise NotImplementedError

    def features(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, "*batch features"]:
        """What its last layer combines linearly, for readouts that are solved. Not every model has it."""
        raise NotImplementedError

    def feature_count(self, task: Task) -> int:
        """How many features there are: units of the last hidden layer, unless a model knows better."""
        return self.widths[-1]

    def check(self, task: Task, scheme: str) -> None:
        """Raise a ValueError of one sentence if the network does not fit this task or this init scheme."""

    def columns(self, role: str) -> dict[str, object]:
        depth = getattr(self, "depth", None) or len(self.widths) or None  # layers of a Transformer are of one width
        widths = {"width": next(iter(self.widths), None), "depth": depth}
        return {**super().columns(role), **widths, "widths": self.widths if len(self.widths) > 1 else None}


def named_leaves(params: Params) -> dict[str, Shaped[EitherArray, "..."]]:
    """The arrays of a network by name: ``0.w`` is the matrix of the first layer."""
    return {f"{i}.{name}": leaf for i, layer in enumerate(params) for name, leaf in layer.items()}


def from_leaves(leaves: Mapping[str, Shaped[EitherArray, "..."]]) -> Params:
    """Back from names to the parameters of a network."""
    layers: dict[int, dict[str, Shaped[EitherArray, "..."]]] = {}
    for path, leaf in leaves.items():
        layer, name = path.split(".", 1)
        layers.setdefault(int(layer), {})[name] = leaf
    return tuple(layers[i] for i in sorted(layers))
