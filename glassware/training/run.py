"""The specification of one training run: everything that decides its outcome, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, Union

import numpy as np
from pydantic import Field, PlainValidator, SerializeAsAny, TypeAdapter, field_validator, model_validator

from glassware.draws import Stream, stream_key
from glassware.models import MODELS, Init, KernelRidge, Model
from glassware.models.kernel import LARGEST_SAMPLE
from glassware.part import Part, Values
from glassware.probes import PROBES
from glassware.tasks import TASKS, Parity
from glassware.training.objective import LOSS_NAMES, Loss
from glassware.training.optimiser import SGD, AnyOptimiser


def _registered(registry: Mapping[str, type[Any]], usual: str) -> PlainValidator:
    """Takes a part, or the plain data of one, as a member of a registry: the usual one unless it is named."""

    def validate(part: Any) -> Any:
        data = {"name": usual, **part} if isinstance(part, Mapping) else part
        if isinstance(part, Part) and type(part) not in registry.values():  # perhaps a subclass of one that is
            raise ValueError(f"{type(part).__name__} is not registered; known: {', '.join(registry)}")
        return _adapter(tuple(registry.values())).validate_python(data)

    return PlainValidator(validate)


@lru_cache
def _adapter(parts: tuple[type[Any], ...]) -> TypeAdapter[Any]:
    """A validator that takes registered parts apart by their name."""
    union: Any = Union[parts]  # noqa: UP007
    if len(parts) > 1:  # pydantic takes nothing apart that has one part
        union = Annotated[union, Field(discriminator="name")]
    return TypeAdapter(union)


AnyModel: TypeAlias = Annotated[SerializeAsAny[Model | KernelRidge], _registered(MODELS, "mlp")]
AnyTask: TypeAlias = Annotated[SerializeAsAny[Parity], _registered(TASKS, "parity")]

# What decides the outcome of a run whose model is solved: it has no steps, hence no optimiser and no first weights.
SOLVED_FIELDS = {"task", "m", "model", "evaluation", "seed"}
SOLVED_EVALUATION = {"test", "success"}


class Evaluation(Part):
    """When and how a run is examined.

    Attributes:
        every: steps between evaluations.
        test: size of the held-out sample (one fixed sample for all runs of a task).
        train: if positive, the training error is measured on the first ``train`` examples of the sample (all of them
            when m is smaller); if 0 it is the average over the minibatches since the last evaluation.
        screen: if positive, this many of the test examples are looked at first, and the others only when the error on
            these is at most twice ``success``; a hopeless run then costs a fraction of a full examination.
        success: a run succeeds at the first evaluation whose test error is at most this.
        stop: whether a run ends when it succeeds.
    """

    every: Annotated[int, Field(ge=1)] = 100
    test: Annotated[int, Field(ge=1, le=10_000_000)] = 10_000
    train: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    screen: Annotated[int, Field(ge=0)] = 0
    success: Annotated[float, Field(ge=0, le=1)] = 0.1
    stop: bool = True

    lane: ClassVar = {"success": 0.1, "stop": True}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.screen >= self.test:
            raise ValueError(f"evaluation.screen must be below evaluation.test = {self.test}, not {self.screen}")
        return self


class Run(Part):
    """One training run.

    Attributes:
        task: where examples come from.
        m: size of the fixed sample; None (or "online") for training on fresh examples.
        sampling: how offline minibatches are drawn: with ``replacement``, or by shuffled ``epochs``.
        model, init: the network and its first weights; or a kernel machine, which has none.
        loss, optimiser, batch, steps: how it is trained, and for at most how many steps T.
        evaluation: when it is examined and what counts as success.
        probes: names of further measurements (see ``glassware.probes``).
        seed: everything random in the run follows from it.
    """

    task: AnyTask
    m: Annotated[int, Field(ge=1, lt=2**31)] | None = None
    sampling: Literal["replacement", "epochs"] = "replacement"
    model: AnyModel
    init: Init = Init()
    loss: Loss = "hinge"
    optimiser: AnyOptimiser = SGD(lr=0.1, weight_decay=0.01)
    batch: Annotated[int, Field(ge=1, le=1_000_000)] = 32
    steps: Annotated[int, Field(ge=1, lt=2**31)] = 100_000
    evaluation: Evaluation = Evaluation()
    probes: tuple[str, ...] = ()
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 0

    lane: ClassVar = {"m": None, "steps": 1, "seed": 0}

    @field_validator("m", mode="before")
    @classmethod
    def _online(cls, m: Any) -> Any:
        return None if m == "online" else m

    @field_validator("probes", mode="after")
    @classmethod
    def _known_probes(cls, probes: tuple[str, ...]) -> tuple[str, ...]:
        for probe in probes:
            if probe not in PROBES:
                raise ValueError(f"unknown probe {probe!r}; known: {', '.join(PROBES)}")
        return tuple(sorted(set(probes)))

    @model_validator(mode="after")
    def _solvable(self) -> Self:
        if isinstance(self.model, KernelRidge):
            if self.m is None:
                raise ValueError(f"the model '{self.model.name}' needs a fixed sample: give m")
            if self.m > LARGEST_SAMPLE:
                raise ValueError(f"m must be at most {LARGEST_SAMPLE} for the model '{self.model.name}', not {self.m}")
            if self.probes:
                raise ValueError(f"probes look at a network's weights; the model '{self.model.name}' has none")
        return self

    @model_validator(mode="after")
    def _measurable(self) -> Self:
        for probe in self.probes:
            PROBES[probe].check(self)
        return self

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.init.s is not None and self.init.s > self.task.input_size:
            raise ValueError(f"init.s must be at most n = {self.task.input_size}, not {self.init.s}")
        if self.init.neurons is not None and (len(self.init.neurons),) != self.model.widths:
            raise ValueError(
                f"init.neurons must name one neuron for each of the model's {self.model.widths} hidden units"
            )
        if self.steps % self.evaluation.every:
            raise ValueError(
                f"steps must be a multiple of evaluation.every = {self.evaluation.every}, not {self.steps}"
            )
        if self.steps * self.batch >= 2**32:
            raise ValueError(f"steps x batch must stay below 2**32, not {self.steps} x {self.batch}")
        if self.sampling == "epochs" and self.m is None:
            raise ValueError("sampling by epochs needs a fixed sample: give m")
        if isinstance(self.model, Model):
            self.model.check(self.task.input_size, self.init.scheme)
            rates, layers = self.optimiser.layer_rates, self.model.layers
            if rates is not None and len(rates) != layers:
                raise ValueError(
                    f"optimiser.layer_rates must have one entry for each of the {layers} layers, not {len(rates)}"
                )
        return self

    @property
    def network(self) -> Model:
        """The model of a run that is trained by steps."""
        if not isinstance(self.model, Model):
            raise TypeError(f"the model '{self.model.name}' is solved, not trained")
        return self.model

    def canonical(self) -> dict[str, Any]:
        """The resolved specification; for a solved model without the fields that do not bear on it."""
        plain = super().canonical()
        if not self.model.solved:
            return plain
        kept = {field: value for field, value in plain.items() if field in SOLVED_FIELDS}
        return {**kept, "evaluation": {f: v for f, v in plain["evaluation"].items() if f in SOLVED_EVALUATION}}

    def values(self) -> dict[str, Any]:
        """The lane values of this run: what is traced when its shape is compiled."""
        scalars: Values = {
            "m": np.uint32(self.m or 0),
            "steps": np.int32(self.steps),
            "success": np.float32(self.evaluation.success),
            "stop": np.bool_(self.evaluation.stop),
            "loss": np.int32(LOSS_NAMES.index(self.loss)),
            "degree": np.int32(getattr(self.model, "degree", None) or 0),
        }
        return {
            **scalars,
            "keys": {s.name.lower(): stream_key(self.seed, s) for s in (Stream.EXAMPLE, Stream.NOISE, Stream.ORDER)},
            "task": self.task.values(self.seed),
            "init": self.init.values(self.seed, next(iter(self.network.widths), 1), self.network.layers),
            "optimiser": self.optimiser.values(),
        }
