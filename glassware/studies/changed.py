"""A study with some fields of all its runs changed: ``pareto/slices@optimiser.momentum=0.9``.

Its runs have ids of their own and share a store with those of the study. Its claims are judged on the changed runs, and
say so: that they still hold is not what the paper says.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.foundation.explain import short
from glassware.studies.claim import Scale
from glassware.studies.study import Rounds, Stage, Study
from glassware.sweeps import change
from glassware.training import Run

MARK = "@"  # between a study and what is changed, in its name
_PLAIN = re.compile(r"[\w.+-]+")  # what may stand in the name of a study, which is also that of a folder


def changed(study: Study, changes: Mapping[str, Any]) -> Study:
    """The study with these fields, by dotted name, set to these values in every run."""
    if not changes:
        return study
    if not study.stages:
        raise GlasswareError(f"{study.name} is computed, not trained: it has no runs to change")
    odd = next((field for field, value in changes.items() if not _PLAIN.fullmatch(f"{field}{_text(value)}")), None)
    if odd is not None:
        raise GlasswareError(f"{odd} can be set to a number, a word or true and false, not {short(changes[odd])}")
    if "seed" in changes:
        raise GlasswareError("the seed of a study's runs cannot be set; --seeds says how many there are")
    words = ", ".join(f"{field} = {_text(value)}" for field, value in changes.items())
    said = f"judged on runs with {words}"
    claims = (replace(one, note=f"{said}; {one.note}" if one.note else said) for one in study.claims)
    everything = {**study.changes, **changes}  # of a study that was changed before, too
    return replace(
        study,
        name=study.name.partition(MARK)[0] + MARK + ",".join(f"{f}={_text(value)}" for f, value in everything.items()),
        title=f"{study.title}, with {words}",
        about=f"With {words} in every run. Otherwise:\n\n{study.about}",
        stages=tuple(_stage(stage, changes) for stage in study.stages),
        claims=tuple(claims),
        changes=everything,
    )


def parse_changes(given: Iterable[str]) -> dict[str, Any]:
    """``optimiser.momentum=0.9`` and the like, as fields and values."""
    found: dict[str, Any] = {}
    for one in given:
        field, equals, text = one.partition("=")
        if not equals or not field.strip() or not text.strip():
            raise GlasswareError(f"a change is written FIELD=VALUE, as optimiser.momentum=0.9, not {short(one)}")
        if field.strip() in found:
            raise GlasswareError(f"{field.strip()} is set twice")
        found[field.strip()] = parse_value(text.strip())
    return found


def parse_value(text: str) -> Any:
    """A value as a sweep file would have it; a word need not be quoted."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except ValueError:
        return text


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _stage(stage: Stage, changes: Mapping[str, Any]) -> Stage:
    """A stage whose runs are changed."""

    if isinstance(stage, Rounds):
        return Rounds(_stage(stage.stage, changes))

    @wraps(stage)
    def runs(scale: Scale, seeds: int | None, rows: pl.DataFrame) -> list[Run]:
        made = stage(scale, seeds, rows)
        turn = _once(lambda run: change(run, changes))
        # Whatever a stage returns that is no list of runs is refused by whoever asked for it.
        return [turn(run) if isinstance(run, Run) else run for run in made] if isinstance(made, list | tuple) else made

    return runs


def _once(turn: Callable[[Run], Run]) -> Callable[[Run], Run]:
    """Each specification is changed once: a grid has thousands of runs that differ in their seed alone."""
    known: dict[Run, Run] = {}

    def turned(run: Run) -> Run:
        like = run.model_copy(update={"seed": 0})
        try:
            if like not in known:
                known[like] = turn(like)
            return known[like].model_copy(update={"seed": run.seed})
        except TypeError:  # a part of one's own with a field that has no hash
            return turn(run)

    return turned
