"""Claims of the form "each lane": the rows, what is measured of one, and how many must meet it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, SupportsFloat, TypeAlias

import polars as pl

from glassware.studies.cells import where
from glassware.studies.verdict import Finding, Threshold, counted

Row: TypeAlias = Mapping[str, Any]


def lanes(frame: pl.DataFrame, **columns: object) -> list[Row]:
    """The rows whose columns have these values, one per lane."""
    return [*where(frame, **columns).iter_rows(named=True)] if len(frame) else []


@dataclass(frozen=True)
class Measure:
    """One number of a lane, and what it must meet.

    Attributes:
        name: what it is, for the details of a claim.
        of: the number, from a row.
        meets: the threshold.
    """

    name: str
    of: Callable[[Row], SupportsFloat]
    meets: Threshold


def each_lane(rows: Sequence[Row], fewest: int, *measures: Measure, need: int | None = None) -> Finding:
    """Every lane meets every measure. A lane that diverged fails.

    Args:
        rows: one per lane.
        fewest: lanes below which there is no verdict.
        measures: what each must meet.
        need: how many lanes must; all unless given.
    """
    won = sum(meets_all(row, *measures) for row in rows)
    said = "; ".join(f"{measure.name} {span([float(measure.of(row)) for row in rows])}" for measure in measures)
    return counted(won, len(rows), max(fewest, len(rows)) if need is None else need, said)


def meets_all(row: Row, *measures: Measure) -> bool:
    """Whether a lane ended and meets every measure."""
    return row["diverged_step"] is None and all(measure.meets.met_by(float(measure.of(row))) for measure in measures)


def span(values: Sequence[float]) -> str:
    """The smallest and the largest of some numbers, and how many are not finite."""
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return "unknown"
    said = f"{min(known):.5g} to {max(known):.5g}" if len(known) > 1 else f"{known[0]:.5g}"
    return said if len(known) == len(values) else f"{said} ({len(values) - len(known)} unknown)"
