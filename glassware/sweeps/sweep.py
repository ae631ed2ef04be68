"""Run a sweep: plan, train what is missing, keep every row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Protocol

import numpy as np
import polars as pl

from glassware.engine import Chunk, Engine, train
from glassware.foundation.errors import GlasswareError
from glassware.sweeps.files import check_name, check_title, read_sweep_file
from glassware.sweeps.identity import SEMANTICS
from glassware.sweeps.own_code import COLUMN, tell_of_other_code
from glassware.sweeps.plan import Plan, make_plan, named
from glassware.sweeps.remembered import Remembered, recall, remember
from glassware.sweeps.rows import Row, arrays, frame, row
from glassware.sweeps.share import Share
from glassware.sweeps.store import Store
from glassware.training import Load, Run


class Reporter(Protocol):
    """Watches a sweep."""

    def on_plan(self, plan: Plan) -> None: ...
    def on_chunk(self, chunk: Chunk) -> None: ...
    def on_row(self, row: dict[str, object]) -> None: ...
    def on_end(self) -> None: ...
    def on_message(self, line: str) -> None: ...


class Silent:
    """A reporter that ignores everything."""

    def on_plan(self, plan: Plan) -> None: ...
    def on_chunk(self, chunk: Chunk) -> None: ...
    def on_row(self, row: dict[str, object]) -> None: ...
    def on_end(self) -> None: ...
    def on_message(self, line: str) -> None: ...


class Trainer(Protocol):
    """Trains runs somewhere, and hands over each row with its arrays as it comes."""

    def __call__(
        self,
        todo: Mapping[str, Run],
        *,
        lanes: int | None,
        engine: Engine,
        on_chunk: Callable[[Chunk], None],
        tell: Callable[[str], None],
        load: Load | None,
    ) -> Iterator[tuple[Row, dict[str, np.ndarray]]]: ...


def train_here(
    todo: Mapping[str, Run],
    *,
    lanes: int | None,
    engine: Engine,
    on_chunk: Callable[[Chunk], None],
    tell: Callable[[str], None],
    load: Load | None,
) -> Iterator[tuple[Row, dict[str, np.ndarray]]]:
    """The trainer of this process and its devices."""
    for outcome in train(todo.values(), lanes=lanes, engine=engine, on_chunk=on_chunk, load=load):
        yield row(outcome), arrays(outcome)


def sweep(
    runs: Iterable[Run] | str | Path,
    store: Store | str | PurePath | None = None,
    *,
    reporter: Reporter | None = None,
    lanes: int | None = None,
    engine: Engine = "auto",
    share: Share | None = None,
    trainer: Trainer | None = None,
    name: str | None = None,
    title: str = "",
) -> pl.DataFrame:
    """Train the runs that the store does not have yet and return the rows of all of them, in the order given.

    Args:
        runs: runs, or the path of a TOML sweep file.
        store: where results live; without one they are only returned.
        reporter: watches the sweep (see ``glassware.progress``).
        lanes: runs held at once; chosen from the device's memory unless given.
        engine: the path that trains (see ``glassware.engine.train``).
        share: only the runs of this share; other processes may train theirs into the same store at the same time.
        trainer: trains the runs, elsewhere; this process unless given.
        name, title: under which the store remembers the sweep; a file's own unless given. Other runs without a name
            are not remembered as a sweep.
    """
    text = ""
    if isinstance(runs, str | Path):
        file = read_sweep_file(runs)
        wanted, text, name, title = file.runs, file.text, name or file.name, title or file.title
    else:
        wanted = list(runs)
    if name is not None:
        name, title = check_name(name), check_title(title)
    watcher = reporter or Silent()
    kept = store if isinstance(store, Store) or store is None else Store(store)
    plan = make_plan(wanted, kept, share)
    if kept is None:
        if any(run.keep or run.start for run in wanted):
            raise GlasswareError("weights are kept in a store, and found there: give one")
        rows: list[Row] = []
        _train(plan, watcher, lambda found, _: rows.append(found), lambda: None, lanes, engine, trainer)
        return select(frame(rows), plan)
    there = kept.read(["id", COLUMN] if plan.todo else None, plan.wanted) if plan.finished else frame([])
    tell_of_other_code(there, plan.wanted, kept.path)
    listed = None if name is None else Remembered(name, title, text, tuple(named(wanted, kept)))
    if not plan.todo:
        watcher.on_plan(plan)
        watcher.on_end()
        if listed is not None and kept.semantics == SEMANTICS and recall(kept, listed.name) != listed:
            with kept.writing(share):
                remember(kept, listed)
        return there
    seen = kept.parts()
    with kept.writing(share) as writer:
        if kept.parts() != seen:  # others have added to it since
            plan = make_plan(wanted, kept, share)
        if listed is not None:
            remember(kept, listed)
        writer.wanted = len(plan.todo)
        _train(plan, watcher, writer.add, writer.tick, lanes, engine, trainer)
    return kept.read(ids=plan.wanted)


def _train(
    plan: Plan,
    watcher: Reporter,
    keep: Callable[[Row, dict[str, np.ndarray]], None],
    tick: Callable[[], None],
    lanes: int | None,
    engine: Engine,
    trainer: Trainer | None,
) -> None:
    """Train what the plan lacks.

    ``keep`` gets every row and its arrays as they come, ``tick`` is called after every chunk.
    """
    watcher.on_plan(plan)

    def on_chunk(chunk: Chunk) -> None:
        tick()
        watcher.on_chunk(chunk)

    try:
        store = plan.store
        load = None if store is None else lambda start: store.weights(start.run, start.step)
        rows = (trainer or train_here)(
            plan.todo, lanes=lanes, engine=engine, on_chunk=on_chunk, tell=watcher.on_message, load=load
        )
        for found, kept in rows:
            keep(found, kept)
            watcher.on_row(found)
    finally:
        watcher.on_end()


def select(table: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """The plan's rows, in its order; runs without a row are left out."""
    return pick(table, plan.wanted)


def pick(table: pl.DataFrame, ids: Iterable[str]) -> pl.DataFrame:
    """The rows with these ids, in this order."""
    order = pl.DataFrame({"id": list(ids)}, schema={"id": pl.String})
    return order.join(table, on="id", how="inner", maintain_order="left")
