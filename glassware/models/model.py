"""What every network offers: a pure init/apply pair and the size of its work."""

from __future__ import annotations

from abc import abstractmethod
from inspect import isabstract
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from glassware.part import Part

Params: TypeAlias = tuple[dict[str, Any], ...]  # one dictionary of arrays a layer; where affine, "w" (in, out) and "b"


class Model(Part):
    """A network trained by steps. A subclass is a frozen specification: every field of it is compiled in.

    A subclass names itself by a field ``name: Literal["..."] = "..."`` and is made known by one line in ``MODELS``.

    Attributes:
        layered: whether ``params[0]["w"]`` is a matrix (inputs, units) that multiplies the input. Probes of the first
            layer look there and refuse models that have none.
    """

    name: str

    solved: ClassVar[bool] = False
    layered: ClassVar[bool] = False

    @property
    @abstractmethod
    def widths(self) -> tuple[int, ...]:
        """Hidden layer sizes, first to last; empty where there is none."""

    if TYPE_CHECKING:

        @property
        def width(self) -> int | tuple[int, ...]:
            """The size to tell people: the field of this name where there is one, else of the first hidden layer."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        # Not a plain property of this class: it would stand in the way of a subclass's field of the same name.
        if not isabstract(cls) and not hasattr(cls, "width") and "width" not in cls.model_fields:
            cls.width = property(lambda self: next(iter(self.widths), self.units))  # type: ignore[method-assign, assignment]

    @property
    def units(self) -> int:
        """Columns of ``params[0]["w"]`` of a layered network."""
        return next(iter(self.widths), 1)

    @property
    @abstractmethod
    def layers(self) -> int:
        """Entries of the parameter tuple. Each has a factor in ``layer_rates`` and two keys of the init stream."""

    @abstractmethod
    def init(self, values: Any, inputs: int) -> Params:
        """Initial parameters from the lane values of ``Init``."""

    @abstractmethod
    def apply(self, params: Params, x: Any) -> Any:
        """Outputs (batch,) for inputs (batch, n)."""

    @abstractmethod
    def parameters(self, inputs: int) -> int:
        """Number of trained scalars."""

    @abstractmethod
    def forward_flops(self, inputs: int, batch: int) -> float:
        """Work of the outputs of a batch."""

    def step_flops(self, inputs: int, batch: int) -> float:
        """Work of one training step: forward, and twice that for the gradients, unless a model knows better."""
        return 3.0 * self.forward_flops(inputs, batch)

    def widest(self, inputs: int) -> int:
        """Most numbers an example takes between two layers; examinations are cut into blocks by it."""
        return max(self.widths, default=1)

    def check(self, inputs: int, scheme: str) -> None:
        """Raise a ValueError of one sentence if the network does not fit inputs of this size or this init scheme."""
