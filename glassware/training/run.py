"""The specification of one training run: everything that decides its outcome, and nothing else."""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from glassware.foundation.arrays import RunValues
from glassware.foundation.draws import Stream, run_key, stream_key
from glassware.foundation.part import Part, Values, check_known
from glassware.models import Init, Model, Readout, Solved
from glassware.models.model import Params
from glassware.probes import PROBES
from glassware.training.evaluation import Evaluation
from glassware.training.fits import check_parts
from glassware.training.objective import LOSSES, METRICS, SIGN_LOSSES, USUAL_LOSS
from glassware.training.optimiser import SGD, AnyOptimiser
from glassware.training.penalty import AnyPenalty
from glassware.training.registered import AnyModel, AnyTask
from glassware.training.start import KeptStep, Load, Start

# What decides the outcome of a run whose model is solved: it has no steps, hence no optimiser; some have first weights.
SOLVED_FIELDS = {"task", "m", "model", "evaluation", "probes", "seed", "pairing"}
DRAWN_FIELDS = {"init", "start"}
SOLVED_EVALUATION = {"test", "success"}

# What does not change the random numbers of a run: how long it trains, how it is examined and what is kept of it. So a
# longer run begins like the shorter one.
NOT_OF_THE_CELL = {"steps", "evaluation", "probes", "keep", "seed", "pairing"}
SMALLEST_PADDED = 64
MOST_KEPT = 1000  # steps at which a run may keep its weights


def padded_size(m: int) -> int:
    """The next power of two, and at least 64: a program takes as long to compile as dozens of such runs to train."""
    return max(SMALLEST_PADDED, 1 << (m - 1).bit_length())


class Run(Part):
    """One training run.

    Attributes:
        task: where examples come from.
        m: size of the fixed sample; None (or "online") for training on fresh examples, or on all of a finite domain.
            Where the domain is finite, the m examples are drawn from it and the others are held out.
        sampling: how offline minibatches are drawn: with ``replacement``, or by shuffled ``epochs``.
        model, init: the network and its first weights; or a model that is solved, as a kernel machine.
        start: weights kept by another run, to start from instead.
        loss, penalty, optimiser, batch, steps: how it is trained, and for at most how many steps T. The loss is hinge
            for signs and cross-entropy for classes unless given. A batch may be ``full``: the whole sample every step.
        evaluation: when it is examined and what counts as success.
        probes: names of further measurements (see ``glassware.probes``).
        keep: when its weights are kept: ``first``, ``final``, or steps at which it is examined.
        seed: everything random in the run follows from it and from the cell, that is from all fields above but
            ``steps``, ``evaluation``, ``probes`` and ``keep``.
        pairing: runs with the same pairing and seed share their random numbers although their cells differ, for
            paired comparisons.

    >>> import glassware as gw
    >>> run = gw.Run(task=gw.Parity(n=50, k=3), m=1000, model=gw.MLP(width=100), optimiser=gw.SGD(lr=0.1), seed=7)
    >>> run.loss, run.batch, run.label()
    ('hinge', 32, 'mlp of width 100 on parity with 50 inputs')
    """

    task: AnyTask
    m: Annotated[int, Field(ge=1, lt=2**31)] | None = None
    sampling: Literal["replacement", "epochs"] = "replacement"
    model: AnyModel
    init: Init = Init()
    start: Start | None = None
    loss: str = "hinge"
    penalty: tuple[AnyPenalty, ...] = ()
    optimiser: AnyOptimiser = SGD(lr=0.1, weight_decay=0.01)
    batch: Annotated[int, Field(ge=1, le=1_000_000)] | Literal["full"] = 32
    steps: Annotated[int, Field(ge=1, lt=2**31)] = 100_000
    evaluation: Evaluation = Evaluation()
    probes: tuple[str, ...] = ()
    keep: Annotated[tuple[KeptStep, ...], Field(max_length=MOST_KEPT)] = ()
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 0
    pairing: str | None = None

    lane: ClassVar = {"m": None, "steps": 1, "seed": 0, "pairing": None}

    @field_validator("m", mode="before")
    @classmethod
    def _online(cls, m: object) -> object:
        return None if m == "online" else m

    @field_validator("probes", "keep", mode="before")
    @classmethod
    def _one_is_a_list(cls, given: object) -> object:
        return (given,) if isinstance(given, str | int) and not isinstance(given, bool) else given

    @field_validator("loss", mode="after")
    @classmethod
    def _known_loss(cls, loss: str) -> str:
        return check_known("loss", loss, LOSSES)

    @field_validator("probes", mode="after")
    @classmethod
    def _known_probes(cls, probes: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted({check_known("probe", probe, PROBES) for probe in probes}))

    @field_validator("keep", mode="after")
    @classmethod
    def _in_order(cls, keep: tuple[KeptStep, ...]) -> tuple[KeptStep, ...]:
        order = {"first": -1, "final": 2**31}
        return tuple(sorted(set(keep), key=lambda step: step if isinstance(step, int) else order[step]))

    @model_validator(mode="after")
    def _usual_loss(self) -> Self:
        if "loss" not in self.model_fields_set:
            object.__setattr__(self, "loss", USUAL_LOSS[self.task.kind])
        return self

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_parts(self)
        return self

    @property
    def network(self) -> Model:
        """The model of a run that is trained by steps, or the network whose readout is solved."""
        model = self.model.network if isinstance(self.model, Readout) else self.model
        if not isinstance(model, Model):
            raise TypeError(f"the model '{model.name}' is solved, not trained")
        return model

    def label(self) -> str:
        """What is trained on what, for sentences."""
        name, width = getattr(self.model, "name", "model"), getattr(self.model, "width", None)
        sized = f"{name} of width {width}" if width else name
        return f"{sized} on {self.task.name} with {self.task.input_size} inputs"

    @property
    def sample(self) -> int | None:
        """Examples it trains on; None: new ones at every step."""
        return self.task.domain if self.m is None else self.m

    @property
    def batch_size(self) -> int:
        """Examples per step."""
        return self.batch if self.batch != "full" else self.sample or 1

    @property
    def measure(self) -> str:
        """The metric, or probe's column, by which it succeeds."""
        return self.evaluation.measure or self.task.measure

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics it is examined by, its measure of success first."""
        first = [self.measure] if self.measure in METRICS else []
        return tuple(dict.fromkeys([*first, *self.evaluation.metrics]))

    @property
    def succeeds_below(self) -> bool:
        """Whether a small measure is a success."""
        if self.evaluation.direction is not None:
            return self.evaluation.direction == "below"
        return METRICS[self.measure].better == "low"

    @property
    def kept_steps(self) -> tuple[int, ...]:
        """The steps at which weights are kept along the way."""
        return tuple(step for step in self.keep if isinstance(step, int))

    @property
    def padded(self) -> bool:
        """Whether its full batch is padded, so that m is a lane value."""
        return self.batch == "full" and self.task.padded and self.task.domain is None

    def shape(self) -> Self:
        """What is compiled: with a full batch, the size of the sample too, or the size that it is padded to."""
        full = padded_size(self.m) if self.padded and self.m is not None else self.m
        update = {
            "keep": (0,) * len(self.kept_steps),
            "penalty": tuple(penalty.shape() for penalty in self.penalty),
            "m": full if self.batch == "full" else None,
        }
        return super().shape().model_copy(update=update)

    def canonical(self) -> dict[str, Any]:
        """The resolved specification; for a solved model without the fields that do not bear on it."""
        plain = super().canonical()
        if not isinstance(self.model, Solved):
            return plain
        fields = SOLVED_FIELDS | DRAWN_FIELDS if self.model.drawn else SOLVED_FIELDS
        kept = {field: value for field, value in plain.items() if field in fields - {"evaluation"}}
        exam = {f: value for f, value in plain.get("evaluation", {}).items() if f in SOLVED_EVALUATION}
        return {**kept, "evaluation": exam} if exam else kept

    def cell(self) -> str:
        """What its random numbers depend on beside the seed: the text of its cell, or its pairing."""
        if self.pairing is not None:
            return f"pairing {self.pairing}"
        plain = {field: value for field, value in self.canonical().items() if field not in NOT_OF_THE_CELL}
        # Whose weights are drawn does not change the sample.
        init = {f: value for f, value in plain.pop("init", {}).items() if f not in ("seed", "pairing")}
        plain |= {"init": init} if init else {}
        return json.dumps(plain, sort_keys=True, separators=(",", ":"))

    def key(self) -> np.ndarray:
        """The key that everything random in this run follows from."""
        return run_key(self.seed, self.cell())

    def init_key(self) -> np.ndarray:
        """The key that its first weights follow from: its own, or that of another seed or pairing."""
        cell = self.cell() if self.init.pairing is None else f"pairing {self.init.pairing}"
        return run_key(self.seed if self.init.seed is None else self.init.seed, cell)

    def values(self, load: Load | None = None) -> Values:
        """The lane values of this run: what is traced when its shape is compiled.

        Args:
            load: finds kept weights, for runs that start from them; without it they are zeros of the right shape.
        """
        network, key = self.network, self.key()
        scalars: Values = {
            "m": np.uint32(self.sample or 0),
            "steps": np.int32(self.steps),
            "success": np.float32(self.evaluation.success),
            "stop": np.bool_(self.evaluation.stop),
            "loss": np.int32(SIGN_LOSSES.index(self.loss) if self.loss in SIGN_LOSSES else 0),
            "degree": np.int32(getattr(self.model, "degree", None) or 0),
        }
        keys = {stream.name.lower(): stream_key(key, stream) for stream in (Stream.NOISE, Stream.ORDER)}
        keys["example"] = self.task.sample_key(key, self.m)
        if network.drops:  # another seed for the weights drops other numbers, too
            keys["dropout"] = stream_key(self.init_key(), Stream.DROPOUT)
        values = {
            **scalars,
            "keys": keys,
            "task": self.task.values(key),
            "init": self.init.values(self.init_key(), next(iter(network.widths), 1), network.layers),
            "optimiser": self.optimiser.values(),
        }
        if self.penalty:
            values["penalty"] = np.array([penalty.weight for penalty in self.penalty], np.float32)
        if self.kept_steps:
            values["keep"] = np.array(self.kept_steps, np.int32)
        if self.start is not None:
            values["start"] = self.start.weights(network, self.task, values["init"], load)
        return values

    def first(self, values: RunValues) -> Params:
        """First weights: drawn, or those that another run has kept."""
        drawn = self.network.init(values["init"], self.task)
        if self.start is None:
            return drawn
        return tuple(
            {name: values["start"].get(f"{i}.{name}", leaf) for name, leaf in layer.items()}
            for i, layer in enumerate(drawn)
        )

    def columns(self, role: str = "run") -> dict[str, Any]:
        """What a row says about this run: what it was given, and what it has hidden."""
        key = self.key()
        return {**self.given_columns(), **self.task.hidden(key), **self.task.sample_columns(key, self.m)}

    def given_columns(self) -> dict[str, Any]:
        """The columns of its parts; of two with the same name the later is prefixed."""
        found: dict[str, Any] = {}
        for field in type(self).model_fields:
            value = getattr(self, field)
            own = value.columns(field) if isinstance(value, Part) else {self.column.get(field, field): value}
            for name, entry in own.items():
                found[name if name not in found else f"{field}_{name}"] = entry
        penalty = [one.model_dump() for one in self.penalty]
        found["penalty"] = json.dumps(penalty, sort_keys=True) if penalty else None
        found["keep"], found["batch"] = [str(step) for step in self.keep], self.batch_size
        return found
