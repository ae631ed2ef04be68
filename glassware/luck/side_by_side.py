"""Two selections of runs side by side: what differs between them, and how each cell that both have does in either."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import polars as pl

from glassware.foundation.specs import seedless
from glassware.foundation.statistics import difference, median, wilson
from glassware.luck.by_field import order, read_fields, shown, varied

# What never makes two cells different: names of random numbers, what is kept, and how far a run is looked at.
UNTOLD = {"seed", "pairing", "init.seed", "init.pairing", "keep", "probes"}

Fields: TypeAlias = dict[str, object]
Outcomes: TypeAlias = list[tuple[bool, int | None]]


@dataclass(frozen=True)
class SideBySide:
    """Two selections compared.

    Attributes:
        differ: fields with one value in all of the first and another in all of the second, with both.
        fields: fields that vary within either: they name the cells.
        table: one row per cell that both have, and one for all runs: its values, ``runs``, ``successes``, ``rate`` with
            ``low`` and ``high`` and ``median_steps`` of either (``first_..``, ``second_..``), and the ``difference`` of
            the rates, second minus first, with its 95% interval.
        alone: how many cells only the first has, and only the second.
    """

    differ: tuple[tuple[str, str, str], ...]
    fields: tuple[str, ...]
    table: pl.DataFrame
    alone: tuple[int, int]

    def plain(self) -> dict[str, Any]:
        """As data that JSON can hold."""
        table = self.table.to_dicts()
        return {
            "differ": [list(one) for one in self.differ],
            "fields": list(self.fields),
            "cells": table,
            "alone": list(self.alone),
        }


def side_by_side(first: pl.DataFrame, second: pl.DataFrame) -> SideBySide:
    """Compare two selections of rows, cell by cell; runs of cells that agree in all fields that vary are pooled."""
    sides = [list(_cells(frame)) for frame in (first, second)]
    both = [fields for side in sides for fields, _ in side]
    known = [field for field in dict.fromkeys(name for fields in both for name in fields) if field not in UNTOLD]
    values = [{field: {fields.get(field) for fields, _ in side} for field in known} for side in sides]
    alone = lambda field: all(len(one[field]) == 1 for one in values)
    differ = [field for field in known if alone(field) and values[0][field] != values[1][field]]
    rest = [{field: value for field, value in fields.items() if field not in differ} for fields in both]
    names = [field for field in varied(rest) if field not in UNTOLD]
    pooled: list[dict[tuple[object, ...], Outcomes]] = [{}, {}]
    for side, cells in zip(sides, pooled, strict=True):
        for fields, outcomes in side:
            cells.setdefault(tuple(fields.get(name) for name in names), []).extend(outcomes)
    common = sorted((key for key in pooled[0] if key in pooled[1]), key=lambda key: [order(value) for value in key])
    everything = [[one for outcomes in cells.values() for one in outcomes] for cells in pooled]
    rows = [_line(names, key, pooled[0][key], pooled[1][key]) for key in common if names]
    rows.append(_line(names, None, *everything))
    one = lambda side, field: shown(field, next(iter(values[side][field])))
    return SideBySide(
        differ=tuple((field, one(0, field), one(1, field)) for field in differ),
        fields=tuple(names),
        table=pl.DataFrame(rows, infer_schema_length=None),
        alone=(len(pooled[0].keys() - pooled[1].keys()), len(pooled[1].keys() - pooled[0].keys())),
    )


def _cells(frame: pl.DataFrame) -> Iterator[tuple[Fields, Outcomes]]:
    """The fields of every specification, and how its runs ended."""
    outcome = ("success", "steps_to_success")
    rows = frame.filter(pl.col("spec").is_not_null())
    for spec, *lists in rows.group_by(seedless(), maintain_order=True).agg(outcome).iter_rows():
        yield read_fields(spec)[0], list(zip(*lists, strict=True))


def _line(names: list[str], key: tuple[object, ...] | None, first: Outcomes, second: Outcomes) -> dict[str, Any]:
    cell = ["all runs"] * len(names) if key is None else [shown(*one) for one in zip(names, key, strict=True)]
    found: dict[str, Any] = dict(zip(names, cell, strict=True))
    counts: list[int] = []
    for side, outcomes in (("first", first), ("second", second)):
        won, runs = sum(success for success, _ in outcomes), len(outcomes)
        counts += [won, runs]
        rate, low, high = wilson(won, runs)
        steps = median([float("inf") if step is None else step for _, step in outcomes])
        finite = int(steps) if steps < float("inf") else None
        said = {"runs": runs, "successes": won, "rate": rate, "low": low, "high": high, "median_steps": finite}
        found.update({f"{side}_{name}": value for name, value in said.items()})
    value, low, high = difference(counts[2], counts[3], counts[0], counts[1])
    return {**found, "difference": value, "difference_low": low, "difference_high": high}
