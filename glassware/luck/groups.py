"""Runs that differ in their luck alone, gathered from a table of runs."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, TypeAlias

import polars as pl
from pydantic import ValidationError

from glassware.foundation.specs import seedless
from glassware.training import Run

COLUMNS = ["spec", "steps_to_success", "diverged_step", "steps_taken"]

# What may differ between runs of one cell. How a run is examined may not: evaluations cost, and they find successes.
FREE = {"seed", "steps", "probes", "keep", "pairing"}

Columns: TypeAlias = dict[str, Any]  # of the results table, and their values
Ended: TypeAlias = tuple[int | None, bool, int]  # steps to success, whether it diverged, steps taken


@dataclass(frozen=True)
class Group:
    """Runs that differ in their luck alone: one of them, with the largest budget of steps, and how each ended."""

    run: Run
    ended: list[Ended]


def known_groups(frame: pl.DataFrame) -> tuple[list[Group], list[str]]:
    """The groups of runs that are trained from scratch, and a specification of each that is not known here.

    Those have a model or an activation that only the process that trained them had registered (docs/extending.md).
    """
    ended: dict[str, list[Ended]] = defaultdict(list)
    largest: dict[str, tuple[int, str]] = {}
    alike = frame.select(COLUMNS).group_by(seedless(), maintain_order=True)
    outcome = ("steps_to_success", pl.col("diverged_step").is_not_null(), "steps_taken")
    for spec, *lists in alike.agg(outcome).iter_rows():
        key, budget = _key(json.loads(spec))
        ended[key] += zip(*lists, strict=True)
        largest[key] = max(largest.get(key, (0, "")), (budget, spec))
    found, unknown = list[Group](), list[str]()
    for key, lives in ended.items():
        try:
            run = Run.model_validate_json(largest[key][1])
        except ValidationError:
            unknown.append(largest[key][1])
            continue
        if not run.model.solved and run.init.neurons is None and run.start is None:
            found.append(Group(run, lives))
    return found, unknown


def run_columns(run: Run) -> Columns:
    """What a run is, in the words of the results table; its measure of success is always named."""
    direction = "below" if run.succeeds_below else "above"
    return {**run.given_columns(), "measure": run.measure, "direction": direction}


def problem(run: Run) -> Columns:
    """What is to be learnt, and what counts as having learnt it: the columns in which cells to compare agree."""
    columns = run_columns(run)
    return {name: columns[name] for name in (*run.task.columns("task"), "measure", "direction", "success_at")}


def _key(plain: Columns) -> tuple[str, int]:
    """What makes a cell, as text, and the budget of steps; of a specification as it is stored."""
    kept = {field: value for field, value in plain.items() if field not in FREE}
    kept["evaluation"] = {f: v for f, v in kept.get("evaluation", {}).items() if f != "stop"}
    return json.dumps(kept, sort_keys=True), plain.get("steps", Run.model_fields["steps"].default)
