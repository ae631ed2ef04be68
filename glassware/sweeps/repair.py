"""Mend a store: what is damaged is moved aside, into ``damaged/``, and its runs can be trained again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

import polars as pl

from glassware.foundation.errors import StoreError
from glassware.sweeps import kept
from glassware.sweeps.check import Report, check
from glassware.sweeps.formats import FORMAT
from glassware.sweeps.parts import list_parts, read_part, rows_in
from glassware.sweeps.places import disk_of
from glassware.sweeps.store import Store

ASIDE = "damaged"


@dataclass(frozen=True)
class Repair:
    """What was done.

    Attributes:
        found: what was wrong.
        moved: where files were moved.
        runs: runs that will be trained again, as far as they are known.
        unknown: parts too damaged to tell how many runs they had.
    """

    found: Report
    moved: tuple[PurePath, ...]
    runs: int
    unknown: int


def repair(store: Store, tell: Callable[[str], None] | None = None) -> Repair:
    """Move aside what ``check`` finds. Killed at any moment, it can be done again.

    A part with some wrong rows is written again without them before it goes. Rows whose weights are damaged go, too, so
    that the run is trained, and keeps its weights, again.
    """
    with store.writing():  # nobody else may move anything meanwhile
        report = check(store, tell)
        whole = {fault.path for fault in report.faults if not fault.runs}
        drop = {run for fault in report.faults for run in fault.runs}
        current = {paths[0] for paths in kept.kept_files(store.path).values()}
        drop |= {kept.run_of(path) for path in whole & current}
        gone, lost, unknown, moved = set[str](), 0, 0, list[PurePath]()
        for path in list_parts(store.parts_path):
            if path in whole:
                count = _count(path)
                lost, unknown = lost + (count or 0), unknown + (count is None)
                continue
            table = read_part(path, None, store.format < FORMAT, store.semantics).table if drop else None
            if table is not None and table["id"].is_in(drop).any():
                gone |= drop & set(table["id"])
                rest = table.filter(~pl.col("id").is_in(drop))
                if len(rest):
                    store.append(rest)
                moved.append(_move(store, path))
        moved += [_move(store, path) for path in sorted(whole)]
    return Repair(report, tuple(moved), lost + len(gone), unknown)


def _count(path: PurePath) -> int | None:
    """Rows of a part of which nothing else may be sound."""
    try:
        return rows_in(path) if path.suffix == ".parquet" else 0
    except (StoreError, FileNotFoundError):
        return 0 if disk_of(path).is_folder(path) else None


def _move(store: Store, path: PurePath) -> PurePath:
    """To the same place below ``damaged/``; numbered if something of the name is there."""
    place = store.path / ASIDE / path.relative_to(store.path)
    number = 1
    while store.disk.exists(place):
        number += 1
        place = place.with_name(f"{path.name}.{number}")
    with store.disk.errors(store.path):
        store.disk.move(path, place)
    return place
