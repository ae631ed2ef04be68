"""How a store stands: what it holds, who is writing, how fast, what is left. Quick, whatever its size.

Only footers and a few columns are read. Footers are verified; the columns are not, which takes reading everything
(``glassware store check``). After a merge that was interrupted, rows that are there twice are counted twice.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any

import polars as pl

from glassware.foundation.errors import StoreError
from glassware.sweeps.checked import check_footer
from glassware.sweeps.lock import Note
from glassware.sweeps.parts import FAILURES
from glassware.sweeps.places import disk_of
from glassware.sweeps.store import Store

SHAPE = ("task", "n", "k", "model")


@dataclass(frozen=True)
class Shape:
    """Runs of one task and one kind of model."""

    task: str
    n: int | None
    k: int | None
    model: str
    runs: int
    succeeded: int


@dataclass(frozen=True)
class Writing:
    """A process that writes: who, how many runs it has written and has left, and runs per second so far."""

    who: str
    written: int | None
    left: int | None
    rate: float | None
    quiet: float | None  # seconds since it last wrote

    @property
    def remaining(self) -> float | None:
        """Seconds until it is done at this rate."""
        return self.left / self.rate if self.left is not None and self.rate else None


@dataclass(frozen=True)
class Status:
    """How a store stands."""

    path: PurePath
    runs: int
    parts: int
    bytes: int
    shapes: tuple[Shape, ...]
    writing: tuple[Writing, ...]

    def plain(self) -> dict[str, Any]:
        """As data that JSON can hold."""
        writing = [{**asdict(one), "remaining": one.remaining} for one in self.writing]
        shapes = [asdict(one) for one in self.shapes]
        counts = {"runs": self.runs, "parts": self.parts, "bytes": self.bytes}
        return {"path": str(self.path), **counts, "shapes": shapes, "writing": writing}


def status(store: Store) -> Status:
    """How a store stands; others may write meanwhile."""
    for _ in range(3):
        try:
            parts = store.parts()
            shapes = _shapes(list(store.disk.each(_count, parts)))
            sizes = store.disk.sizes(store.parts_path)
            size = sum(sizes[part] for part in parts if part in sizes)
            break
        except FileNotFoundError:  # merged away meanwhile
            continue
    else:
        raise StoreError(f"parts of {store.path} vanish while they are read")
    now = time.time()
    writing = tuple(_writing(who, note, now) for who, note in store.disk.writers(store.path).items())
    return Status(store.path, sum(one.runs for one in shapes), len(parts), size, shapes, writing)


def _writing(who: str, note: Note | None, now: float) -> Writing:
    if note is None:
        return Writing(who, None, None, None, None)
    spent = note.last - note.since
    return Writing(who, note.written, note.left, note.written / spent if spent > 0 else None, max(0.0, now - note.last))


def _shapes(counted: list[pl.DataFrame]) -> tuple[Shape, ...]:
    if not counted:
        return ()
    table = pl.concat(counted, how="diagonal_relaxed").group_by(SHAPE).agg(pl.col("runs", "succeeded").sum())
    ordered = table.sort(["runs", *SHAPE], descending=[True, False, False, False, False], nulls_last=True)
    return tuple(Shape(**row) for row in ordered.to_dicts())


def _count(part: PurePath) -> pl.DataFrame:
    """Runs of a part by shape."""
    disk = disk_of(part)
    if not disk.whole:  # of an object all is read, and verified
        check_footer(part)
    try:
        rows = pl.scan_parquet(disk.source(part), glob=False)
        names = rows.collect_schema().names()
        lacking = [pl.lit(None, kind).alias(name) for name, kind in _KINDS.items() if name not in names]
        text = [pl.col(name).cast(pl.Categorical) for name in ("task", "model")]  # groups ten times as fast
        counts = pl.len().alias("runs"), pl.col("success").sum().alias("succeeded")
        counted = rows.with_columns(lacking).select(*_KINDS).with_columns(text).group_by(SHAPE).agg(counts).collect()
        return counted.cast({"task": pl.String, "model": pl.String, "runs": pl.Int64, "succeeded": pl.Int64})
    except FileNotFoundError:
        raise
    except FAILURES as error:
        reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        raise StoreError(f"{part} is damaged ({reason}); 'glassware store check' says more") from None


_KINDS: dict[str, Any] = {"task": pl.String, "n": pl.Int64, "k": pl.Int64, "model": pl.String, "success": pl.Boolean}
