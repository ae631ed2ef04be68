"""What networks with a choice of activation share."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from glassware.foundation.arrays import Array, Float
from glassware.foundation.part import check_known
from glassware.models.activations import ACTIVATIONS
from glassware.models.model import Model

Degree = Annotated[int, Field(ge=1, le=64)]


class Activated(Model):
    """A network with one activation function sigma.

    Attributes:
        activation: the name of sigma (see ``ACTIVATIONS``).
        degree: k of the activations that need one (``power``: z^k); for a parity of k coordinates, its k.
    """

    activation: str = "relu"
    degree: Degree | None = None

    @field_validator("activation", mode="after")
    @classmethod
    def _known(cls, activation: str) -> str:
        return check_known("activation", activation, ACTIVATIONS)

    @model_validator(mode="after")
    def _degree_where_needed(self) -> Self:
        if ACTIVATIONS[self.activation].degree and self.degree is None:
            raise ValueError(f"the activation '{self.activation}' needs a degree: give model.degree")
        if self.degree is not None and not ACTIVATIONS[self.activation].degree:
            raise ValueError(f"the activation '{self.activation}' has no degree: leave model.degree out")
        return self

    def sigma(self, z: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """The activation of z, entry by entry."""
        return ACTIVATIONS[self.activation].function(z, self.degree)

    @property
    def wave(self) -> tuple[float, float] | None:
        """(a, c) where sigma(z) = sin(a z + c), else None."""
        found = ACTIVATIONS[self.activation].wave
        return None if found is None or self.degree is None else found(self.degree)
