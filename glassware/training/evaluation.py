"""When and how a run is examined, and what counts as success."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from glassware.foundation.backend import jnp
from glassware.foundation.part import Part, check_known
from glassware.training.objective import METRICS

if TYPE_CHECKING:
    from jax import Array

LAST = 2**31 - 512  # the step does not grow past this one, so that none overflows


class Evaluation(Part):
    """When and how a run is examined.

    Attributes:
        every: steps between evaluations.
        growth: if given, the step of an evaluation grows by this factor from one to the next (1.1: about 24 per
            decade), rounded down to multiples of ``every`` and always by at least ``every``.
        test: size of the held-out sample (one fixed sample for all runs of a task; where the domain is finite, what
            training does not use, or all of it when training uses all).
        train: if positive, training metrics are measured on the first ``train`` examples of the sample (all of them
            when m is smaller); if 0 they are averages over the minibatches since the last evaluation.
        screen: if positive, this many of the test examples are looked at first, and the others only when the error on
            these is at most twice ``success``; a hopeless run then costs a fraction of a full examination.
        metrics: further metrics (see ``METRICS``) beside the measure of success.
        measure: the metric, or the column of a curve probe, by which a run succeeds; the task's usual one unless given.
        direction: whether success is a measure ``below`` the threshold or ``above`` it (or at it); as the metric says
            unless given.
        success: the threshold: a run succeeds at the first evaluation whose measure reaches it.
        stop: whether a run ends when it succeeds.

    >>> import glassware as gw
    >>> gw.Evaluation(every=50, test=2000, success=0.05).stop
    True
    """

    every: Annotated[int, Field(ge=1)] = 100
    growth: Annotated[float, Field(ge=1.001, le=1000)] | None = None
    test: Annotated[int, Field(ge=1, le=10_000_000)] = 10_000
    train: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    screen: Annotated[int, Field(ge=0)] = 0
    metrics: tuple[str, ...] = ()
    measure: str | None = None
    direction: Literal["below", "above"] | None = None
    success: Annotated[float, Field(ge=-1e30, le=1e30)] = 0.1
    stop: bool = True

    lane: ClassVar = {"success": 0.1, "stop": True}
    column: ClassVar = {"test": "test_size", "train": "train_size", "success": "success_at"}

    @field_validator("metrics", mode="after")
    @classmethod
    def _known(cls, metrics: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted({check_known("metric", metric, METRICS) for metric in metrics}))

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.screen >= self.test:
            raise ValueError(f"evaluation.screen must be below evaluation.test = {self.test}, not {self.screen}")
        if self.measure is None and self.direction is None and not 0 <= self.success <= 1:
            raise ValueError(f"evaluation.success must be an error between 0 and 1, not {self.success}")
        return self

    def next(self, t: Array) -> Array:
        """The step (traced) of the evaluation after the one at step t."""
        rounds = t // self.every + 1
        if self.growth is not None:
            grown = jnp.minimum((t // self.every) * self.growth, LAST // self.every)
            rounds = jnp.maximum(rounds, grown.astype(jnp.int32))
        return rounds * self.every

    def nearest(self, step: int, last: int) -> int:
        """The step nearest to this one at which a run of ``last`` steps is examined."""
        if self.growth is None:
            return min(self.every * round(step / self.every), last)
        return min([0, *self.steps(last)], key=lambda other: abs(other - step))

    def rounds(self, steps: float) -> float:
        """How many evaluations a run of so many steps has, the first one apart."""
        return steps / self.every if self.growth is None else float(sum(1 for _ in self.steps(steps)))

    def steps(self, last: float) -> Iterator[int]:
        """The steps of the evaluations after the first one, up to ``last``, as ``next`` has them."""
        t, last = 0, math.ceil(last)
        while t < last:
            rounds = t // self.every + 1
            if self.growth is not None:  # one float32 product, as on the device: the same on any
                grown = np.float32(t // self.every) * np.float32(self.growth)
                rounds = max(rounds, int(min(grown, np.float32(LAST // self.every))))
            t = min(rounds * self.every, last)
            yield t
