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
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import polars as pl

from glassware.foundation.errors import StoreError
from glassware.foundation.names import check_path
from glassware.sweeps import kept
from glassware.sweeps.checked import write_checked
from glassware.sweeps.disk import TEMPORARY, os_errors, write_whole
from glassware.sweeps.formats import FORMAT, converted
from glassware.sweeps.identity import SEMANTICS
from glassware.sweeps.lock import LOCK, Held, Note, locked
from glassware.sweeps.parts import check_part, each_once, joined, list_parts, read_part, rows_in
from glassware.sweeps.rows import SCHEMA, Row, frame
from glassware.sweeps.share import Share

MERGE_PARTS = 64  # more small parts than this are merged when a sweep ends
SMALL_PART = 20_000  # rows; larger parts are left alone


class Store:
    """A results table. Opening reads nothing but the version; many may read while others write.

    >>> import glassware as gw
    >>> store = gw.Store("results/store")
    >>> len(store.read())  # nothing was trained into it yet
    0
    """

    def __init__(self, path: str | Path) -> None:
        check_path(path)
        self.path = Path(path)
        self.parts_path = self.path / "parts"
        self.format, self.semantics = self._versions()

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, columns: list[str] | None = None) -> pl.DataFrame:
        """The whole table, or some columns of it, each run once."""
        for attempt in range(3):
            parts = self.parts()
            if not parts:
                table = frame([])
                return table if columns is None else table.select([c for c in columns if c in table.columns])
            try:
                return self._collect(parts, columns)
            except FileNotFoundError:
                # A writer merged parts between the listing and the reading.
                if attempt == 2:
                    raise StoreError(f"parts of {self.path} vanish while they are read") from None
        raise AssertionError("unreachable")

    def weights(self, run: str, step: int | str = "final") -> dict[str, np.ndarray]:
        """The weights that a run has kept at a step, by name: ``0.w`` is the matrix of the first layer."""
        return kept.kept(self.path, run, step)

    def ids(self) -> set[str]:
        """Ids of all finished runs."""
        return set(self.read(["id"])["id"])

    def parts(self) -> list[Path]:
        """The parts, oldest first. A file that is not a whole part of ours is named and refused."""
        parts = list_parts(self.parts_path)
        for part in parts:
            check_part(part)
        return parts

    def _collect(self, parts: list[Path], columns: list[str] | None) -> pl.DataFrame:
        older = self.format < FORMAT  # what its rows lack is found in their specifications
        wanted = None if older else columns
        table = joined(read_part(part, wanted, older, self.semantics) for part in parts)
        if wanted is not None and table["id"].is_duplicated().any():
            # Whether rows of one run contradict each other shows in any column.
            return self._collect(parts, None).select([c for c in wanted if c in table.columns])
        table = converted(each_once(table, self.path), self.format)
        return table if columns is None else table.select([c for c in columns if c in table.columns])

    def _versions(self) -> tuple[int, int]:
        """Format and semantics; those of today for a store that is yet to be made."""
        marker = self.path / "store.json"
        try:
            if self.path.exists() and not self.path.is_dir():
                raise StoreError(f"{self.path} is a file, not a store folder")
            if not marker.exists():
                # A sweep killed while it made its store leaves the lock, no parts, and perhaps a temporary file.
                ours = lambda name: name == "parts" or name.startswith((LOCK, TEMPORARY))
                if self.path.exists() and not all(ours(p.name) for p in self.path.iterdir()):
                    raise StoreError(f"{self.path} has files in it and is not a glassware store; give an empty folder")
                return FORMAT, SEMANTICS
            found = json.loads(marker.read_text())
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
        with os_errors(self.path):
            self.parts_path.mkdir(parents=True, exist_ok=True)
        with locked(self.path, share) as held:
            with os_errors(self.path):
                self._mark()
                if share is None:
                    for folder in (self.path, self.parts_path, self.path / kept.FOLDER, self.path / "sweeps"):
                        for stale in folder.glob(TEMPORARY + "*"):
                            stale.unlink()  # a killed writer's unfinished file: we are alone, so nobody is writing it
            writer = Writer(self, held=held)
            try:
                yield writer
            finally:
                writer.flush()
            # Beside others only one's own parts: theirs may be on their way into a merged one.
            writer.merge(self.parts() if share is None else writer.parts)

    def _mark(self) -> None:
        marker = self.path / "store.json"
        if not marker.exists():
            write_whole(marker, json.dumps({"format": FORMAT, "semantics": SEMANTICS}).encode())

    def append(self, table: pl.DataFrame) -> Path:
        """Write one part. Only for the holder of the lock."""
        buffer = io.BytesIO()
        table.write_parquet(buffer, compression="zstd", statistics=False)
        stem = f"{time.time_ns():020d}-{uuid.uuid4().hex[:8]}"
        with os_errors(self.path):
            return write_checked(self.parts_path, stem, ".parquet", buffer.getvalue())

    def join_parts(self, parts: list[Path]) -> Path:
        """Parts into one, which is on disk before they go. Only for the holder of the lock.

        Killed in between, rows are there twice; whoever reads takes each once.
        """
        path = self.append(self._collect(parts, None))
        with os_errors(self.path):
            for part in parts:
                part.unlink()
        return path


class Writer:
    """Collects rows and writes a part every few seconds."""

    def __init__(self, store: Store, seconds: float = 2.0, rows: int = 2000, held: Held | None = None) -> None:
        self.store, self.seconds, self.limit, self.held = store, seconds, rows, held
        self.parts: list[Path] = []  # written by this writer
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
            self.parts.append(self.store.append(frame(self._rows)))
            self.written += len(self._rows)
            self._rows = []
            if self.held is not None:  # for ``glassware status``
                left = None if self.wanted is None else max(0, self.wanted - self.written)
                self.held.tell(Note(self._since, time.time(), self.written, left))

    def merge(self, parts: list[Path]) -> None:
        """Many small parts into one."""
        small = [part for part in parts if rows_in(part) < SMALL_PART]
        if len(small) >= MERGE_PARTS:
            self.store.join_parts(small)


__all__ = ["SCHEMA", "Store", "Writer"]
