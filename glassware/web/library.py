"""A store held in memory for pages: its scalar columns, read again as the store grows.

Curves are most of a store and are left on disk until somebody looks at a run. Parts are immutable, so only new ones are
read; 200,000 rows take about a second and 100 MB.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, TypeVar

import polars as pl

from glassware.foundation.errors import StoreError
from glassware.sweeps import Remembered, Store, remembered
from glassware.sweeps.formats import FORMAT
from glassware.sweeps.parts import read_part
from glassware.sweeps.remembered import sweep_files
from glassware.sweeps.rows import SCHEMA, frame

T = TypeVar("T")
PART = "part "  # the column with the number of a row's part; with a space, so that no other column has its name


@dataclass(frozen=True)
class Snapshot:
    """A store at one time.

    Attributes:
        rows: its scalar columns, each run once.
        parts: the files that they are in.
        sweeps: what it remembers by name.
        mark: changes whenever the store does.
    """

    rows: pl.DataFrame
    parts: tuple[PurePath, ...]
    sweeps: dict[str, Remembered]
    mark: str


class Library:
    """The store of a page; its methods may be called from several threads."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._tables: dict[PurePath, pl.DataFrame] = {}
        self._now: Snapshot | None = None
        self._made: dict[str, tuple[str, Any]] = {}

    def mark(self) -> str:
        """What changes whenever the store does; reads names alone."""
        parts = [part.name for part in self.store.parts()]
        named = [path.name for paths in sweep_files(self.store.path).values() for path in paths]
        return f"{len(parts)}-{hash((*parts, *named)) & 0xFFFFFFFF:08x}"

    def now(self) -> Snapshot:
        """The store as it is."""
        with self._lock:
            mark = self.mark()
            if self._now is None or self._now.mark != mark:
                self._now = self._load(mark)
            return self._now

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """What was made of the store as it is, once."""
        mark = self.now().mark
        known = self._made.get(name)
        if known is None or known[0] != mark:
            self._made = {key: one for key, one in self._made.items() if one[0] == mark}
            known = self._made[name] = (mark, make())
        return known[1]

    def whole(self, ids: Iterable[str]) -> pl.DataFrame:
        """All columns of some runs, in the order given; reads only the parts that they are in."""
        now, wanted = self.now(), pl.DataFrame({"id": list(ids)}, schema={"id": pl.String})
        if self.store.format < FORMAT:
            return wanted.join(self.store.read(), on="id", how="inner", maintain_order="left")
        places = wanted.join(now.rows, on="id", how="inner")[PART].unique().sort()
        found = []
        for place in places:
            # Its bytes were verified when its scalar columns were read; of the others only these rows are unpacked.
            source = self.store.disk.source(now.parts[place])
            rows = pl.scan_parquet(source, glob=False).filter(pl.col("id").is_in(wanted["id"].implode()))
            table = rows.collect()
            untyped = [name for name, kind in table.schema.items() if kind == pl.Null and name in SCHEMA]
            found.append(table.cast({name: SCHEMA[name] for name in untyped}))
        if not found:
            return frame([])
        together = pl.concat(found, how="diagonal_relaxed").unique("id", keep="first", maintain_order=True)
        return wanted.join(together, on="id", how="inner", maintain_order="left")

    def _load(self, mark: str) -> Snapshot:
        sweeps = {one.name: one for one in remembered(self.store)}
        for _ in range(3):
            parts = tuple(self.store.parts())
            try:
                rows = self._older() if self.store.format < FORMAT else self._scalars(parts)
                return Snapshot(rows, parts, sweeps, mark)
            except FileNotFoundError:  # a writer merged parts between the listing and the reading
                continue
        raise StoreError(f"parts of {self.store.path} vanish while they are read")

    def _scalars(self, parts: tuple[PurePath, ...]) -> pl.DataFrame:
        for part in parts:
            if part not in self._tables:
                self._tables[part] = self._read(part)
        self._tables = {part: self._tables[part] for part in parts}
        if not parts:
            return frame([]).with_columns(pl.lit(0, pl.Int32).alias(PART))
        tables = [self._tables[part].with_columns(pl.lit(i, pl.Int32).alias(PART)) for i, part in enumerate(parts)]
        rows = pl.concat(tables, how="diagonal_relaxed")
        return rows.unique("id", keep="first", maintain_order=True) if rows["id"].is_duplicated().any() else rows

    def _read(self, part: PurePath) -> pl.DataFrame:
        kinds = pl.read_parquet_schema(self.store.disk.source(part))
        flat = [name for name, kind in kinds.items() if not kind.is_nested() and kind != pl.Null and name != PART]
        table = read_part(part, flat, False, self.store.semantics).table
        return table.select([name for name in flat if name in table.columns])

    def _older(self) -> pl.DataFrame:
        """A store of an earlier format is small, and its columns are found in its specifications."""
        rows = self.store.read()
        flat = [name for name, kind in rows.schema.items() if not kind.is_nested() and kind != pl.Null]
        return rows.select(flat).with_columns(pl.lit(0, pl.Int32).alias(PART))
