"""Tables that are computed rather than trained: kept in the store's folder, beside its parts."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import polars as pl

from glassware.foundation.errors import StoreError
from glassware.sweeps.disk import TEMPORARY, os_errors, write_whole
from glassware.sweeps.store import Store

VERSION = "computation"  # the column with the version of the computation that made a table


def read_computed(store: Store, name: str, version: int) -> pl.DataFrame | None:
    """The table of this name; None where there is none, or only one of another version."""
    path = computed_path(store, name)
    if not path.exists():
        return None
    try:
        table = pl.read_parquet(path, glob=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0][:120]
        raise StoreError(f"{path} is damaged ({reason}); remove it to compute it again") from None
    if VERSION not in table.columns or not (table[VERSION] == version).all():
        return None
    return table.drop(VERSION)


def keep_computed(store: Store, name: str, version: int, compute: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """The table of this name, computed and written if it is not there. The store is locked while that lasts."""
    found = read_computed(store, name, version)
    if found is not None:
        return found
    with store.writing():
        found = read_computed(store, name, version)  # again, now that nobody else can add it
        if found is not None:
            return found
        table, path, buffer = compute(), computed_path(store, name), io.BytesIO()
        table.with_columns(pl.lit(version, pl.Int32).alias(VERSION)).write_parquet(buffer, compression="zstd")
        with os_errors(store.path):
            path.parent.mkdir(parents=True, exist_ok=True)
            for stale in path.parent.glob(TEMPORARY + "*"):
                stale.unlink()  # a killed writer's: we hold the lock
            write_whole(path, buffer.getvalue())
    return table


def computed_path(store: Store, name: str) -> Path:
    """Where the table of this name is kept."""
    return store.path / "computed" / f"{name}.parquet"
