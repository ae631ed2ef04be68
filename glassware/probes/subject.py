"""What probes ask of a run: its checks before it is trained, its measurements along the way.

Written down here, and not imported, because probes lie below training.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from glassware.foundation.arrays import (
    Array,
    EitherArray,
    Float,
    Key,
    LaneValues,
    Num,
    Params,
    RunValues,
    Shaped,
    UInt32,
)
from glassware.theory.margins.groups import Group

Numbers: TypeAlias = Mapping[str, Float[Array, ""]]  # by column: a point of a curve
# By column: inputs and labels, on which the share of right outputs is measured.
Views: TypeAlias = Mapping[str, tuple[Float[Array, "*batch_and_inputs"], Float[Array, " *batch"]]]
Found: TypeAlias = Mapping[str, Float[EitherArray, "..."]]  # by column: what a final probe finds


class TaskKind(Protocol):
    """What a check asks of a task."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def domain(self) -> int | None: ...
    @property
    def input_size(self) -> int: ...


class ModelKind(Protocol):
    """What a check asks of a model, trained or solved."""

    @property
    def name(self) -> str: ...
    @property
    def layered(self) -> bool: ...
    @property
    def widths(self) -> tuple[int, ...]: ...


class NetworkKind(Protocol):
    """What a check asks of a network."""

    @property
    def layers(self) -> int: ...
    @property
    def units(self) -> int: ...


class Candidate(Protocol):
    """A run that may be measured."""

    @property
    def task(self) -> TaskKind: ...
    @property
    def model(self) -> ModelKind: ...
    @property
    def network(self) -> NetworkKind: ...
    @property
    def m(self) -> int | None: ...
    @property
    def batch(self) -> int | Literal["full"]: ...


@runtime_checkable
class Task(TaskKind, Protocol):
    """What a measurement asks of a task; all but the first four only of those that a check lets through."""

    def raw(self, key: Key, index: UInt32[EitherArray, " batch"]) -> Shaped[Array, "*batch_and_form"]: ...
    def inputs(
        self, values: LaneValues, raw: Shaped[Array, "*batch_and_form"]
    ) -> Float[Array, "*batch_and_inputs"]: ...
    def targets(self, values: LaneValues, raw: Shaped[Array, "*batch_and_form"]) -> Num[Array, " *batch"]: ...
    def train_targets(
        self,
        values: LaneValues,
        noise_key: Key,
        index: UInt32[EitherArray, " batch"],
        raw: Shaped[Array, "*batch_and_form"],
    ) -> Num[Array, " *batch"]: ...
    def signs(self, raw: UInt32[Array, "*batch words"]) -> Float[Array, "*batch n"]: ...
    def component(
        self, values: LaneValues, raw: UInt32[Array, "*batch words"], leaking: bool
    ) -> tuple[Float[Array, "*batch n"], Float[Array, " *batch"]]: ...


@runtime_checkable
class Chains(TaskKind, Protocol):
    """What a measurement asks of Markov chains."""

    def __hash__(self) -> int: ...
    def inputs(
        self, values: LaneValues, raw: Shaped[Array, "*batch_and_form"]
    ) -> Float[Array, "*batch_and_inputs"]: ...
    def held_out(
        self, key: Key, index: UInt32[EitherArray, " *batch"]
    ) -> Shaped[Array, "..."] | tuple[Shaped[Array, "..."], ...]: ...
    def truth(self, raw: Shaped[Array, "..."] | tuple[Shaped[Array, "..."], ...]) -> Float[Array, "*batch states"]: ...
    def with_prior(self, prior: str) -> Chains: ...
    @property
    def states(self) -> int: ...
    @property
    def length(self) -> int: ...
    @property
    def order(self) -> int: ...
    @property
    def alpha(self) -> tuple[float, ...] | None: ...


class AnyTask(Task, Chains, Protocol):
    """What only tasks of some kinds have: parities, Markov chains, groups. A check has let the right ones through."""

    @property
    def k(self) -> int: ...
    @property
    def structure(self) -> Group: ...


class Network(ModelKind, NetworkKind, Protocol):
    """What a measurement asks of a network; ``sigma`` and ``wave`` only of those with an activation, ``neurons`` and
    ``homogeneity`` only of homogeneous ones, ``attention`` and scores only of causal transformers, and
    ``cls_attention`` only of Transformers with a [CLS] token."""

    def apply(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, " *batch"]: ...
    def sigma(self, z: Float[Array, "*shape"]) -> Float[Array, "*shape"]: ...
    def neurons(self, params: Params) -> Float[Array, "units numbers"]: ...
    def attention(
        self, params: Params, x: Float[Array, "*batch t"]
    ) -> tuple[Float[Array, "*batch heads queries keys"], ...]: ...
    def layer_scores(
        self, params: Params, x: Float[Array, "*batch t"]
    ) -> tuple[Float[Array, "*batch heads queries keys"], ...]: ...
    def positional_scores(self, params: Params) -> Float[Array, "heads tokens t"]: ...
    def widest(self, task: Task) -> int: ...
    def cls_attention(self, params: Params, x: Float[Array, "batch T"]) -> Float[Array, "batch tokens heads"]: ...
    @property
    def homogeneity(self) -> int: ...
    @property
    def wave(self) -> tuple[float, float] | None: ...


class Evaluation(Protocol):
    """How a run is examined."""

    @property
    def test(self) -> int: ...


@runtime_checkable
class Subject(Protocol):
    """A run that is measured."""

    @property
    def task(self) -> AnyTask: ...
    @property
    def network(self) -> Network: ...
    @property
    def m(self) -> int | None: ...
    @property
    def evaluation(self) -> Evaluation: ...
    def first(self, values: RunValues) -> Params: ...


@runtime_checkable
class Sample(Protocol):
    """The held-out sample in compact form, in blocks."""

    @property
    def raw(self) -> Shaped[Array, "blocks block *form"]: ...
