"""From the library's validation errors to one sentence: the field, the value, and what would be valid."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import get_args

from pydantic import ValidationError

from glassware.foundation.errors import GlasswareError
from glassware.foundation.part import Part
from glassware.models import MODELS, Model
from glassware.tasks import TASKS, Task
from glassware.training import Run


def build(data: Mapping[str, object], where: str = "") -> Run:
    """A run from plain data, or a GlasswareError that says in one sentence what is wrong with it."""
    try:
        return Run.model_validate(data)
    except ValidationError as error:
        raise GlasswareError(where + explain(error)) from None
    except RecursionError:
        raise GlasswareError(where + "the run is nested too deeply") from None


def explain(error: ValidationError, root: type[Part] = Run) -> str:
    """The first thing wrong, as a sentence."""
    # A misspelt key also leaves the right one missing: name the misspelling first.
    first = min(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
    parts, owner = _path(first["loc"], root)
    name, value, kind = ".".join(parts) or "run", short(first.get("input")), first["type"]
    if kind == "extra_forbidden":
        return unknown_key(parts[-1], ".".join(parts[:-1]), list(owner.model_fields))
    if kind == "union_tag_invalid":
        return f"{name}.name must be one of {first['ctx']['expected_tags']}, not {first['ctx']['tag']!r}"
    if kind == "union_tag_not_found":
        return f"{name} needs a name"
    if kind == "missing":
        return f"{name} is missing"
    if kind == "value_error":
        return str(first["ctx"]["error"])
    message = first["msg"].removeprefix("Input should be ").removeprefix("Value should be ")
    return f"{name} must be {message[0].lower() + message[1:]}, not {value}"


def unknown_key(key: str, where: str, valid: list[str]) -> str:
    """A sentence about a key that does not exist, with the nearest one that does."""
    near = difflib.get_close_matches(key, valid, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'?" if near else f"valid: {', '.join(valid)}"
    return f"unknown key {key!r}" + (f" in {where}" if where else "") + f"; {hint}"


def _path(location: tuple[int | str, ...], root: type[Part]) -> tuple[list[str], type[Part]]:
    """Field names along an error's location (union tags left out), and the part that owns the last one."""
    parts: list[str] = []
    owners = {root}
    owner = root
    for step in location:
        tagged = [o for o in owners if "name" in o.model_fields and step in get_args(o.model_fields["name"].annotation)]
        if tagged and len(owners) > 1:
            owners = set(tagged)
            continue
        holder = next((o for o in owners if step in o.model_fields), None)
        if holder is not None:
            parts.append(str(step))
            owner = holder
            owners = _parts_in(holder.model_fields[str(step)].annotation)
        elif owners and step is location[-1]:
            parts.append(str(step))
            owner = sorted(owners, key=lambda o: o.__name__)[0]
    return parts, owner


def _parts_in(annotation: object) -> set[type[Part]]:
    if annotation is Model:  # whatever is registered when it is asked
        return set(MODELS.values())
    if annotation is Task:
        return set(TASKS.values())
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return {annotation}
    return set().union(*(_parts_in(inner) for inner in get_args(annotation))) if get_args(annotation) else set()


def short(value: object) -> str:
    """A value in a sentence: one line, not too long."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write integers of more than 4300 digits
        return "a number of thousands of digits"
    return text if len(text) <= 60 else text[:57] + "..."
