"""Stores made one, and many small parts made few."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath

import polars as pl

from glassware.foundation.errors import StoreError
from glassware.sweeps import kept
from glassware.sweeps.check import check
from glassware.sweeps.checked import read_checked, write_checked
from glassware.sweeps.computed import FOLDER, SUFFIX, computed_tables
from glassware.sweeps.parts import contradictions, grouped
from glassware.sweeps.remembered import recall, remember, sweep_files
from glassware.sweeps.store import LARGE_PART, Store


@dataclass(frozen=True)
class Merged:
    """What a merge has added.

    Attributes:
        added: runs that were new.
        double: runs that both stores had, with the same results.
        weights, computed: files copied.
    """

    added: int
    double: int
    weights: int
    computed: int


def merge(into: Store, other: Store, tell: Callable[[str], None] | None = None) -> Merged:
    """Add to a store what another has; the other is left as it is.

    Refused before anything is written: a damaged store, another version, and runs of which the two say different
    things. Killed at any moment, it can be done again.
    """
    if into.disk.same(into.path, other.path):
        raise StoreError(f"{into.path} and {other.path} are the same store")
    if (into.format, into.semantics) != (other.format, other.semantics):
        raise StoreError(
            f"{other.path} has format {other.format} and semantics {other.semantics}, "
            f"{into.path} has {into.format} and {into.semantics}: rows of different versions do not mix"
        )
    faults = check(other, tell).faults
    if faults:
        raise StoreError(f"nothing was merged: {faults[0].why}")
    with into.writing():
        ours, theirs = into.read(), other.read()
        both = pl.concat([ours, theirs], how="diagonal_relaxed")
        differing = contradictions(both)
        if differing:
            raise StoreError(
                f"run {differing[0]} has different results in {into.path} and {other.path} "
                f"({len(differing):,} such in all); nothing was merged"
            )
        fresh = theirs.filter(~pl.col("id").is_in(ours["id"].implode()))
        weights = _copy_weights(into, other)  # on disk before their rows
        if len(fresh):
            into.append(fresh)
        computed = _copy_computed(into, other)
        for name in sweep_files(other.path).keys() - sweep_files(into.path).keys():
            listed = recall(other, name)
            if listed is not None:
                remember(into, listed)
    return Merged(len(fresh), len(theirs) - len(fresh), weights, computed)


def add_rows(into: Store, file: Path, tell: Callable[[str], None] | None = None) -> Merged:
    """Add the rows of a Parquet file, as ``glassware export`` writes it; what ``merge`` refuses is refused."""
    with tempfile.TemporaryDirectory() as folder:
        other = Store(Path(folder) / "store")
        with other.writing():
            copied = shutil.copy(file, other.parts_path / file.name)
        try:
            return merge(into, other, tell)
        except StoreError as error:  # of the file, not of the folder that it was read from
            raise StoreError(str(error).replace(str(copied), str(file)).replace(str(other.path), str(file))) from None


def _copy_weights(into: Store, other: Store) -> int:
    have, count = kept.kept_files(into.path), 0
    for run, paths in kept.kept_files(other.path).items():
        if run not in have:
            _copy(into, paths[0], into.path / kept.FOLDER, run, kept.SUFFIX)
            count += 1
    return count


def _copy_computed(into: Store, other: Store) -> int:
    have, count = computed_tables(into.path), 0
    for name, paths in computed_tables(other.path).items():
        if name not in have:
            place = into.path / FOLDER / name
            _copy(into, paths[0], place.parent, place.name, SUFFIX)
            count += 1
    return count


def _copy(into: Store, source: PurePath, folder: PurePath, stem: str, suffix: str) -> None:
    data = read_checked(source)
    with into.disk.errors(into.path):
        into.disk.make(folder)
        write_checked(folder, stem, suffix, data)


def compact(store: Store, tell: Callable[[str], None] | None = None) -> tuple[int, int]:
    """Many parts into few; says how many there were and are. Parts without a digest get one.

    Each new part is on disk before those it replaces go. Killed in between, rows are there twice, which a reader takes
    once, and the next time joins them.
    """
    with store.writing():
        parts = store.parts()
        sizes = store.disk.sizes(store.parts_path)
        groups = grouped({part: sizes[part] for part in parts if sizes[part] < LARGE_PART}, LARGE_PART)
        for number, group in enumerate(groups):
            (tell or (lambda line: None))(f"{len(group)} parts, {number + 1} of {len(groups)}")
            store.join_parts(group)
        return len(parts), len(store.parts())
