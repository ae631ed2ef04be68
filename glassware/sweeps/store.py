"""The results table on disk: a folder of immutable Parquet parts, one row per run.

    results/
      store.json        format and semantics version
      lock              held by the one process that writes, or by several with a share each (lock-2-of-8)
      weights/          kept weights, one file per run that keeps any
      sweeps/           which runs the sweeps with a name have
      parts/*.parquet   written under a temporary name, synced, renamed: a part is whole or not there

The name of a part, and of a file of weights, ends in a digest of its bytes, which is verified when it is read.
Killing a writer at any moment loses at most the rows it had not yet flushed; those runs are simply trained again.
"""

from __future__ import annotations

import contextlib
import io
import json
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath

import numpy as np
import polars as pl

from glassware.foundation.address import place_of
from glassware.foundation.errors import StoreError
from glassware.foundation.specs import seedless
from glassware.sweeps import kept
from glassware.sweeps.checked import write_checked
from glassware.sweeps.disk import TEMPORARY
from glassware.sweeps.formats import FORMAT, converted
from glassware.sweeps.identity import SEMANTICS
from glassware.sweeps.lock import LOCK, Holding, Note
from glassware.sweeps.parts import (
    CELL,
    MARK,
    Part,
    check_part,
    each_once,
    grouped,
    joined,
    list_parts,
    mark,
    marks_of,
    read_part,
)
from glassware.sweeps.places import disk_of
from glassware.sweeps.rows import SCHEMA, Row, frame
from glassware.sweeps.share import Share

MERGE_PARTS = 64  # so many small parts are merged, as a sweep goes and when it ends
SMALL_PART = 8 * 2**20  # bytes, about 20,000 rows; larger parts are left alone
LARGE_PART = 128 * 2**20  # bytes that a merged part does not exceed: joining takes several times as much memory


class Store:
    """A results table. Opening reads nothing but the version; many may read while others write.

    >>> import glassware as gw
    >>> store = gw.Store("results/store")
    >>> len(store.read())  # nothing was trained into it yet
    0
    """

    def __init__(self, path: str | PurePath) -> None:
        self.path = place_of(path)
        self.disk = disk_of(self.path)
        self.parts_path = self.path / "parts"
        self.format, self.semantics = self._versions()

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, columns: list[str] | None = None, ids: Iterable[str] | None = None) -> pl.DataFrame:
        """The whole table, or some columns of it, each run once.

        Args:
            columns: which; ``cell`` is the specification without its seed, of which there are few where every run has a
                ``spec`` of its own: figures of millions of rows ask for it.
            ids: only the rows of these runs, in this order; those that are not there are left out.
        """
        wanted = None if ids is None else pl.DataFrame({"id": list(ids)}, schema={"id": pl.String})
        known, listed = dict[PurePath, Part](), list[PurePath]()
        while True:
            before, listed = listed, self.parts()
            try:
                return self._collect(listed, columns, wanted, known)
            except FileNotFoundError:
                # A writer merged parts between the listing and the reading. What was read need not be read again.
                if listed == before:
                    raise StoreError(f"parts of {self.path} vanish while they are read") from None

    def weights(self, run: str, step: int | str = "final") -> dict[str, np.ndarray]:
        """The weights that a run has kept at a step, by name: ``0.w`` is the matrix of the first layer."""
        return kept.kept(self.path, run, step)

    def ids(self) -> set[str]:
        """Ids of all finished runs."""
        return set(self.read(["id"])["id"])

    def parts(self) -> list[PurePath]:
        """The parts, oldest first. A file that is not a whole part of ours is named and refused."""
        parts = list_parts(self.parts_path)
        for _ in self.disk.each(check_part, parts):
            pass
        return parts

    def _collect(
        self,
        parts: list[PurePath],
        columns: list[str] | None = None,
        wanted: pl.DataFrame | None = None,
        known: dict[PurePath, Part] | None = None,
    ) -> pl.DataFrame:
        """What ``read`` returns, of some parts; those that are known are not read again, others are added to them."""
        older = self.format < FORMAT  # what its rows lack is found in their specifications
        needed = None if older or columns is None else [*columns, *(["id"] if wanted is not None else [])]
        table = self._rows(parts, needed, None if wanted is None else marks_of(wanted["id"]), known)
        if columns is not None and CELL in columns and CELL not in table.columns:
            table = table.with_columns(seedless().cast(pl.Categorical).alias(CELL))
        if wanted is not None:
            table = wanted.join(table, on="id", how="inner", maintain_order="left")
        return table if columns is None else table.select([c for c in columns if c in table.columns])

    def _rows(
        self,
        parts: list[PurePath],
        columns: list[str] | None,
        marks: np.ndarray | None,
        known: dict[PurePath, Part] | None = None,
    ) -> pl.DataFrame:
        """Rows of parts, each run once, unless two of them say different things: then it is refused."""
        if not parts:
            return frame([])
        found = {} if known is None else known

        def read(part: PurePath, wanted: list[str] | None, marks: np.ndarray | None) -> Part:
            needed = None if wanted is None else [*wanted, MARK]
            return read_part(part, needed, self.format < FORMAT, self.semantics, marks)

        for part in self.disk.each(lambda part: read(part, columns, marks), [p for p in parts if p not in found]):
            found[part.path] = part
        table = joined(found[part] for part in parts)
        ids = table[MARK] if MARK in table.columns else mark(table["id"])
        twice = ids.filter(ids.is_duplicated())
        if len(twice) and columns is None:
            table = each_once(table, self.path)
        elif len(twice) and columns is not None:
            # Whether rows of one run contradict each other shows in any column.
            double = twice.unique().sort().to_numpy()
            each_once(joined(self.disk.each(lambda part: read(part, None, double), parts)), self.path)
            table = joined(self.disk.each(lambda part: read(part, [*columns, "id"], marks), parts))
            table = table.unique("id", keep="first", maintain_order=True)
        return converted(table.drop(MARK, strict=False), self.format)

    def _versions(self) -> tuple[int, int]:
        """Format and semantics; those of today for a store that is yet to be made."""
        marker = self.path / "store.json"
        try:
            try:
                found = json.loads(self.disk.text(marker))
            except (FileNotFoundError, NotADirectoryError):
                return self._versions_of_none()
            format_, semantics = int(found["format"]), int(found["semantics"])
        except OSError as error:
            raise StoreError(f"cannot read store {self.path}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            raise StoreError(f"{marker} is damaged; expected format and semantics versions") from None
        if format_ > FORMAT or semantics > SEMANTICS:
            raise StoreError(
                f"store {self.path} was written by a newer glassware (format {format_}, semantics {semantics}; "
                f"this one knows {FORMAT} and {SEMANTICS}); update glassware or give another folder"
            )
        return format_, semantics

    def _versions_of_none(self) -> tuple[int, int]:
        """Those of today, if a store can be made here."""
        if self.disk.exists(self.path) and not self.disk.is_folder(self.path):
            raise StoreError(f"{self.path} is a file, not a store folder")
        # A sweep killed while it made its store leaves the lock, no parts, and perhaps a temporary file.
        ours = lambda name: name == "parts" or name.startswith((LOCK, TEMPORARY))
        if not all(ours(entry.name) for entry in self.disk.entries(self.path)):
            raise StoreError(f"{self.path} has files in it and is not a glassware store; give an empty folder")
        return FORMAT, SEMANTICS

    # -- writing ------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def writing(self, share: Share | None = None) -> Iterator[Writer]:
        """Hold the store's lock and append rows. What was added is on disk when the block ends, however it ends.

        Args:
            share: others may write at the same time if each has a share of its own.
        """
        if (self.format, self.semantics) != (FORMAT, SEMANTICS):
            raise StoreError(
                f"store {self.path} was written by an older glassware, whose runs drew other random numbers: its rows "
                "can be shown (glassware claims, figures, show) but not added to; give another folder"
            )
        with self.disk.errors(self.path):
            self.disk.make(self.parts_path)
        with self.disk.locked(self.path, share) as held:
            with self.disk.errors(self.path):
                self._mark()
                if share is None:
                    for folder in (self.path, self.parts_path, self.path / kept.FOLDER, self.path / "sweeps"):
                        self.disk.clean(folder)  # a killed writer's: we are alone, so nobody is writing it
            writer = Writer(self, held=held)
            try:
                yield writer
            finally:
                writer.flush()
            if share is None:
                writer.merge(self.parts(), MERGE_PARTS)
            else:  # only one's own parts: others' may be on their way into a merged one
                writer.merge(writer.parts, 2)

    def _mark(self) -> None:
        marker = self.path / "store.json"
        if not self.disk.exists(marker):
            self.disk.write(marker, json.dumps({"format": FORMAT, "semantics": SEMANTICS}).encode())

    def append(self, table: pl.DataFrame) -> PurePath:
        """Write one part. Only for the holder of the lock."""
        buffer = io.BytesIO()
        table.write_parquet(buffer, compression="zstd", statistics=False)
        stem = f"{time.time_ns():020d}-{uuid.uuid4().hex[:8]}"
        with self.disk.errors(self.path):
            return write_checked(self.parts_path, stem, ".parquet", buffer.getvalue())

    def join_parts(self, parts: list[PurePath]) -> PurePath:
        """Parts into one, which is on disk before they go. Only for the holder of the lock.

        Killed in between, rows are there twice; whoever reads takes each once.
        """
        path = self.append(self._collect(parts, None))
        with self.disk.errors(self.path):
            for part in parts:
                self.disk.remove(part)
        return path


class Writer:
    """Collects rows and writes a part every few seconds."""

    def __init__(self, store: Store, seconds: float = 2.0, rows: int = 2000, held: Holding | None = None) -> None:
        self.store, self.seconds, self.limit, self.held = store, seconds, rows, held
        self.parts: list[PurePath] = []  # written by this writer
        self._fresh: list[PurePath] = []  # those that were not merged yet
        self.written = 0
        self.wanted: int | None = None  # rows that are to be written, if that is known
        self._since = time.time()
        self._rows: list[Row] = []
        self._last = time.monotonic()

    def add(self, row: Row, arrays: Mapping[str, np.ndarray] | None = None) -> None:
        """Collect a row; the arrays that are kept with it are on disk before it is."""
        if arrays:
            kept.keep(self.store.path, row["id"], arrays)
        self._rows.append(row)
        self.tick()

    def tick(self) -> None:
        """Write if it is time. Called while nothing finishes too, so that no row waits for the next one."""
        if len(self._rows) >= self.limit or time.monotonic() - self._last >= self.seconds:
            self.flush()

    def flush(self) -> None:
        """Write what has been collected."""
        self._last = time.monotonic()
        if self._rows:
            self._fresh.append(self.store.append(frame(self._rows)))
            self.parts.append(self._fresh[-1])
            self.written += len(self._rows)
            self._rows = []
            if self.held is not None:  # for ``glassware status``
                left = None if self.wanted is None else max(0, self.wanted - self.written)
                self.held.tell(Note(self._since, time.time(), self.written, left))

        if len(self._fresh) >= MERGE_PARTS:  # a cluster writes thousands in an hour, which a reader would have to open
            self._join(self._fresh)

    def merge(self, parts: list[PurePath], least: int) -> None:
        """Small parts into few, if there are at least so many."""
        if len(parts) < least:
            return
        sizes = self.store.disk.sizes(self.store.parts_path)
        small = {part: sizes[part] for part in parts if sizes.get(part, SMALL_PART) < SMALL_PART}
        if len(small) >= least:
            for group in grouped(small, LARGE_PART):
                self._join(group)

    def _join(self, parts: list[PurePath]) -> None:
        merged, gone = self.store.join_parts(parts), set(parts)
        self.parts = [*(part for part in self.parts if part not in gone), merged]
        self._fresh = [part for part in self._fresh if part not in gone]


__all__ = ["SCHEMA", "Store", "Writer"]
