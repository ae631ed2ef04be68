"""Fields of a specification that hold a member of a registry: a model, a task."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, TypeAlias, Union

from pydantic import Field, PlainValidator, SerializeAsAny, TypeAdapter

from glassware.foundation.part import Part
from glassware.models import MODELS, KernelRidge, Model
from glassware.tasks import TASKS, Task


def _registered(role: str, registry: Mapping[str, type[Part]], usual: str) -> PlainValidator:
    """Accepts a member of a registry, or its plain data: the usual member's unless they name another."""

    def validate(given: object) -> Part:
        data = {"name": usual, **given} if isinstance(given, Mapping) else given
        if isinstance(data, dict) and isinstance(data["name"], str) and data["name"] not in registry:
            names = ", ".join(map(repr, registry))
            own = "one of your own is made known by gw.register, or by --parts FILE"
            raise ValueError(f"{role}.name must be one of {names}, not {data['name']!r}; {own}")
        if isinstance(given, Part) and type(given) not in registry.values():  # perhaps a subclass of one that is
            raise ValueError(f"{type(given).__name__} is not registered: gw.register it first")
        return _adapter(tuple(registry.values())).validate_python(data)

    return PlainValidator(validate)


@lru_cache
def _adapter(members: tuple[type[Part], ...]) -> TypeAdapter[Part]:
    """A validator that tells the members of a registry apart by their name."""
    if len(members) == 1:  # pydantic discriminates only between two or more
        return TypeAdapter(members[0])
    union: Any = Annotated[Union[members], Field(discriminator="name")]  # noqa: UP007
    return TypeAdapter(union)


AnyModel: TypeAlias = Annotated[SerializeAsAny[Model | KernelRidge], _registered("model", MODELS, "mlp")]
AnyTask: TypeAlias = Annotated[SerializeAsAny[Task], _registered("task", TASKS, "parity")]
