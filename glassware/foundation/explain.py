"""From Pydantic's validation errors to one sentence: the field, the value, and what would be valid."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import get_args

from pydantic import BaseModel, ValidationError

Spec = type[BaseModel]

LONG = re.compile(r"\S{100,}")  # no word of ours
FAMILIES = {"Solved": "model"}  # what a family of parts is called where that is not its class's name


def explain(error: ValidationError, root: Spec) -> str:
    """The first thing that is wrong with a specification of this class, as a sentence."""
    # A misspelt field also leaves the right one missing: name the misspelling first.
    first = min(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
    parts, owner = _path(first["loc"], root)
    name, value, kind = ".".join(parts) or root.__name__.lower(), short(first.get("input")), first["type"]
    if kind == "extra_forbidden":
        return unknown("field", parts[-1], _described(owner, ".".join(parts[:-1])), list(owner.model_fields))
    if kind == "union_tag_invalid":
        return f"{name}.name must be one of {first['ctx']['expected_tags']}, not {short(first['ctx']['tag'])}"
    if kind == "union_tag_not_found":
        return f"{name} needs a name: {_names(first['loc'], root)}"
    if kind == "missing":
        return f"{name} is missing"
    if kind == "value_error":
        return LONG.sub(lambda found: f"{found[0][:57]}...", str(first["ctx"]["error"]))
    message = first["msg"].removeprefix("Input should be ").removeprefix("Value should be ")
    return f"{name} must be {message[0].lower() + message[1:]}, not {value}"


def _names(location: tuple[int | str, ...], root: Spec) -> str:
    """The names that the parts of a field have, in the words of a sentence."""
    *above, field = [step for step in location if isinstance(step, str)]
    owner = _path(tuple(above), root)[1] if above else root
    annotation = owner.model_fields[field].annotation if field in owner.model_fields else None
    named = [one.model_fields["name"] for one in _specs_in(annotation) if "name" in one.model_fields]
    listed = dict.fromkeys(str(name) for one in named for name in get_args(one.annotation))
    return ", ".join(f"'{name}'" for name in listed) or "see the documentation of the field"


def unknown(kind: str, name: str, owner: str, valid: list[str]) -> str:
    """A sentence about a field or key that does not exist, with the nearest one that does."""
    near = difflib.get_close_matches(name, valid, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'?" if near else f"valid: {', '.join(valid)}"
    return f"unknown {kind} {short(name)} of {owner}; {hint}"


def short(value: object) -> str:
    """A value in a sentence: one line, not too long."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write integers of more than 4300 digits
        return "a number of thousands of digits"
    return text if len(text) <= 60 else text[:57] + "..."


def _described(owner: Spec, path: str) -> str:
    """What a specification is called in a sentence: ``optimiser 'sgd'``, ``init``, ``run``."""
    *_, family, _part, _base = (base for base in owner.__mro__ if issubclass(base, BaseModel))
    named = owner.model_fields.get("name")
    kind = path or ("" if named and family is owner else FAMILIES.get(family.__name__, family.__name__.lower()))
    return f"{kind} {named.default!r}".lstrip() if named else kind


def _path(location: tuple[int | str, ...], root: Spec) -> tuple[list[str], Spec]:
    """Field names along an error's location (union tags left out), and the specification that owns the last one."""
    parts: list[str] = []
    owners, owner = [root], root
    for step in location:
        tagged = [o for o in owners if "name" in o.model_fields and step in get_args(o.model_fields["name"].annotation)]
        if tagged and len(owners) > 1:
            owners = tagged
            continue
        holder = next((o for o in owners if step in o.model_fields), None)
        if holder is not None:
            parts.append(str(step))
            owner = holder
            owners = list(_specs_in(holder.model_fields[str(step)].annotation))
        elif owners and step is location[-1]:
            parts.append(str(step))
            owner = owners[-1]  # of two with one name the one defined last: a notebook's cell run again
    return parts, owner


def _specs_in(annotation: object) -> Iterator[Spec]:
    """The specifications that a field may hold: the classes of its annotation and all that inherit from them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for child in annotation.__subclasses__():
            yield from _specs_in(child)
    for inner in get_args(annotation):
        yield from _specs_in(inner)
