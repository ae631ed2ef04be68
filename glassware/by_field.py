"""Which values of which fields succeed: a sweep's rows, field by field."""

from __future__ import annotations

import json
import math
from typing import Any

import polars as pl

from glassware.part import dotted
from glassware.statistics import NEVER, median, wilson
from glassware.sweeps.validation import build


def summary(frame: pl.DataFrame) -> pl.DataFrame:
    """Success by each value of each field that varies between the rows (seeds apart), all others pooled.

    Args:
        frame: rows of a sweep.

    Returns:
        One row a field and value: ``runs``, ``successes``, ``rate`` with its Wilson interval ``low`` to ``high``, and
        ``median_steps`` to success (null: the median run never succeeds).
    """
    specs = [dict(dotted(build(json.loads(spec)).model_dump())) for spec in frame["spec"]]
    outcomes = list(zip(frame["success"], frame["steps_to_success"], strict=True))
    found: list[tuple[Any, ...]] = []
    seen: list[list[list[int]]] = []
    for field in dict.fromkeys(field for spec in specs for field in spec if field != "seed"):
        groups: dict[Any, list[int]] = {}
        for i, spec in enumerate(specs):
            groups.setdefault(spec.get(field), []).append(i)
        cut = sorted(groups.values())
        # init.s is 2 exactly where init.scheme is sparse: to list it again would say nothing.
        if len(cut) > 1 and not (None in groups and cut in seen):
            seen.append(cut)
            found += [_cell(field, v, [outcomes[i] for i in groups[v]]) for v in sorted(groups, key=_order)]
    if not found and outcomes:
        found = [_cell("all", None, outcomes)]
    names = ("field", "value", "runs", "successes", "rate", "low", "high", "median_steps")
    kinds = (pl.String, pl.String, pl.Int64, pl.Int64, pl.Float64, pl.Float64, pl.Float64, pl.Int64)
    return pl.DataFrame(found, schema=dict(zip(names, kinds, strict=True)), orient="row")


def _order(value: Any) -> tuple[int, Any]:
    """Numbers by size, then text, then lists, then nothing (online)."""
    if value is None:
        return 3, 0
    return (0, value) if isinstance(value, int | float) else (1, value) if isinstance(value, str) else (2, str(value))


def _cell(field: str, value: Any, outcomes: list[tuple[bool, int | None]]) -> tuple[Any, ...]:
    successes = sum(success for success, _ in outcomes)
    steps = median([NEVER if step is None else step for _, step in outcomes])
    shown = "online" if field == "m" and value is None else "–" if value is None else str(value)
    return (
        field,
        shown,
        len(outcomes),
        successes,
        *wilson(successes, len(outcomes)),
        None if math.isinf(steps) else int(steps),
    )
