"""Sweeps by name: which runs belong to one, its title and its file, kept in the store beside the parts.

    results/
      sweeps/NAME-<digest>.parquet     one row per run: its id; title and text of the file in every row

The last sweep of a name counts. A sweep is remembered before it is trained, so that a page can show how far it is.
"""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

import polars as pl

from glassware.foundation.errors import StoreError
from glassware.sweeps.checked import read_checked, stem_of, write_checked
from glassware.sweeps.disk import os_errors
from glassware.sweeps.parts import FAILURES
from glassware.sweeps.store import Store

FOLDER, SUFFIX = "sweeps", ".parquet"
SAFE = " +@=,"  # of a name; a slash is spelt out in the name of the file


@dataclass(frozen=True)
class Remembered:
    """A sweep that a store remembers: name, title, the text of its file (empty without one), the ids of its runs."""

    name: str
    title: str
    file: str
    ids: tuple[str, ...]


def remember(store: Store, sweep: Remembered) -> None:
    """Keep which runs a sweep has, unless the store knows. Only for a holder of the lock, or of a share of it."""
    if recall(store, sweep.name) == sweep:
        return
    buffer = io.BytesIO()
    table = pl.DataFrame({"id": sweep.ids}, schema={"id": pl.String})
    table = table.with_columns(title=pl.lit(sweep.title), file=pl.lit(sweep.file))
    table.write_parquet(buffer, compression="zstd", statistics=False)
    folder, stem = store.path / FOLDER, quote(sweep.name, safe=SAFE)
    with os_errors(store.path):
        folder.mkdir(parents=True, exist_ok=True)
        kept = write_checked(folder, stem, SUFFIX, buffer.getvalue())
        for other in sweep_files(store.path).get(sweep.name, []):
            if other != kept:
                other.unlink(missing_ok=True)


def remembered(store: Store) -> list[Remembered]:
    """All sweeps that the store remembers, by name."""
    found = (_read(name, paths[0]) for name, paths in sweep_files(store.path).items())
    return [one for one in found if one is not None]


def recall(store: Store, name: str) -> Remembered | None:
    """The sweep of this name, if the store remembers one."""
    paths = sweep_files(store.path).get(name)
    return _read(name, paths[0]) if paths else None


def load_remembered(path: Path) -> pl.DataFrame:
    """The table of a sweep, verified before it is parsed."""
    data = read_checked(path)
    try:
        table = pl.read_parquet(io.BytesIO(data))
        if table.columns != ["id", "title", "file"] or set(table.dtypes) != {pl.String}:
            raise StoreError(f"{path} is not a list of a sweep's runs; remove it")
        return table
    except FAILURES as error:
        raise StoreError(
            f"{path} is damaged ({type(error).__name__}); remove it: the same sweep makes it anew"
        ) from None


def sweep_files(store: Path) -> dict[str, list[Path]]:
    """The files of remembered sweeps by name, the newest first."""
    found: dict[str, list[tuple[int, Path]]] = {}
    folder = store / FOLDER
    for path in sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else ():
        with contextlib.suppress(FileNotFoundError):  # replaced meanwhile
            found.setdefault(unquote(stem_of(path)), []).append((-path.stat().st_mtime_ns, path))
    return {name: [path for _, path in sorted(paths)] for name, paths in found.items()}


def _read(name: str, path: Path) -> Remembered | None:
    try:
        table = load_remembered(path)
    except FileNotFoundError:
        return None
    title, file = table.row(0)[1:] if len(table) else ("", "")
    return Remembered(name, title, file, tuple(table["id"]))
