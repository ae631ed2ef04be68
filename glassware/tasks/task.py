"""What every task offers: examples as a pure function of their address."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from glassware.foundation.arrays import Array, EitherArray, Float, Key, LaneValues, Num, Shaped, UInt32
from glassware.foundation.draws import Stream, stream_key
from glassware.foundation.errors import GlasswareError
from glassware.foundation.part import Part, Values

# Examples in compact form: one array, or several with the same first axis, such as inputs and targets.
if TYPE_CHECKING:
    from jaxtyping import PyTree

    Raw: TypeAlias = PyTree[Shaped[Array, "..."]]
else:  # jaxtyping's own would import JAX
    Raw = Shaped[Array, "..."] | tuple[Shaped[Array, "..."], ...]

# What is predicted, and so what a model puts out and which losses and metrics make sense:
#   sign      +1 or -1; one real number per example
#   class     one of ``classes``; as many logits per example. Targets are numbers, or distributions over the classes
#   sequence  a class at every position; logits (positions, classes) per example. A target below 0 is not counted
Kind: TypeAlias = Literal["sign", "class", "sequence"]


class Task(Part):
    """Where examples come from, in compact form (``raw``: packed bits, row numbers, tokens) and as a model sees them.

    A subclass names itself by a field ``name: Literal["..."] = "..."``, is made known by ``gw.register``, and gives
    ``input_shape`` and ``raw``; the rest has defaults. Without ``inputs`` and ``targets`` of its own, ``raw`` returns
    the pair (inputs, targets). Before the first run of a task it is tried on a few examples, and what does not fit is
    said in a sentence.

    After changing what its code does, change its name, give it a new field, or use another store: ids are made of names
    and fields, so a store would give the rows of the former code for those of the new. (Rows remember their code, and a
    sweep that finds such rows says so; it uses them nevertheless.)

    Attributes:
        kind: what is predicted. ``sign``: targets are +1 and -1 (not 0 and 1), (batch,). ``class``: targets are whole
            numbers from 0 to ``classes`` - 1, (batch,), or distributions over the classes, (batch, classes).
            ``sequence``: a class at every position, (batch, positions); a target below 0 is not counted.
        measure: the metric by which a run usually succeeds.
        loss: the usual loss.
        padded: whether a full batch of m examples is padded to one of a few sizes, so that runs of different m share a
            compiled program; if not, every m is compiled.
        hidden_inputs: whether the inputs of an example depend on what the run has hidden (its lane values). If not,
            the held-out inputs are made once for all lanes.

    >>> from typing import ClassVar, Literal
    >>> import glassware as gw
    >>> @gw.register
    ... class Above(gw.Task):
    ...     '''Is x above the threshold?'''
    ...     name: Literal["above"] = "above"
    ...     threshold: float = 0.3
    ...     input_shape: ClassVar = (1,)
    ...
    ...     def raw(self, key, index):  # all that is random about an example is drawn from its address
    ...         return gw.unit(gw.draw(key, index, 0)[0])
    ...
    ...     def inputs(self, values, raw):
    ...         return raw[..., None]
    ...
    ...     def targets(self, values, raw):
    ...         return 1.0 - 2.0 * (raw < self.threshold)
    >>> gw.train(gw.Run(task=Above(), model=gw.MLP(width=16), steps=1000))["success"]
    True
    """

    name: str

    kind: ClassVar[Kind] = "sign"
    measure: ClassVar[str] = "error"
    hidden_inputs: ClassVar[bool] = False
    padded: ClassVar[bool] = False

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: object) -> None:
        check_declared(cls)

    @property
    @abstractmethod
    def input_shape(self) -> tuple[int, ...]:
        """Shape of one input."""

    @property
    def classes(self) -> int:
        """Numbers a model puts out per example (and position): 1 for a sign."""
        if self.kind == "sign":
            return 1
        raise NotImplementedError(f"{type(self).__name__} must say how many classes it has")

    @property
    def domain(self) -> int | None:
        """How many examples there are in all, numbered from 0; None where they never end."""
        return None

    @property
    def input_size(self) -> int:
        """Numbers in one input."""
        return math.prod(self.input_shape)

    def values(self, key: UInt32[np.ndarray, " 2"]) -> Values:
        """What is hidden in the run with this key, drawn or given; ``inputs`` and ``targets`` get it as ``values``.

        A dictionary of NumPy arrays or NumPy numbers, of the same names, shapes and types for every run of the task:
        ``{"mask": np.zeros(2, np.uint32)}``. Made by NumPy, before anything is compiled.
        """
        return {}

    def hidden(self, key: UInt32[np.ndarray, " 2"]) -> Mapping[str, object]:
        """Columns that say what was hidden in the run with this key."""
        return {}

    def sample_key(self, key: UInt32[np.ndarray, " 2"], m: int | None) -> UInt32[np.ndarray, " 2"]:
        """The key that ``raw`` gets for the training examples of the run with this key: a sample of m, or fresh ones.

        A task that refuses some samples gives the key of the first one that it accepts.
        """
        return stream_key(key, Stream.EXAMPLE)

    def sample_columns(self, key: UInt32[np.ndarray, " 2"], m: int | None) -> Mapping[str, object]:
        """Columns that say how the sample was chosen."""
        return {}

    @abstractmethod
    def raw(self, key: Key, index: UInt32[EitherArray, " *batch"]) -> Raw:
        """The examples at these indices of a stream, in compact form: arrays whose first axis is that of ``index``.

        All that is random about example i is drawn from the key and index[i] (see ``gw.draw``), so that the same
        address is the same example in every batch, on every device, and when the run is trained again.

        Where the domain is finite, ``index`` is the example's number and the key does not matter.
        """

    def held_out(self, key: Key, index: UInt32[EitherArray, " *batch"]) -> Raw:
        """The same for the held-out sample; a task that keeps something back for it overrides this."""
        return self.raw(key, index)

    def inputs(self, values: LaneValues, raw: Raw) -> Float[Array, "*batch_and_inputs"]:
        """Compact examples as the model sees them, (batch, *input_shape)."""
        return raw[0]

    def targets(self, values: LaneValues, raw: Raw) -> Num[Array, "*batch_and_positions"]:
        """What is to be predicted of compact examples, (batch,) or (batch, positions)."""
        return raw[1]

    def train_targets(
        self,
        values: LaneValues,
        noise_key: Key,
        index: UInt32[EitherArray, " *batch"],
        raw: Raw,
    ) -> Num[Array, "*batch_and_positions"]:
        """Targets as the learner sees them; a task with label noise overrides this."""
        return self.targets(values, raw)


def check_declared(task: Task | type[Task]) -> None:
    """Raise a GlasswareError of one sentence if a task, or its class as far as that tells, declares what cannot be."""
    name = task.__name__ if isinstance(task, type) else type(task).__name__
    kind, shape = task.kind, task.input_shape
    if isinstance(kind, str) and kind not in get_args(Kind):
        raise GlasswareError(f"kind of {name} must be 'sign', 'class' or 'sequence', not {kind!r}")
    if isinstance(shape, property):
        return
    if not isinstance(shape, tuple) or not all(isinstance(size, int) and size > 0 for size in shape):
        raise GlasswareError(f"input_shape of {name} must be a tuple of whole numbers, such as (2,), not {shape!r}")
