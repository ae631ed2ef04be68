"""The specification of one training run: everything that decides its outcome, and nothing else."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from glassware.draws import Stream, stream_key
from glassware.models import MLP, Init
from glassware.part import Part, Values
from glassware.probes import PROBES
from glassware.tasks import Parity
from glassware.training.objective import Loss
from glassware.training.optimiser import SGD, AnyOptimiser


class Evaluation(Part):
    """When and how a run is examined.

    Attributes:
        every: steps between evaluations.
        test: size of the held-out sample (one fixed sample for all runs of a task).
        train: if positive, the training error is measured on the first ``train`` examples of the sample (all of them
            when m is smaller); if 0 it is the average over the minibatches since the last evaluation.
        success: a run succeeds at the first evaluation whose test error is at most this.
        stop: whether a run ends when it succeeds.
    """

    every: Annotated[int, Field(ge=1)] = 100
    test: Annotated[int, Field(ge=1, le=10_000_000)] = 10_000
    train: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    success: Annotated[float, Field(ge=0, le=1)] = 0.1
    stop: bool = True

    lane: ClassVar = {"success": 0.1, "stop": True}


class Run(Part):
    """One training run.

    Attributes:
        task: where examples come from.
        m: size of the fixed sample; None (or "online") for training on fresh examples.
        sampling: how offline minibatches are drawn: with ``replacement``, or by shuffled ``epochs``.
        model, init: the network and its first weights.
        loss, optimiser, batch, steps: how it is trained, and for at most how many steps T.
        evaluation: when it is examined and what counts as success.
        probes: names of further measurements (see ``glassware.probes``).
        seed: everything random in the run follows from it.
    """

    task: Parity
    m: Annotated[int, Field(ge=1, lt=2**31)] | None = None
    sampling: Literal["replacement", "epochs"] = "replacement"
    model: MLP
    init: Init = Init()
    loss: Loss = "hinge"
    optimiser: AnyOptimiser = SGD(lr=0.1, weight_decay=0.01)
    batch: Annotated[int, Field(ge=1, le=1_000_000)] = 32
    steps: Annotated[int, Field(ge=1)] = 100_000
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
                raise ValueError(f"unknown probe '{probe}'; known: {', '.join(PROBES)}")
        return tuple(sorted(set(probes)))

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
        rates, layers = self.optimiser.layer_rates, len(self.model.widths) + 1
        if rates is not None and len(rates) != layers:
            raise ValueError(
                f"optimiser.layer_rates must have one entry for each of the {layers} layers, not {len(rates)}"
            )
        return self

    def values(self) -> dict[str, Any]:
        """The lane values of this run: what is traced when its shape is compiled."""
        scalars: Values = {
            "m": np.uint32(self.m or 0),
            "steps": np.int32(self.steps),
            "success": np.float32(self.evaluation.success),
            "stop": np.bool_(self.evaluation.stop),
        }
        return {
            **scalars,
            "keys": {s.name.lower(): stream_key(self.seed, s) for s in (Stream.EXAMPLE, Stream.NOISE, Stream.ORDER)},
            "task": self.task.values(self.seed),
            "init": self.init.values(self.seed, self.model.widths[0], len(self.model.widths) + 1),
            "optimiser": self.optimiser.values(),
        }
