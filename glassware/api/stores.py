"""What a store holds: studies and how many of their runs, sweeps of your own, counts, size."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from glassware.api.folders import STORE, AnyStore, existing
from glassware.foundation.errors import GlasswareError
from glassware.foundation.part import dotted
from glassware.foundation.specs import fields, seedless
from glassware.studies import STUDIES, Scale, Study
from glassware.sweeps import Store, named, pick
from glassware.sweeps.computed import computed_tables
from glassware.sweeps.identity import spec_json
from glassware.sweeps.kept import kept_files
from glassware.sweeps.remembered import sweep_files
from glassware.sweeps.validation import build
from glassware.training import Run

# Building a large grid takes seconds. Of one with so many runs, too few rows for this share are not looked for.
NOTICED = 0.01


@dataclass(frozen=True)
class StudyRuns:
    """How many runs of a study a store has. ``wanted`` counts later stages as far as the rows say which they want."""

    study: str
    scale: Scale
    runs: int
    wanted: int


@dataclass(frozen=True)
class OwnRuns:
    """Runs of no known study: one task and one model, and the fields that vary between them."""

    task: str
    model: str
    runs: int
    succeeded: int
    varied: tuple[str, ...]


@dataclass(frozen=True)
class Contents:
    """What a store holds. Studies may share runs, so theirs can add up to more than there are.

    Attributes:
        store: the store itself; ``store.read()`` gives all rows.
        runs, succeeded: rows, and those that reached success.
        kept: runs whose weights are kept.
        studies: runs by study and scale.
        computed: names of the tables that studies have computed.
        named: names of the sweeps that the store remembers (``gw.list_sweeps`` says more of them).
        sweeps: runs of no study, by task and model.
        bytes: size on disk.
    """

    store: Store
    runs: int
    succeeded: int
    kept: int
    studies: tuple[StudyRuns, ...]
    computed: tuple[str, ...]
    named: tuple[str, ...]
    sweeps: tuple[OwnRuns, ...]
    bytes: int

    def plain(self) -> dict[str, Any]:
        """As data that JSON can hold, for pages and scripts."""
        store = {"path": str(self.store.path), "format": self.store.format, "semantics": self.store.semantics}
        lists = {name: [asdict(one) for one in getattr(self, name)] for name in ("studies", "sweeps")}
        counts = {name: getattr(self, name) for name in ("runs", "succeeded", "kept", "bytes")}
        return {**store, **counts, **lists, "computed": list(self.computed), "named": list(self.named)}


def open_store(store: AnyStore = STORE, *, tell: Callable[[str], None] | None = None) -> Contents:
    """Say what a store holds; reads everything, writes and trains nothing.

    Runs are matched with the studies known here, at every scale. Public as ``glassware.open``.

    Args:
        store: folder of results.
        tell: called with what is being matched; all of it takes a few seconds.

    >>> import glassware as gw, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> base = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), steps=1000)
    >>> _ = gw.sweep(gw.grid(base, {"m": [10, "online"]}, seeds=3), folder)
    >>> gw.open(folder).sweeps
    (OwnRuns(task='parity', model='mlp', runs=6, succeeded=3, varied=('m',)),)
    """
    kept = existing(store)
    rows = kept.read()
    found, other = _match(rows, kept, tell or (lambda line: None))
    return Contents(
        store=kept,
        runs=len(rows),
        succeeded=int(rows["success"].sum()),
        kept=len(kept_files(kept.path)),
        studies=tuple(found),
        computed=tuple(computed_tables(kept.path)),
        named=tuple(sweep_files(kept.path)),
        sweeps=tuple(_sweeps(other)),
        bytes=sum(kept.disk.sizes(kept.path).values()),
    )


def _match(rows: pl.DataFrame, store: Store, tell: Callable[[str], None]) -> tuple[list[StudyRuns], pl.DataFrame]:
    """Runs by study and scale, and the rows of no study."""
    found: list[StudyRuns] = []
    known: set[str] = set()
    for study in STUDIES.values() if len(rows) else ():
        scales: tuple[Scale, ...] = ("smoke", "laptop")
        for scale in scales:
            tell(f"matching {study.name} at scale {scale}")
            wanted, there = study_ids(study, scale, rows, store)
            known.update(there)
            found += [StudyRuns(study.name, scale, len(there), wanted)] if there else []
    rest = rows.filter(~pl.col("id").is_in(list(known)))
    # Grids of paper scale have up to a million runs: they are matched cell by cell, and only if rows are left over.
    for study in STUDIES.values():
        if len(rest) >= NOTICED * (study.paper_runs or 0) and len(rest) and study.stages:
            tell(f"matching {study.name} at scale paper")
            cells = [spec_json(run.model_copy(update={"seed": 0})) for run in study.runs("paper", 1)]
            inside = rest.select(seedless().is_in(cells)).to_series()
            if inside.any():
                wanted = study.size("paper")
                found.append(StudyRuns(study.name, "paper", min(int(inside.sum()), wanted), wanted))
                rest = rest.filter(~inside)
    order = {name: place for place, name in enumerate(STUDIES)}
    return sorted(found, key=lambda one: order[one.study]), rest


def study_ids(study: Study, scale: Scale, rows: pl.DataFrame, store: Store) -> tuple[int, set[str]]:
    """How many runs a study wants at a scale, and the ids of those that are among the rows."""
    wanted = set[str]()

    def rows_of(_: int, runs: list[Run]) -> tuple[pl.DataFrame, bool]:
        ids = named(runs, store)
        wanted.update(ids)
        found = pick(rows, ids)
        return found, len(found) > 0  # later stages build on these

    table = study.follow(scale, None, rows_of)
    return len(wanted), set(table["id"]) if len(table) else set()


def _sweeps(rows: pl.DataFrame) -> Iterator[OwnRuns]:
    for (task, model), group in rows.group_by("task", "model", maintain_order=True):
        specs = [_fields(spec) for spec in group.select(seedless()).to_series().unique(maintain_order=True)]
        names = dict.fromkeys(name for spec in specs for name in spec if name != "seed")
        varied = [name for name in names if len({repr(spec.get(name)) for spec in specs}) > 1]
        yield OwnRuns(str(task), str(model), len(group), int(group["success"].sum()), tuple(varied))


def _fields(spec: str) -> dict[str, Any]:
    """The fields of a specification, defaults filled in where its parts are known here."""
    try:
        return dict(dotted(build(json.loads(spec)).model_dump()))
    except GlasswareError:
        return fields(spec)
