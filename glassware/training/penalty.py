"""Penalties: what the objective adds to the loss for the size of the parameters."""

from __future__ import annotations

from abc import abstractmethod
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from glassware.foundation.backend import jnp
from glassware.foundation.bounds import NotNegative
from glassware.foundation.part import Part
from glassware.models.model import Model, Params, named_leaves

if TYPE_CHECKING:
    from jax import Array

Power = Annotated[float, Field(ge=0.01, le=64)]


class Penalty(Part):
    """A term of the objective. Its ``weight`` lambda is a lane value, everything else is compiled in."""

    name: str
    weight: NotNegative

    lane: ClassVar = {"weight": 0.0}

    @abstractmethod
    def size(self, model: Model, params: Params) -> Array | float:
        """What is multiplied by the weight."""

    def check(self, model: Model) -> None:
        """Raise a ValueError of one sentence if the penalty does not fit the model."""


class L2(Penalty):
    """lambda times the sum of squares of the leaves whose names match, as ``*`` (all), ``0.*``, ``*.w``.

    >>> import glassware as gw
    >>> run = gw.Run(task=gw.Parity(n=50, k=3), model=gw.MLP(width=100), penalty=(gw.L2(weight=0.01, leaves="0.*"),))
    >>> run.penalty[0].weight
    0.01
    """

    name: Literal["l2"] = "l2"
    leaves: str = "*"

    def size(self, model: Model, params: Params) -> Array | float:
        return sum(jnp.sum(leaf**2) for name, leaf in named_leaves(params).items() if fnmatchcase(name, self.leaves))


class L1(Penalty):
    """lambda times the sum of absolute values of the leaves whose names match.

    >>> import glassware as gw
    >>> gw.L1(weight=0.01, leaves="*.w").name
    'l1'
    """

    name: Literal["l1"] = "l1"
    leaves: str = "*"

    def size(self, model: Model, params: Params) -> Array | float:
        found = named_leaves(params).items()
        return sum(jnp.sum(jnp.abs(leaf)) for name, leaf in found if fnmatchcase(name, self.leaves))


class MixedNorm(Penalty):
    """lambda ||theta||_{a,b}^r: the b-norm over neurons of the a-norm of everything that belongs to a neuron.

    With r = b it is lambda times the sum over neurons of ||omega_i||_a^b. A neuron of length 0 has gradient 0.

    Attributes:
        inner: a.
        outer: b.
        power: r; b unless given.

    >>> import glassware as gw
    >>> gw.MixedNorm(weight=0.01, inner=2, outer=1).name
    'mixed-norm'
    """

    name: Literal["mixed-norm"] = "mixed-norm"
    inner: Power = 2.0
    outer: Power
    power: Power | None = None

    def size(self, model: Model, params: Params) -> Array | float:
        neurons = jnp.abs(model.neurons(params))
        safe = jnp.where(neurons > 0, neurons, 1.0)  # a power below 1 has no slope at 0
        sums = jnp.sum(jnp.where(neurons > 0, safe**self.inner, 0.0), axis=1)
        lengths = jnp.where(sums > 0, jnp.where(sums > 0, sums, 1.0) ** (self.outer / self.inner), 0.0)
        total = jnp.sum(lengths)
        power = (self.power or self.outer) / self.outer
        return total if power == 1 else jnp.where(total > 0, jnp.where(total > 0, total, 1.0) ** power, 0.0)

    def check(self, model: Model) -> None:
        if type(model).neurons is Model.neurons or len(model.widths) > 1:
            raise ValueError(f"the penalty '{self.name}' needs a model whose neurons are known, not '{model.name}'")


AnyPenalty: TypeAlias = Annotated[L1 | L2 | MixedNorm, Field(discriminator="name")]
