"""What an address may select: the whole store, a study at a scale, a sweep by name, the runs of one cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.foundation.specs import seedless
from glassware.studies import check_scale, find
from glassware.web.layout import study_path, sweep_path
from glassware.web.library import Library, Snapshot
from glassware.web.shelf import Shelf


class UnknownError(GlasswareError):
    """What an address names and the store does not have."""


@dataclass(frozen=True)
class Selected:
    """Rows that an address selects.

    Attributes:
        title: what they are.
        rows: their scalar columns.
        wanted: how many there will be, where that is known.
        file: the text of a sweep's file.
        trail: where they belong: addresses by what they are called.
    """

    title: str
    rows: pl.DataFrame
    wanted: int | None = None
    file: str = ""
    trail: tuple[tuple[str, str], ...] = ()


def select(of: str, now: Snapshot, library: Library, shelf: Shelf) -> Selected:
    """The rows of a selection."""
    kind, _, name = of.partition(":")
    if not of:
        return Selected("All runs", now.rows)
    if kind == "sweep" and name in now.sweeps:
        sweep = now.sweeps[name]
        rows = _with(now.rows, sweep.ids)
        return Selected(sweep.title or name, rows, len(sweep.ids), sweep.file, ((name, sweep_path(name)),))
    if kind == "study":
        study, _, scale = name.rpartition(":")
        found, size = find(study), check_scale(scale)
        rows = _with(now.rows, shelf.ids(found.name, size))
        return Selected(f"{found.title}, at scale {size}", rows, trail=((found.name, study_path(found.name, size)),))
    if kind == "cell":
        like = now.rows.filter(pl.col("id") == name).select(seedless()).to_series()
        if len(like):
            rows = now.rows.filter(seedless() == like[0])
            return Selected("Runs that differ in their seed alone", rows, trail=((f"run {name}", f"/run/{name}"),))
    raise UnknownError("there is nothing of this name in the store")


def _with(rows: pl.DataFrame, ids: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame({"id": ids}, schema={"id": pl.String}).join(rows, on="id", how="inner", maintain_order="left")
