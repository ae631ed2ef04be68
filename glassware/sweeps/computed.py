"""Tables that are computed rather than trained: kept in the store's folder, beside its parts.

A table is called ``<name>-<digest of its bytes>.parquet``; those of earlier versions have no digest.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import PurePath

import polars as pl

from glassware.foundation.errors import StoreError
from glassware.sweeps.checked import read_checked, stem_of, write_checked
from glassware.sweeps.parts import FAILURES
from glassware.sweeps.places import disk_of, files_below
from glassware.sweeps.store import Store

FOLDER, SUFFIX = "computed", ".parquet"
VERSION = "computation"  # the column with the version of the computation that made a table


def read_computed(store: Store, name: str, version: int) -> pl.DataFrame | None:
    """The table of this name; None where there is none, or only one of another version."""
    for _ in range(3):
        files = _files(store, name)
        if not files:
            return None
        try:
            table = load_computed(files[0])
        except FileNotFoundError:
            continue  # replaced between listing and reading
        known = VERSION in table.columns and (table[VERSION] == version).all()
        return table.drop(VERSION) if known else None
    raise StoreError(f"table {name} of {store.path} vanishes while it is read")


def load_computed(path: PurePath) -> pl.DataFrame:
    """A table with the column of its version, verified before it is parsed."""
    data = read_checked(path)
    try:
        return pl.read_parquet(io.BytesIO(data))
    except FAILURES as error:
        reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        raise StoreError(f"{path} is damaged ({reason}); remove it to compute it again") from None


def write_computed(store: Store, name: str, version: int, table: pl.DataFrame) -> PurePath:
    """Replace the table of this name. Only for the holder of the lock."""
    buffer = io.BytesIO()
    table.with_columns(pl.lit(version, pl.Int32).alias(VERSION)).write_parquet(buffer, compression="zstd")
    place = store.path / FOLDER / name
    disk = store.disk
    with disk.errors(store.path):
        disk.make(place.parent)
        disk.clean(place.parent)  # a killed writer's: we hold the lock
        before = _files(store, name)
        path = write_checked(place.parent, place.name, SUFFIX, buffer.getvalue())
        for other in before:
            if other != path:
                disk.remove(other)
    return path


def keep_computed(store: Store, name: str, version: int, compute: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """The table of this name, computed and written if it is not there. The store is locked while that lasts."""
    found = read_computed(store, name, version)
    if found is not None:
        return found
    with store.writing():
        found = read_computed(store, name, version)  # again, now that nobody else can add it
        if found is not None:
            return found
        table = compute()
        write_computed(store, name, version, table)
    return table


def computed_tables(store: PurePath) -> dict[str, list[PurePath]]:
    """The files of all computed tables by name, the one that counts first."""
    found: dict[str, list[PurePath]] = {}
    for path in files_below(store / FOLDER, SUFFIX):
        name = (path.parent / stem_of(path)).relative_to(store / FOLDER).as_posix()
        found.setdefault(name, []).append(path)
    return {name: disk_of(store).newest_first(paths) for name, paths in found.items()}


def _files(store: Store, name: str) -> list[PurePath]:
    """The files of a table; a crash may leave the one that was to be replaced."""
    place = store.path / FOLDER / name
    found = [path for path in store.disk.entries(place.parent) if path.suffix == SUFFIX]
    return store.disk.newest_first([path for path in found if stem_of(path) == place.name])
