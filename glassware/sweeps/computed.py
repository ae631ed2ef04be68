"""Tables that are computed rather than trained: kept in the store's folder, beside its parts.

A table is called ``<name>-<digest of its bytes>.parquet``; those of earlier versions have no digest.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import polars as pl

from glassware.foundation.errors import StoreError
from glassware.sweeps.checked import read_checked, stem_of, write_checked
from glassware.sweeps.disk import TEMPORARY, os_errors
from glassware.sweeps.parts import FAILURES
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


def load_computed(path: Path) -> pl.DataFrame:
    """A table with the column of its version, verified before it is parsed."""
    data = read_checked(path)
    try:
        return pl.read_parquet(io.BytesIO(data))
    except FAILURES as error:
        reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        raise StoreError(f"{path} is damaged ({reason}); remove it to compute it again") from None


def write_computed(store: Store, name: str, version: int, table: pl.DataFrame) -> Path:
    """Replace the table of this name. Only for the holder of the lock."""
    buffer = io.BytesIO()
    table.with_columns(pl.lit(version, pl.Int32).alias(VERSION)).write_parquet(buffer, compression="zstd")
    place = store.path / FOLDER / name
    with os_errors(store.path):
        place.parent.mkdir(parents=True, exist_ok=True)
        for stale in place.parent.glob(TEMPORARY + "*"):
            stale.unlink()  # a killed writer's: we hold the lock
        before = _files(store, name)
        path = write_checked(place.parent, place.name, SUFFIX, buffer.getvalue())
        for other in before:
            if other != path:
                other.unlink(missing_ok=True)
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


def computed_tables(store: Path) -> dict[str, list[Path]]:
    """The files of all computed tables by name, the one that counts first."""
    found: dict[str, list[Path]] = {}
    for path in sorted((store / FOLDER).rglob(f"*{SUFFIX}")):
        name = (path.parent / stem_of(path)).relative_to(store / FOLDER).as_posix()
        found.setdefault(name, []).append(path)
    return {name: _newest_first(paths) for name, paths in found.items()}


def _files(store: Store, name: str) -> list[Path]:
    place = store.path / FOLDER / name
    found = place.parent.glob(f"*{SUFFIX}") if place.parent.is_dir() else []
    return _newest_first([path for path in found if stem_of(path) == place.name])


def _newest_first(paths: list[Path]) -> list[Path]:
    """A crash may leave the table that was to be replaced; of equal age the first by name counts."""
    if len(paths) < 2:
        return paths
    return sorted(paths, key=lambda path: (-path.stat().st_mtime_ns, path.name))
