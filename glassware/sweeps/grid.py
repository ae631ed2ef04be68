"""Grids and zips: many runs from one."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from glassware.foundation.errors import GlasswareError
from glassware.foundation.explain import short
from glassware.foundation.limits import DEEPEST, check_counts, check_depth, check_runs
from glassware.foundation.part import Part
from glassware.models import MODELS
from glassware.sweeps.validation import build
from glassware.tasks import TASKS
from glassware.training import Run

Axes: TypeAlias = Mapping[str, Iterable[object]]  # the values of each field
Plain: TypeAlias = dict[str, Any]  # a specification as plain data

# An axis into a part that was not given varies the run's own default: "optimiser.lr" keeps its name and weight decay.
DEFAULTS = {field: info.default for field, info in Run.model_fields.items() if isinstance(info.default, Part)}


def grid(
    base: Run | Mapping[str, object], axes: Axes | None = None, *, zips: Sequence[Axes] = (), seeds: int | None = None
) -> list[Run]:
    """Every combination of the axes, applied to a base run.

    Args:
        base: the run to vary, or the plain data of one.
        axes: dotted field to values, as ``{"m": [300, "online"], "model.width": [10, 100]}``. A value may be a whole
            part: ``{"init": [Init(), Init(scheme="sparse")]}``.
        zips: groups of axes that move together; each group counts as one axis.
        seeds: if given, seeds 0, 1, .. of every combination.

    >>> import glassware as gw
    >>> base = gw.Run(task=gw.Parity(n=50, k=3), model=gw.MLP(width=100))
    >>> len(gw.grid(base, {"m": [300, "online"], "model.width": [10, 100, 1000]}, seeds=8))
    48
    """
    data = plain(base)
    together: list[list[Plain]] = []
    together += [[{field: value} for value in _listed(field, values)] for field, values in (axes or {}).items()]
    together += [zip_axes(group) for group in zips if group]
    check_counts(seeds=seeds)
    check_runs([seeds or 1, *map(len, together)], "the grid")
    runs: list[Run] = []
    for combination in itertools.product(*together):
        changed = _copy(data)
        for assignment in combination:
            for field, value in assignment.items():
                _assign(changed, field, value)
        run = build(changed)
        # Nothing is checked against the seed: one validation serves them all, and they share their parts.
        runs += [run] if seeds is None else [run.model_copy(update={"seed": seed}) for seed in range(seeds)]
    return runs


def zip_axes(axes: Axes) -> list[Plain]:
    """Axes of one length, side by side."""
    columns = {field: list(_listed(field, values)) for field, values in axes.items()}
    lengths = {field: len(values) for field, values in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{field!r} has {length}" for field, length in lengths.items())
        raise GlasswareError(f"axes of a zip must have the same length: {listed}")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _listed(field: str, values: object) -> Iterable[object]:
    """The values of an axis; refuses a lone one, and a field of a part that is not named with it."""
    if isinstance(values, str | Mapping | Part) or not isinstance(values, Iterable):
        raise GlasswareError(f"axis {field!r} must be a list of values, not {short(values)}")
    if field.count(".") > DEEPEST:
        raise GlasswareError(f"axis {short(field)} is nested more than {DEEPEST} deep")
    first = field.split(".")[0]
    if first not in Run.model_fields:
        owners = {"task": TASKS.values(), "model": MODELS.values()}
        parts = {name: {type(part)} for name, part in DEFAULTS.items()} | owners
        near = [name for name, classes in parts.items() if any(first in one.model_fields for one in classes)]
        if near:
            raise GlasswareError(f"axis {field!r}: a run has no such field; did you mean '{near[0]}.{field}'?")
    return values


def plain(base: Run | Mapping[str, object]) -> Plain:
    """A run as plain data, only the fields that were given, so that changing one does not meet another's default."""
    if isinstance(base, Run):
        return _given(base)
    check_depth(base)
    return _copy(base)


def _given(part: Part) -> Plain:
    """The fields of a part that were given, and its name always: it tells which member of a union the part is."""
    values = {f: getattr(part, f) for f in type(part).model_fields if f == "name" or f in part.model_fields_set}
    return {field: _given(value) if isinstance(value, Part) else value for field, value in values.items()}


def _copy(data: Mapping[str, object]) -> Plain:
    return {key: _copy(value) if isinstance(value, Mapping) else value for key, value in data.items()}


def _assign(data: Plain, field: str, value: object) -> None:
    *parents, last = field.split(".")
    for parent in parents:
        inner = data.get(parent, DEFAULTS.get(parent))
        if isinstance(inner, Part):
            inner = _given(inner)
        if inner is not None and not isinstance(inner, dict):
            raise GlasswareError(f"axis {field!r}: {parent!r} is {short(inner)}, which has no fields")
        data[parent] = dict(inner or {})
        data = data[parent]
    data[last] = _given(value) if isinstance(value, Part) else value


def change(run: Run, fields: Mapping[str, object]) -> Run:
    """The run with some fields changed, by dotted name; everything else stays."""
    data = plain(run)
    for field, value in fields.items():
        _listed(field, [value])
        _assign(data, field, value)
    return build(data)
