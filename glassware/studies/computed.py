"""Rows of theory: finding them, and findings that are exact numbers."""

from __future__ import annotations

import polars as pl

from glassware.foundation.statistics import Estimate
from glassware.studies.cells import where
from glassware.studies.verdict import NOT_ENOUGH, Finding, Threshold


def part(frame: pl.DataFrame, name: str, /, **columns: object) -> pl.DataFrame:
    """The computed rows of one kind; none where nothing was computed."""
    return where(frame, part=name, **columns) if "part" in frame.columns else frame.clear()


def exact(value: float, meets: Threshold, detail: str = "") -> Finding:
    """A number that is its own interval."""
    return Finding(Estimate.exact(value), meets, "", detail)


def largest(found: pl.DataFrame, values: pl.Expr, meets: Threshold) -> Finding:
    """The largest of an expression over all rows; without rows nothing can be said."""
    if not len(found):
        return NOT_ENOUGH
    return exact(float(found.select(values.max()).item()), meets, f"{len(found)} cases")


def span(values: pl.Series) -> tuple[float, float]:
    """The smallest and the largest of some numbers; unknown if one of them is."""
    numbers = values.cast(pl.Float64).to_numpy()
    return float(numbers.min()), float(numbers.max())
