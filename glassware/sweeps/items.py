"""Computed tables that are made piece by piece: each piece is kept as soon as it is there, and never made twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

import polars as pl

from glassware.sweeps.computed import read_computed, write_computed
from glassware.sweeps.store import Store

ITEM = "item"  # the column with the key of the piece that a row belongs to
FLUSH_SECONDS = 5.0

Some = TypeVar("Some", bound="Item")


class Item(Protocol):
    """A piece of a computed table."""

    @property
    def key(self) -> str:
        """Its name, unique in the table."""

    @property
    def seconds(self) -> float:
        """Roughly what it takes on one core."""

    @property
    def compute(self) -> Callable[[], pl.DataFrame]:
        """Makes its rows; can be pickled, so that another process may do it."""


class Pieces:
    """A computed table of a store, made of items."""

    def __init__(self, store: Store, name: str, version: int) -> None:
        self.store, self.name, self.version = store, name, version

    def read(self) -> pl.DataFrame:
        """All rows that are there; none if the table was made by another version of its computation."""
        found = read_computed(self.store, self.name, self.version)
        return pl.DataFrame({ITEM: []}, schema={ITEM: pl.String}) if found is None else found

    def missing(self, items: Iterable[Some]) -> list[Some]:
        """Those that the table lacks."""
        done = set(self.read()[ITEM])
        return [item for item in items if item.key not in done]

    @contextmanager
    def writing(self) -> Iterator[Callable[[str, pl.DataFrame], None]]:
        """Hold the store's lock; gives a function that adds an item's rows. They are on disk when the block ends."""
        with self.store.writing():
            kept, fresh, last = self.read(), list[pl.DataFrame](), time.monotonic()
            done = set(kept[ITEM])

            def flush() -> None:
                nonlocal kept, fresh, last
                if fresh:
                    kept, fresh = pl.concat([kept, *fresh], how="diagonal_relaxed"), []
                    write_computed(self.store, self.name, self.version, kept)
                last = time.monotonic()

            def add(key: str, rows: pl.DataFrame) -> None:
                if key in done:
                    return
                done.add(key)
                # An item without rows leaves one that says only that it was done.
                named = rows.drop(ITEM, strict=False).with_columns(pl.lit(key).alias(ITEM)) if len(rows) else rows
                fresh.append(named if len(named) else pl.DataFrame({ITEM: [key]}))
                if time.monotonic() - last >= FLUSH_SECONDS:
                    flush()

            try:
                yield add
            finally:
                flush()

    def adopt(self, other: Pieces) -> int:
        """Take over the items that another table has and this one lacks; says how many."""
        rows, before = other.read(), set(self.read()[ITEM])
        fresh = rows.filter(~pl.col(ITEM).is_in(list(before)))
        if len(fresh):
            with self.writing() as add:
                for (key,), part in fresh.group_by([ITEM], maintain_order=True):
                    add(str(key), part)
        return fresh[ITEM].n_unique()
