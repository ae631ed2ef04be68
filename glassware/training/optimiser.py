"""Optimisers: Optax transformations whose hyperparameters are lane values."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias, cast

import numpy as np
from pydantic import Field

from glassware.foundation.arrays import LaneValues
from glassware.foundation.backend import jax, jnp, optax
from glassware.foundation.bounds import Fraction, NotNegative, Positive
from glassware.foundation.part import Part, Values
from glassware.models.model import Params
from glassware.training.schedule import AnySchedule, Constant

if TYPE_CHECKING:
    from jax import Array

WHERE_GIVEN = {"momentum": 0.0, "truncation": 1.0}  # fields of SGD that are lane values where they are given


class Optimiser(Part):
    """What all optimisers share.

    Attributes:
        lr: learning rate.
        weight_decay: lambda.
        decayed: names of the arrays that decay, as ``*`` (all), ``0.*`` (the first layer) or ``*.w``.
        layer_rates: factors on the learning rate (and so on the decay) of each layer, first to last.
        schedule: factor on the learning rate (and so on the decay) at each step.
        clip: largest norm of the gradient over all arrays together; a longer one is scaled down to it.
    """

    lr: NotNegative
    weight_decay: NotNegative = 0.0
    decayed: Annotated[tuple[str, ...], Field(min_length=1)] = ("*",)
    layer_rates: tuple[NotNegative, ...] | None = None
    schedule: AnySchedule = Constant()
    clip: Positive | None = None

    lane: ClassVar = {"lr": 0.0, "weight_decay": 0.0}

    def shape(self) -> Self:
        """Layer rates and clipping are lane values when there are any; whether there are is compiled in."""
        rates = None if self.layer_rates is None else (1.0,) * len(self.layer_rates)
        clip = None if self.clip is None else 1.0
        return super().shape().model_copy(update={"layer_rates": rates, "clip": clip})

    def columns(self, role: str) -> dict[str, Any]:
        """Only runs that clip have a column for it."""
        found = super().columns(role)
        return found if self.clip is not None else {name: value for name, value in found.items() if name != "clip"}

    def values(self) -> Values:
        scalars = {name: np.float32(getattr(self, name)) for name in self.lane}
        rates = {} if self.layer_rates is None else {"layer_rates": np.array(self.layer_rates, np.float32)}
        clip = {} if self.clip is None else {"clip": np.float32(self.clip)}
        return {**scalars, **rates, **clip, "schedule": self.schedule.values()}

    def transform(self, values: LaneValues, t: Array | int) -> optax.GradientTransformation:
        """The Optax transformation of step ``t`` with these (traced) hyperparameters."""
        if not isinstance(self.schedule, Constant):
            values = {**values, "lr": values["lr"] * self.schedule.factor(cast(LaneValues, values["schedule"]), t)}
        body = self._body(values)
        if self.clip is not None:
            body = optax.chain(optax.clip_by_global_norm(values["clip"]), body)
        if self.layer_rates is None:
            return body
        return optax.chain(body, _scale_layers(values["layer_rates"]))

    def _body(self, values: LaneValues) -> optax.GradientTransformation:
        raise NotImplementedError

    def _mask(self) -> Callable[[Params], tuple[dict[str, bool], ...]] | None:
        """Which leaves decay, for Optax; None: all."""
        if self.decayed == ("*",):
            return None
        takes = lambda leaf: any(fnmatchcase(leaf, pattern) for pattern in self.decayed)
        return lambda params: tuple({name: takes(f"{i}.{name}") for name in layer} for i, layer in enumerate(params))


class SGD(Optimiser):
    """Gradient descent with coupled weight decay: theta <- theta - lr (g + lambda theta), then heavy-ball momentum.

    Attributes:
        momentum: of the heavy ball.
        truncation: gamma; entries of g of this size or less count as 0.

    >>> import glassware as gw
    >>> gw.SGD(lr=0.1, weight_decay=0.01, momentum=0.9).name
    'sgd'
    """

    name: Literal["sgd"] = "sgd"
    momentum: Fraction | None = None
    truncation: Positive | None = None

    def shape(self) -> Self:
        """Momentum and truncation are lane values when there are any; without momentum no velocity is kept."""
        given = {name: None if getattr(self, name) is None else stand_in for name, stand_in in WHERE_GIVEN.items()}
        return super().shape().model_copy(update=given)

    def values(self) -> Values:
        given = {name: np.float32(getattr(self, name)) for name in WHERE_GIVEN if getattr(self, name) is not None}
        return {**super().values(), **given}

    def _body(self, values: LaneValues) -> optax.GradientTransformation:
        momentum = None if self.momentum is None else values["momentum"]
        decay = optax.add_decayed_weights(values["weight_decay"], self._mask())
        steps = [decay, optax.sgd(values["lr"], momentum=momentum)]
        return optax.chain(*([] if self.truncation is None else [_truncate(values["truncation"])]), *steps)


class Adam(Optimiser):
    """Adam; weight decay is coupled (added to the gradient), as in torch.optim.Adam.

    >>> import glassware as gw
    >>> gw.Adam(lr=0.001, schedule=gw.Cosine(steps=1000)).schedule.name
    'cosine'
    """

    name: Literal["adam"] = "adam"
    b1: Fraction = 0.9
    b2: Fraction = 0.999
    eps: Positive = 1e-8

    lane: ClassVar = {"lr": 0.0, "weight_decay": 0.0, "b1": 0.9, "b2": 0.999, "eps": 1e-8}

    def _body(self, values: LaneValues) -> optax.GradientTransformation:
        adam = optax.adam(values["lr"], b1=values["b1"], b2=values["b2"], eps=values["eps"])
        return optax.chain(optax.add_decayed_weights(values["weight_decay"], self._mask()), adam)


class AdamW(Adam):
    """Adam with decoupled weight decay.

    >>> import glassware as gw
    >>> gw.AdamW(lr=0.001, weight_decay=0.1).name
    'adamw'
    """

    name: Literal["adamw"] = "adamw"  # type: ignore[assignment]

    def _body(self, values: LaneValues) -> optax.GradientTransformation:
        betas = {name: values[name] for name in ("b1", "b2", "eps")}
        return optax.adamw(values["lr"], **betas, weight_decay=values["weight_decay"], mask=self._mask())


AnyOptimiser: TypeAlias = Annotated[SGD | Adam | AdamW, Field(discriminator="name")]


def _scale_layers(rates: Array) -> optax.GradientTransformation:
    """Multiply layer i's update by rates[i]; parameters are a tuple with one entry per layer."""

    def update(
        updates: Params, state: optax.EmptyState, params: Params | None = None
    ) -> tuple[Params, optax.EmptyState]:
        return tuple(jax.tree.map(lambda u, i=i: u * rates[i], layer) for i, layer in enumerate(updates)), state

    return optax.GradientTransformation(lambda params: optax.EmptyState(), update)


def _truncate(gamma: Array) -> optax.GradientTransformation:
    """Entries of magnitude gamma or less become 0, the others stay."""

    def update(
        updates: Params, state: optax.EmptyState, params: Params | None = None
    ) -> tuple[Params, optax.EmptyState]:
        return jax.tree.map(lambda u: jnp.where(jnp.abs(u) > gamma, u, 0.0), updates), state

    return optax.GradientTransformation(lambda params: optax.EmptyState(), update)
