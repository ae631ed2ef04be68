"""The rows of a study: trained, computed, or read from the store."""

from __future__ import annotations

import time
from collections.abc import Callable

import polars as pl

from glassware.engine import Engine
from glassware.foundation.errors import GlasswareError
from glassware.studies.claim import Scale
from glassware.studies.study import PiecedTable, Study, together
from glassware.sweeps import (
    Pieces,
    Reporter,
    Share,
    Store,
    Trainer,
    keep_computed,
    make_plan,
    named,
    read_computed,
    sweep,
)
from glassware.sweeps.items import ITEM, Item
from glassware.sweeps.own_code import tell_of_other_code
from glassware.training import Run

SAY_SECONDS = 10.0  # between two words about pieces


def train(
    study: Study,
    scale: Scale,
    store: Store | None,
    seeds: int | None = None,
    *,
    share: Share | None = None,
    reporter: Reporter | None = None,
    lanes: int | None = None,
    engine: Engine = "auto",
    trainer: Trainer | None = None,
) -> pl.DataFrame:
    """Compute and train what the store lacks, stage by stage, and return all rows of the study.

    With a share only that part of every stage is trained, and nothing is computed: that is left to whoever trains the
    rest and judges. A stage that builds on an earlier one waits until all shares of that are there.
    """
    if share is not None and not study.stages:
        raise GlasswareError(f"{study.name} is computed, not trained: there is nothing to share")
    if share is not None and store is None:
        raise GlasswareError("a share needs a store: without one nobody else would see what it trained")
    computed = pl.DataFrame()
    if share is None:
        parts = _compute(study, scale, store, seeds, reporter), _piece(study, scale, store, seeds, reporter)
        computed = together(*parts)

    def rows_of(number: int, runs: list[Run]) -> tuple[pl.DataFrame, bool]:
        found = sweep(runs, store, reporter=reporter, lanes=lanes, engine=engine, share=share, trainer=trainer)
        if share is None or store is None:
            return found, True
        plan = make_plan(runs, store)  # what the others have trained counts as well
        if plan.todo and reporter is not None and (what := study.after(number)):
            rest = f"{len(plan.todo):,} of {len(plan.wanted):,} runs"
            reporter.on_message(f"{what} waits for {rest} of stage {number + 1}, in other shares")
        return store.read(ids=plan.wanted), not plan.todo

    return together(computed, study.follow(scale, seeds, rows_of))


def results(study: Study, scale: Scale, store: Store, seeds: int | None = None) -> pl.DataFrame:
    """The study's rows that the store already has; trains and computes nothing.

    A study that is both trained and computed has none as long as one half is missing.
    """
    return _gather(study, scale, store, seeds)[0]


def missing(study: Study, scale: Scale, store: Store, seeds: int | None = None) -> tuple[int, int]:
    """Runs that the store does not have, and all runs, as far as its rows say which ones later stages want.

    A computed table counts as one run; one made in pieces is there as soon as it has a piece, since to know how many it
    wants may take data that are not at hand.
    """
    _, found, wanted = _gather(study, scale, store, seeds)
    return wanted - found, wanted


def left_in_pieces(
    study: Study, scale: Scale, store: Store | None, seeds: int | None = None
) -> list[tuple[str, int, int, float]]:
    """Of every table made in pieces: its name, pieces that the store lacks, all pieces, core-seconds the rest takes."""
    found = []
    for part in _parts(study, scale, seeds):
        items = list(part.items())
        todo = items if store is None else Pieces(store, part.table, part.version).missing(items)
        found.append((part.table, len(todo), len(items), sum(item.seconds for item in todo)))
    return found


def _gather(study: Study, scale: Scale, store: Store, seeds: int | None) -> tuple[pl.DataFrame, int, int]:
    """The study's rows in the store, how many of its runs have one, and how many there would be."""
    asked = set[str]()

    def rows_of(_: int, runs: list[Run]) -> tuple[pl.DataFrame, bool]:
        ids = named(runs, store)
        there = store.read(ids=ids)
        tell_of_other_code(there, ids, store.path)
        asked.update(ids)
        return there, True

    table = study.follow(scale, seeds, rows_of)
    found, wanted = len(table), len(asked)
    for part in _parts(study, scale, seeds):
        rows = _rows(Pieces(store, part.table, part.version))
        table, found, wanted = together(table, rows), found + bool(len(rows)), wanted + 1
    if study.compute is None:
        return table, found, wanted
    computed = read_computed(store, _computed_name(study, scale, seeds), study.version)
    found, wanted = found + (computed is not None), wanted + 1
    # Studies share runs: rows of another one must not pass for half of this one, whose checks look at both halves.
    if computed is None or (study.stages and not len(table)):
        return pl.DataFrame(), found, wanted
    return together(computed, table), found, wanted


def _parts(study: Study, scale: Scale, seeds: int | None) -> list[PiecedTable]:
    return study.parts(scale, seeds) if study.parts is not None else []


def _rows(pieces: Pieces) -> pl.DataFrame:
    """What the pieces say, without the marks of those that say nothing."""
    table = pieces.read()
    return table.filter(pl.any_horizontal(pl.exclude(ITEM).is_not_null())) if table.width > 1 else pl.DataFrame()


def _piece(
    study: Study, scale: Scale, store: Store | None, seeds: int | None, reporter: Reporter | None
) -> pl.DataFrame:
    """The rows of the study's parts; computes the pieces that the store lacks, one after the other."""
    table, tell = pl.DataFrame(), reporter.on_message if reporter is not None else lambda line: None
    for part in _parts(study, scale, seeds):
        if store is None:
            for item in part.items():
                table = together(table, item.compute())
            continue
        pieces = Pieces(store, part.table, part.version)
        items = list(part.items())
        todo = pieces.missing(items)
        tell(f"{part.table}: {len(items):,} pieces, {len(items) - len(todo):,} there before")
        if todo:
            _make(todo, pieces, part.table, tell)
        table = together(table, _rows(pieces))
    return table


def _make(todo: list[Item], pieces: Pieces, name: str, tell: Callable[[str], None]) -> None:
    """Compute pieces, and say now and then how long the rest takes: as the forecasts say, corrected by what was."""
    started, said, done = time.monotonic(), time.monotonic(), 0.0
    total = sum(item.seconds for item in todo)
    with pieces.writing() as add:
        for count, item in enumerate(todo, start=1):
            add(item.key, item.compute())
            done += item.seconds
            now = time.monotonic()
            if now - said >= SAY_SECONDS or count == len(todo):
                said, left = now, (now - started) / done * (total - done) if done else 0.0
                tell(f"{name}: {count:,} of {len(todo):,} pieces, about {left:,.0f} s left")


def _compute(
    study: Study, scale: Scale, store: Store | None, seeds: int | None, reporter: Reporter | None
) -> pl.DataFrame:
    """The study's computed rows, from the store where it has them."""
    if study.compute is None:
        return pl.DataFrame()
    compute, tell = study.compute, reporter.on_message if reporter is not None else lambda line: None

    def fresh() -> pl.DataFrame:
        tell("computing (no training)")
        started = time.monotonic()
        table = compute(scale, seeds)
        tell(f"computed {len(table):,} rows in {time.monotonic() - started:.1f} s")
        return table

    if store is None:
        return fresh()
    name = _computed_name(study, scale, seeds)
    if read_computed(store, name, study.version) is not None:
        tell("computed before")
    return keep_computed(store, name, study.version, fresh)


def _computed_name(study: Study, scale: Scale, seeds: int | None) -> str:
    return f"{study.name}/{scale}" if seeds is None else f"{study.name}/{scale}-{seeds}"
