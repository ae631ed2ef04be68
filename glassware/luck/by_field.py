"""Which values of which fields succeed: a sweep's rows, field by field."""

from __future__ import annotations

import json
import math
from typing import Any, TypeAlias

import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.foundation.part import Part, dotted
from glassware.foundation.specs import seedless
from glassware.foundation.statistics import NEVER, median, wilson
from glassware.sweeps.validation import build
from glassware.training import Run

Line: TypeAlias = tuple[str | int | float | None, ...]  # of the summary: a field, a value and how it did


def summary(frame: pl.DataFrame) -> pl.DataFrame:
    """Success by each value of each field that varies between the rows (seeds apart), all others pooled.

    Where two fields matter together, ``gw.charts.success_heat_map(frame, x="m", y="width", title="..")`` shows both.

    Args:
        frame: rows of a sweep, of any task.

    Returns:
        One row per field and value: ``runs``, ``successes``, ``rate`` with its Wilson interval ``low`` to ``high``,
        ``median_steps`` to success (null: the median run never succeeds), and what counted as one (``measure``).

    >>> import glassware as gw
    >>> base = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=1000)
    >>> found = gw.summary(gw.sweep(gw.grid(base, {"m": [10, "online"]}, seeds=3)))
    >>> found.select("field", "value", "runs", "successes").rows()
    [('m', '10', 3, 0), ('m', 'online', 3, 3)]
    """
    # Runs that differ in their seed alone share a specification: each is parsed once.
    outcome = ("success", "steps_to_success")
    alike = (
        frame.group_by(seedless(), maintain_order=True).agg(outcome) if len(frame) else frame.select("spec", *outcome)
    )
    known = [read_fields(spec) for spec in alike["spec"]]
    specs = [found for found, _ in known]
    outcomes = [list(zip(*lists, strict=True)) for _, *lists in alike.iter_rows()]
    measures = [measure for _, measure in known]

    def line(field: str, value: object, members: list[int]) -> Line:
        judged = ", ".join(dict.fromkeys(measures[i] for i in members))
        return (*_line(field, value, [one for i in members for one in outcomes[i]]), judged)

    groups = varied(specs)
    found = [line(field, value, groups[field][value]) for field in groups for value in groups[field]]
    if not found and outcomes:
        found = [line("all", None, list(range(len(known))))]
    names = ("field", "value", "runs", "successes", "rate", "low", "high", "median_steps", "measure")
    kinds = (pl.String, pl.String, pl.Int64, pl.Int64, pl.Float64, pl.Float64, pl.Float64, pl.Int64, pl.String)
    return pl.DataFrame(found, schema=dict(zip(names, kinds, strict=True)), orient="row")


def by_two(frame: pl.DataFrame) -> pl.DataFrame | None:
    """Successes by two fields, where exactly two vary: values of the first downwards, of the second across.

    The first column is named after both fields; cells are as ``3 of 8``, or empty. None where more or fewer vary.
    """
    alike = frame.group_by(seedless(), maintain_order=True).agg("success")
    groups = varied([read_fields(spec)[0] for spec in alike["spec"]])
    if len(groups) != 2:
        return None
    (down, rows), (across, columns) = groups.items()

    def cell(members: set[int]) -> str:
        runs = [success for i in members for success in alike["success"][i]]
        return f"{sum(runs)} of {len(runs)}" if runs else ""

    table = {f"{down} \\ {across}": [shown(down, value) for value in rows]}
    for value, members in columns.items():
        table[shown(across, value)] = [cell(set(members) & set(others)) for others in rows.values()]
    return pl.DataFrame(table)


def varied(specs: list[dict[str, object]]) -> dict[str, dict[object, list[int]]]:
    """The fields that vary, each with its values in order and the specifications that have them."""
    found: dict[str, dict[object, list[int]]] = {}
    seen: list[list[list[int]]] = []
    for field in dict.fromkeys(field for spec in specs for field in spec if field != "seed"):
        groups: dict[object, list[int]] = {}
        for i, spec in enumerate(specs):
            groups.setdefault(spec.get(field), []).append(i)
        cut = sorted(groups.values())
        # init.s is 2 exactly where init.scheme is sparse: to list it again would say nothing.
        if len(cut) > 1 and not (None in groups and cut in seen):
            seen.append(cut)
            found[field] = {value: groups[value] for value in sorted(groups, key=order)}
    return found


def read_fields(spec: str) -> tuple[dict[str, object], str]:
    """The fields of a specification, lists as text, and what counts as success: ``error ≤ 0.1``.

    Of one whose task or model is not registered here, the fields that the row tells, and the defaults of every run.
    """
    try:
        run = build(json.loads(spec))
    except GlasswareError:
        usual = {name: info.default for name, info in Run.model_fields.items() if not info.is_required()}
        plain = {name: part.model_dump() if isinstance(part, Part) else part for name, part in usual.items()}
        return _hashable({**plain, **json.loads(spec)}), "as a task or model that is not registered here says"
    measure = f"{run.measure} {'≤' if run.succeeds_below else '≥'} {run.evaluation.success:g}"
    return _hashable(run.model_dump()), measure


def _hashable(plain: dict[str, Any]) -> dict[str, object]:
    listed = lambda value: str(list(value)) if isinstance(value, list | tuple) else value
    return {field: listed(value) for field, value in dotted(plain)}


def order(value: object) -> tuple[int, float | str]:
    """Numbers by size, then text, then nothing (online)."""
    if value is None:
        return 2, 0
    return (0, value) if isinstance(value, int | float) else (1, str(value))


def shown(field: str, value: object) -> str:
    """A value of a field as people say it: no sample is ``online``."""
    return "online" if field == "m" and value is None else "–" if value is None else str(value)


def _line(field: str, value: object, outcomes: list[tuple[bool, int | None]]) -> Line:
    successes = sum(success for success, _ in outcomes)
    steps = median([NEVER if step is None else step for _, step in outcomes])
    return (
        field,
        shown(field, value),
        len(outcomes),
        successes,
        *wilson(successes, len(outcomes)),
        None if math.isinf(steps) else int(steps),
    )
