"""What a run is made of: frozen, validated parts that know which of their fields change the compiled program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeAlias, Union, cast

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, TypeAdapter, ValidationError, model_validator

from glassware.foundation.errors import SpecificationError
from glassware.foundation.explain import explain, short

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)  # Pydantic has no public name for it

_SURROGATE = re.compile("[\ud800-\udfff]")
Values: TypeAlias = dict[str, Any]  # lane values of a run (NumPy): traced, one entry per lane


def dotted(plain: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of a plain specification with their values; those of a part as in a sweep file: ``model.width``."""
    for name, value in plain.items():
        if isinstance(value, Mapping):
            yield from dotted(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def check_known(kind: str, name: str, registry: Mapping[str, Any]) -> str:
    """The name, or a sentence about which ones a registry has."""
    if name not in registry:
        raise ValueError(f"unknown {kind} {name!r}; known: {', '.join(registry)}")
    return name


class PartType(ModelMetaclass):
    """The type of parts: calling one makes a part, or says in one sentence why there is none.

    Not ``__init__``: Pydantic would call that for every part within another, too, and it is the outermost that says
    where the mistake is. Copies and pickles do not come this way.
    """

    def __call__(cls, *args: Any, **fields: Any) -> Any:  # noqa: N805 (an instance of this type is a class)
        try:
            return super().__call__(*args, **fields)
        except ValidationError as error:
            raise SpecificationError(explain(error, cast("type[Part]", cls))) from None


class Part(BaseModel, metaclass=PartType):
    """A frozen piece of a run's specification.

    ``lane`` names the fields that are lane values, each with a neutral stand-in. Every other field is part of the
    shape: it is compiled in. Two runs whose ``shape()`` is equal train side by side in one program.

    ``column`` renames fields in the table of results; a field mapped to ``""`` has no column.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True)

    lane: ClassVar[Mapping[str, Any]] = {}
    column: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="after")
    def _said_in_utf8(self) -> Self:
        """Half a character, as a terminal may give, could be hashed but not be written."""
        for field, value in self.__dict__.items():
            for text in value if isinstance(value, tuple) else (value,):
                if isinstance(text, str) and not text.isascii() and _SURROGATE.search(text):
                    raise ValueError(f"{field} must be text in UTF-8, not {short(text)}")
        return self

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
            if field == "name":
                plain[field] = value
            elif value == info.default:
                continue
            elif isinstance(value, Part):
                plain[field] = value.canonical()
            elif isinstance(value, tuple) and isinstance(value[0], Part):
                plain[field] = [part.canonical() for part in value]
            else:
                plain[field] = value
        return plain

    def columns(self, role: str) -> dict[str, Any]:
        """What a row of the results table says about this part: one column per field.

        Args:
            role: the field that holds this part, as ``model``; the column of its ``name``.
        """
        found: dict[str, Any] = {}
        for field in type(self).model_fields:
            value, name = getattr(self, field), role if field == "name" else self.column.get(field, field)
            if isinstance(value, Part):
                found.update(value.columns(field))
            elif name:
                found[name] = value
        return found


def registered(role: str, registry: Callable[[], Mapping[str, type[Part]]], usual: str) -> PlainValidator:
    """Accepts a member of a registry, or its plain data: the usual member's unless they name another."""

    def validate(given: object) -> Part:
        members = tuple(registry().values())
        data = {"name": usual, **given} if isinstance(given, Mapping) else given
        if isinstance(data, dict) and isinstance(data["name"], str) and data["name"] not in registry():
            names = ", ".join(map(repr, registry()))
            own = "one of your own is made known by gw.register, or by --parts FILE"
            raise ValueError(f"{role}.name must be one of {names}, not {data['name']!r}; {own}")
        if isinstance(given, Part) and type(given) not in members:  # perhaps a subclass of one that is
            raise ValueError(f"{type(given).__name__} is not registered: gw.register it first")
        return _adapter(members).validate_python(data)

    return PlainValidator(validate)


@lru_cache
def _adapter(members: tuple[type[Part], ...]) -> TypeAdapter[Part]:
    """A validator that tells the members of a registry apart by their name."""
    if len(members) == 1:  # pydantic discriminates only between two or more
        return TypeAdapter(members[0])
    union: Any = Annotated[Union[members], Field(discriminator="name")]  # noqa: UP007
    return TypeAdapter(union)
