"""A part of a study's runs: those whose fields have given values, as ``task.n=200``.

The runs are those of the study, with its ids, so that a large grid can be trained part by part into one store. A part
is trained and not judged: whoever wants verdicts reproduces the study, which then trains what no part has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any, TypeAlias

import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.foundation.explain import short
from glassware.foundation.part import dotted
from glassware.studies.changed import parse_value
from glassware.studies.claim import Scale
from glassware.studies.study import Rounds, Stage, Study
from glassware.training import Run

ONLINE, MISSING = "online", object()
Values: TypeAlias = Mapping[str, Collection[Any]]


def part(study: Study, values: Values) -> Study:
    """The study of only the runs whose fields, by dotted name, have one of these values; nothing of it is computed."""
    if not values:
        return study
    if not study.stages:
        raise GlasswareError(f"{study.name} is computed, not trained: it has no runs to take a part of")
    wanted = {name: tuple(given) for name, given in values.items()}
    return replace(study, stages=tuple(_stage(stage, wanted) for stage in study.stages), compute=None, parts=None)


def parse_part(given: Iterable[str]) -> dict[str, list[Any]]:
    """``model.width=10,30`` and the like, as fields and the values that they may have."""
    found: dict[str, list[Any]] = {}
    for one in given:
        name, equals, text = one.partition("=")
        texts = [value.strip() for value in text.split(",")]
        if not equals or not name.strip() or not all(texts):
            raise GlasswareError(f"a part is written FIELD=VALUE,VALUE, as model.width=10,30, not {short(one)}")
        found.setdefault(name.strip(), []).extend(parse_value(value) for value in texts)
    return found


def _stage(stage: Stage, wanted: Values) -> Stage:
    if isinstance(stage, Rounds):
        return Rounds(_stage(stage.stage, wanted))

    @wraps(stage)
    def runs(scale: Scale, seeds: int | None, rows: pl.DataFrame) -> list[Run]:
        made = stage(scale, seeds, rows)
        if not isinstance(made, list | tuple):  # refused by whoever asked for it
            return made
        for name in wanted:
            if made and all(_value(run, name) is MISSING for run in made):
                known = ", ".join(dict(dotted(made[0].model_dump())))
                raise GlasswareError(f"no run has a field '{name}'; its fields are {known}")
        return [run for run in made if all(_value(run, name) in values for name, values in wanted.items())]

    return runs


def _value(run: Run, name: str) -> Any:
    """A field by its dotted name; nothing that any value equals where the run has none."""
    value: Any = run
    for one in name.split("."):
        if one not in getattr(type(value), "model_fields", ()):
            return MISSING
        value = getattr(value, one)
    return ONLINE if name == "m" and value is None else value
