"""Schedules: the factor on the learning rate at each step.

Not Optax's own: theirs take Python numbers, and these are lane values.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field

from glassware.foundation.arrays import LaneValues
from glassware.foundation.backend import jnp
from glassware.foundation.part import Part, Values

if TYPE_CHECKING:
    from jax import Array

Steps = Annotated[int, Field(ge=1, lt=2**31)]


class Schedule(Part):
    """How the learning rate changes with the step t = 0, 1, .."""

    name: str

    column: ClassVar = {"steps": "schedule_steps", "every": "schedule_every", "at": "schedule_at"}

    def values(self) -> Values:
        return {field: np.float32(getattr(self, field)) for field in self.lane}

    @abstractmethod
    def factor(self, values: LaneValues, t: Array | int) -> Array | float:
        """What the learning rate is multiplied by at step t."""


class Constant(Schedule):
    """The learning rate stays as it is."""

    name: Literal["constant"] = "constant"

    def factor(self, values: LaneValues, t: Array | int) -> Array | float:
        return 1.0


class Cosine(Schedule):
    """Half a cosine from 1 down to ``floor`` over ``steps``, after a linear rise over the first ``warm_up`` steps.

    >>> import glassware as gw
    >>> gw.SGD(lr=0.1, schedule=gw.Cosine(steps=1000, warm_up=100)).schedule.floor
    0.0
    """

    name: Literal["cosine"] = "cosine"
    steps: Steps
    warm_up: Annotated[int, Field(ge=0, lt=2**31)] = 0
    floor: Annotated[float, Field(ge=0, le=1)] = 0.0

    lane: ClassVar = {"steps": 1, "warm_up": 0, "floor": 0.0}

    def factor(self, values: LaneValues, t: Array | int) -> Array | float:
        done = jnp.clip((t - values["warm_up"]) / jnp.maximum(values["steps"] - values["warm_up"], 1.0), 0.0, 1.0)
        fall = values["floor"] + (1.0 - values["floor"]) * 0.5 * (1.0 + jnp.cos(np.pi * done))
        return fall * _rise(values, t)


class WarmUp(Schedule):
    """A linear rise from 0 over the first ``warm_up`` steps, then constant.

    >>> import glassware as gw
    >>> gw.SGD(lr=0.1, schedule=gw.WarmUp(warm_up=100)).schedule.name
    'warm-up'
    """

    name: Literal["warm-up"] = "warm-up"
    warm_up: Steps

    lane: ClassVar = {"warm_up": 1}

    def factor(self, values: LaneValues, t: Array | int) -> Array | float:
        return _rise(values, t)


class Doubling(Schedule):
    """Times ``by`` at each of the steps ``at``.

    >>> import glassware as gw
    >>> gw.SGD(lr=0.1, schedule=gw.Doubling(at=(1000, 2000))).schedule.by
    2.0
    """

    name: Literal["doubling"] = "doubling"
    at: Annotated[tuple[Steps, ...], Field(min_length=1)]
    by: Annotated[float, Field(ge=1e-6, le=1e6)] = 2.0

    def shape(self) -> Doubling:
        """The steps and the factor are lane values; how many there are is compiled in."""
        return self.model_copy(update={"at": (1,) * len(self.at), "by": 2.0})

    def values(self) -> Values:
        return {"at": np.array(self.at, np.int32), "by": np.float32(self.by)}

    def factor(self, values: LaneValues, t: Array | int) -> Array | float:
        return values["by"] ** jnp.sum(t >= values["at"])


class Inverse(Schedule):
    """1 / (t + 1). With weight decay lambda and rate 1 / lambda: the usual steps on a strongly convex objective."""

    name: Literal["inverse"] = "inverse"

    def factor(self, values: LaneValues, t: Array | int) -> Array | float:
        return 1.0 / (t + 1.0)


def _rise(values: LaneValues, t: Array | int) -> Array | float:
    return jnp.minimum(1.0, (t + 1.0) / jnp.maximum(values["warm_up"], 1.0))


AnySchedule: TypeAlias = Annotated[Constant | Cosine | WarmUp | Doubling | Inverse, Field(discriminator="name")]
