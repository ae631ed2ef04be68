"""What a page may ask for: one problem, one network, ten seeds; small enough that two cores answer in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from glassware.foundation.errors import SpecificationError
from glassware.foundation.explain import short
from glassware.foundation.part import Part
from glassware.models import MLP, Init
from glassware.tasks import Parity
from glassware.training import SGD, Evaluation, Run

SEEDS = 10
EXAMINATIONS = 100  # of a run: as many pictures
TEST, TRAIN = 1000, 500  # examples looked at each time; more would take longer than the training
MOST_WORK = 10**9  # n * width * steps: half a minute for ten networks on two cores


class Settings(Part):
    """What ten networks train on, and how.

    Attributes:
        n, k: inputs, and how many of them make the label.
        width: hidden units r.
        m: training examples; None ("online"): every example is new.
        init: the first weights, ``dense`` or ``sparse`` (a 1 on two random inputs of each neuron, 0 on the others).
        lr: learning rate.
        steps: how many each network takes.
        first: the first of the ten seeds.
        slow: whether the training pauses between two pictures, so that one can follow.

    >>> from glassware.play.settings import Settings
    >>> [run.seed for run in Settings(width=30, first=20).runs()][:3]
    [20, 21, 22]
    """

    n: Annotated[int, Field(ge=2, le=200)] = 50
    k: Annotated[int, Field(ge=1, le=6)] = 3
    width: Annotated[int, Field(ge=1, le=1000)] = 10
    m: Annotated[int, Field(ge=1, le=1_000_000)] | None = 2000
    init: Literal["dense", "sparse"] = "dense"
    lr: Annotated[float, Field(ge=1e-4, le=10)] = 0.1
    steps: Annotated[int, Field(ge=100, le=50_000)] = 6000
    first: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    slow: bool = True

    @field_validator("m", mode="before")
    @classmethod
    def _online(cls, m: object) -> object:
        if isinstance(m, str) and not m.isdecimal():
            if m != "online":
                raise ValueError(f"m must be a number of examples, or online, not {short(m)}")
            return None
        return m

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.k > self.n:
            raise ValueError(f"k must be at most n: k = {self.k}, n = {self.n}")
        if self.init == "sparse" and self.n < 3:
            raise ValueError("n must be at least 3 where every neuron starts with two of the inputs")
        work = self.n * self.width * self.steps
        if work > MOST_WORK:
            raise ValueError(
                f"this would take minutes: n × width × steps may be {MOST_WORK:,}, and is {work:,}; lower one of them"
            )
        return self

    def runs(self) -> list[Run]:
        """The ten runs. They go on after they succeed, so that one sees what becomes of the weights."""
        base = Run(
            task=Parity(n=self.n, k=self.k),
            m=self.m,
            model=MLP(width=self.width),
            init=Init(scheme=self.init),
            optimiser=SGD(lr=self.lr, weight_decay=0.01),
            steps=self.steps,
            evaluation=Evaluation(
                every=max(1, self.steps // EXAMINATIONS),
                test=TEST,
                train=0 if self.m is None else min(TRAIN, self.m),
                stop=False,
            ),
        )
        return [base.model_copy(update={"seed": self.first + i}) for i in range(SEEDS)]


def read(given: object) -> Settings:
    """Settings from what a page sends, or a sentence about what is wrong with it."""
    if not isinstance(given, Mapping):
        raise SpecificationError("settings are names with values")
    return Settings(**{str(name): value for name, value in given.items()})


@dataclass(frozen=True)
class Preset:
    """Settings that show something, with the question and the sentence on what to see."""

    name: str
    see: str
    settings: Settings


PRESETS = (
    Preset(
        "Narrow",
        "Ten networks of 10 neurons that differ only in their seed. Some find the three inputs, the others do not: "
        "luck.",
        Settings(),
    ),
    Preset(
        "Narrow, endless data",
        "Does more data help? Now every example is new, and it is still luck: data are not what a narrow network "
        "lacks.",
        Settings(m=None),
    ),
    Preset(
        "Wide",
        "The same 2,000 examples, 300 neurons: almost every network learns. Width buys luck.",
        Settings(width=300),
    ),
    Preset(
        "Wide, little data",
        "Half of the data. All learn it by heart (the gray line reaches 0), and hardly any does better than a coin on "
        "new examples.",
        Settings(width=300, m=1000),
    ),
    Preset(
        "Wide and sparse, little data",
        "The same 1,000 examples; each neuron starts with a 1 on two random inputs and 0 elsewhere. Now about half of "
        "them learn: sparse starts buy data.",
        Settings(width=300, m=1000, init="sparse"),
    ),
    Preset(
        "Grokking",
        "20 inputs, 300 examples. The training error falls at once: learned by heart. Long after, the test error does: "
        "understood.",
        Settings(n=20, width=100, m=300),
    ),
)
