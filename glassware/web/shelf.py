"""Which studies a store has runs of, and how their claims stand: found in the background, since it takes seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

import polars as pl

from glassware.api.stores import open_store, study_ids
from glassware.foundation.errors import GlasswareError
from glassware.printing.claims import VERDICTS, tally
from glassware.reports.sections import Section, study_section
from glassware.studies import Scale, check_scale, claims, find, results
from glassware.sweeps import Store, pick
from glassware.web.library import PART, Library

PAUSE = 15.0  # seconds between two looks at a store that grows
SECTIONS = 6  # study pages held, each a few megabytes


@dataclass(frozen=True)
class Held:
    """A study of which the store has runs: how many, of how many, and how its claims stand."""

    study: str
    scale: Scale
    runs: int
    wanted: int
    tally: str


class View(Store):
    """A store of which only some columns, or only some rows, are read: the whole of a large one is half a gigabyte."""

    def __init__(self, path: PurePath, table: pl.DataFrame) -> None:
        super().__init__(path)
        self._table = table

    def read(self, columns: list[str] | None = None, ids: Iterable[str] | None = None) -> pl.DataFrame:
        rows = self._table if ids is None else pick(self._table, ids)
        return rows if columns is None else rows.select([c for c in columns if c in rows.columns])


class Shelf:
    """Studies of a store, matched and judged by a thread of their own."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.ready = threading.Event()
        self.held: list[Held] = []
        self.trouble = ""
        self._mark = ""
        self._sections: dict[tuple[str, str], tuple[str, float, Section | None]] = {}
        self._ids: dict[tuple[str, str], tuple[str, tuple[int, list[str]]]] = {}
        self._lock = threading.Lock()
        self._wanted = threading.Event()
        threading.Thread(target=self._work, daemon=True, name="glassware-shelf").start()

    def look(self) -> None:
        """Say that somebody wants to know."""
        self._wanted.set()

    def section(self, name: str, scale: str) -> Section | None:
        """All that a page says about a study; made again when the store has grown, but not all the time."""
        key, mark = (name, scale), self.library.mark()
        with self._lock:
            known = self._sections.get(key)
            if known is not None and (known[0] == mark or time.monotonic() < known[1]):
                return known[2]
            started = time.monotonic()
            made = study_section(find(name), check_scale(scale), self._rows_of(name, scale))
            again = time.monotonic() + 5 * (time.monotonic() - started)
            self._sections[key] = (mark, again, made)
            while len(self._sections) > SECTIONS:
                self._sections.pop(next(iter(self._sections)))
            return made

    def ids(self, name: str, scale: str) -> list[str]:
        """The runs of a study that the store has."""
        return self._matched(name, scale)[1]

    def _matched(self, name: str, scale: str) -> tuple[int, list[str]]:
        """How many runs a study wants, and those that the store has."""
        key, mark = (name, scale), self.library.mark()
        known = self._ids.get(key)
        if known is None or known[0] != mark:
            study, size = find(name), check_scale(scale)
            # A later stage is made from what earlier runs measured, curves and lists included.
            store = self._scalars() if study.sweeps < 2 else self.library.store
            wanted, there = study_ids(study, size, store.read(), store)
            known = self._ids[key] = (mark, (wanted, sorted(there)))
        return known[1]

    def _scalars(self) -> View:
        return View(self.library.store.path, self.library.now().rows.drop(PART))

    def _rows_of(self, name: str, scale: str) -> View:
        """A store that has the rows of a study and no others."""
        return View(self.library.store.path, self.library.whole(self.ids(name, scale)))

    def _work(self) -> None:
        while True:
            self._wanted.wait()
            self._wanted.clear()
            try:
                mark = self.library.mark() if self.library.store.disk.exists(self.library.store.path) else ""
                if mark == self._mark:
                    continue
                self._find()
                self._mark, self.trouble = mark, ""
            except GlasswareError as error:
                self.trouble = str(error)
            except Exception as error:  # say so on the page: a thread that ends would leave it as it is for ever
                self.trouble = f"the studies could not be read ({type(error).__name__}); they are tried again"
            self.ready.set()
            time.sleep(PAUSE)

    def _find(self) -> None:
        found = []
        try:
            held = open_store(self._scalars()).studies
        except Exception:  # a later stage that is made from curves
            held = open_store(self.library.store).studies
        for one in held:
            study, rows = find(one.study), self._rows_of(one.study, one.scale)
            judged = [j for j in claims(study, one.scale, results(study, one.scale, rows)) if j.verdict in VERDICTS]
            wanted, there = self._matched(one.study, one.scale)
            found.append(Held(one.study, one.scale, len(there), wanted, tally(judged)))
            self.held = [*found, *self.held[len(found) :]]
        self.held = found
