"""Which problem is asked about: the groups of runs of a store that agree in the task and in what counts as success."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.foundation.specs import fields
from glassware.luck.groups import COLUMNS, Columns, Group, known_groups, problem, run_columns
from glassware.sweeps import Store
from glassware.training import Evaluation, Run

NEAREST = 3  # other problems named when the store has no run of the one asked for


@dataclass(frozen=True)
class Problem:
    """The runs of one problem.

    Attributes:
        where: the columns that were named, and those whose values are not the usual ones.
        groups: its runs.
        others: how many groups match what was named, but are other problems.
        apart: the columns in which those differ.
        unknown: how many groups have a part, such as an activation, that is not known here.
    """

    where: Columns
    groups: list[Group]
    others: int
    apart: tuple[str, ...]
    unknown: int


def find_problem(store: Store, where: Mapping[str, object]) -> Problem:
    """The runs of a store whose columns have these values; a column that is not named has its usual value."""
    rows = store.read([*COLUMNS, "steps"])
    groups, strange = known_groups(rows.filter(pl.col("steps").is_not_null()))  # null: a solved model
    _check_names(where, groups)
    found = [group for group in groups if _matches(run_columns(group.run), where)]
    unknown = sum(_matches(_last_names(spec), where, absent=True) for spec in strange)
    if not found:
        if unknown:
            raise GlasswareError(f"store {store.path} has no run of {say(where)} whose model is known here")
        raise GlasswareError(f"store {store.path} has no trained run of {say(where)}{_instead(groups, where)}")
    asked, apart = _usual_ones(found, where, f"runs of {say(where)} in store {store.path}")
    one = asked[0].run
    usual = _usual(one)
    named = {n: v for n, v in problem(one).items() if n in where or (n != "task" and not _same(v, usual.get(n, ...)))}
    return Problem({**where, **named}, asked, len(found) - len(asked), tuple(apart), unknown)


def say(where: Mapping[str, object]) -> str:
    """Columns and their values in a sentence: ``n = 50, k = 3``."""
    words = [f"{value}" if name == "task" else f"{name} = {_text(value)}" for name, value in where.items()]
    return ", ".join(words) or "any task"


def _usual_ones(groups: list[Group], where: Mapping[str, object], words: str) -> tuple[list[Group], list[str]]:
    """Of groups that differ in what is to be learnt those with the usual values, and the columns they differed in."""
    apart = []
    for name in problem(groups[0].run):
        values = {str(problem(group.run).get(name)): problem(group.run).get(name) for group in groups}
        if name in where or len(values) == 1:
            continue
        usual = _usual(groups[0].run)
        if name not in usual or str(usual[name]) not in values:
            listed = [_text(value) for value in sorted(values.values(), key=_order)]
            raise GlasswareError(f"{words} differ in {name} ({', '.join(listed)}): say which, as {name}={listed[0]}")
        groups = [group for group in groups if str(problem(group.run).get(name)) == str(usual[name])]
        apart.append(name)
    return groups, apart


def _usual(run: Run) -> Columns:
    """The values that columns of its problem have unless they are given; n of a parity, say, has none."""
    task = type(run.task)
    optional = {f: info.default for f, info in task.model_fields.items() if f != "name" and not info.is_required()}
    judged = problem(run.model_copy(update={"evaluation": Evaluation()}))
    return {
        **{task.column.get(field, field): value for field, value in optional.items()},
        **{name: judged[name] for name in ("measure", "direction", "success_at")},
    }


def _check_names(where: Mapping[str, object], groups: Iterable[Group]) -> None:
    """One sentence about a column that no run has."""
    known = list(dict.fromkeys(name for group in groups for name in run_columns(group.run)))
    for name in where:
        if known and name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
            raise GlasswareError(f"unknown column '{name}'; did you mean '{near[0]}'?")


def _matches(columns: Mapping[str, object], where: Mapping[str, object], *, absent: bool = False) -> bool:
    """Whether the columns have these values; ``absent`` says what a column that is not there counts for."""
    return all(_same(columns[name], value) if name in columns else absent for name, value in where.items())


def _same(one: object, other: object) -> bool:
    return one == other or (one is not None and str(one) == str(other))


def _last_names(spec: str) -> Columns:
    """The fields of a specification by the last part of their names, for runs that cannot be built here."""
    return {name.removesuffix(".name").split(".")[-1]: value for name, value in fields(spec).items()}


def _instead(groups: list[Group], where: Mapping[str, object]) -> str:
    """The nearest problems that the store has, in the columns that were named."""
    have = {say(found): found for group in groups if (found := {n: run_columns(group.run).get(n) for n in where})}
    near = sorted(have, key=lambda said: (sum(_distance(have[said][n], where[n]) for n in where), said))[:NEAREST]
    return f"; nearest are {', '.join(f'({said})' for said in near)}" if near else "; it is empty"


def _distance(one: object, other: object) -> float:
    if _same(one, other):
        return 0.0
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return 1.0
    return abs(math.log(one / other)) if one > 0 and other > 0 else abs(one - other)


def _order(value: object) -> tuple[bool, float | str]:
    return (False, value) if isinstance(value, int | float) else (True, str(value))


def _text(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
