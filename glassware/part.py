"""What a run is made of: frozen, validated parts that know which of their fields change the compiled program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self, TypeAlias

from pydantic import BaseModel, ConfigDict

Values: TypeAlias = dict[str, Any]  # lane values of a run (NumPy): traced, one entry a lane


def dotted(plain: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of a plain specification with their values; those of a part as in a sweep file: ``model.width``."""
    for name, value in plain.items():
        if isinstance(value, Mapping):
            yield from dotted(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


class Part(BaseModel):
    """A frozen piece of a run's specification.

    ``lane`` names the fields that are lane values, each with a neutral stand-in. Every other field is part of the
    shape: it is compiled in. Two runs whose ``shape()`` is equal train side by side in one program.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True)

    lane: ClassVar[Mapping[str, Any]] = {}

    def shape(self) -> Self:
        """This part with every lane value replaced by its stand-in: equal for runs that share a compiled program."""
        update = dict(self.lane)
        for field in type(self).model_fields:
            value = getattr(self, field)
            if field not in update and isinstance(value, Part):
                update[field] = value.shape()
        return self.model_copy(update=update)

    def canonical(self) -> dict[str, Any]:
        """The resolved specification, names kept, defaults left out so that a new field keeps old ids."""
        plain: dict[str, Any] = {}
        for field, info in type(self).model_fields.items():
            value = getattr(self, field)
            if isinstance(value, Part):
                plain[field] = value.canonical()
            elif field == "name" or value != info.default:
                plain[field] = value
        return plain
