"""Is a store sound? Every file is verified, every row is looked at; nothing is changed.

``glassware store check`` prints what is found here, and ``repair.py`` moves it aside.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from glassware.foundation.errors import GlasswareError, StoreError
from glassware.foundation.specs import seedless
from glassware.models import Solved
from glassware.sweeps import kept
from glassware.sweeps.checked import digest_in
from glassware.sweeps.computed import computed_tables, load_computed
from glassware.sweeps.formats import FORMAT
from glassware.sweeps.parts import Part, check_part, contradictions, joined, list_parts, read_part, wrong_ids
from glassware.sweeps.remembered import load_remembered, sweep_files
from glassware.sweeps.rows import frame
from glassware.sweeps.store import Store
from glassware.sweeps.validation import build

# Rows of every version have these. Of other columns an older row may have none, and that is no fault.
ALWAYS = ("task", "model", "n", "k", "m", "width", "batch", "steps", "lr")


@dataclass(frozen=True)
class Fault:
    """Something that is wrong: with a file as a whole, or with some runs in it.

    Attributes:
        path: the file.
        why: a sentence that names it.
        runs: ids of the rows that are wrong; empty if it is the file.
    """

    path: Path
    why: str
    runs: frozenset[str] = frozenset()


@dataclass
class Report:
    """What a check has found.

    Attributes:
        runs: sound rows, each run counted once.
        parts, weights, computed: files looked at.
        unverified: files without a digest, by earlier versions: damage in them may go unnoticed.
        faults: what is wrong.
    """

    runs: int = 0
    parts: int = 0
    weights: int = 0
    computed: int = 0
    unverified: int = 0
    faults: list[Fault] = field(default_factory=list)


def check(store: Store, tell: Callable[[str], None] | None = None) -> Report:
    """Verify every file of a store and every row in it. Others may write meanwhile.

    Args:
        tell: called with the name of each file before it is read.
    """
    report, tell = Report(), tell or (lambda line: None)
    sound = list(_check_parts(store, report, tell))
    rows = _check_together(sound, report)
    report.runs = len(rows)
    _check_weights(store, rows, report, tell)
    for name, (path, *older) in computed_tables(store.path).items():
        tell(f"computed table {name}")
        report.computed += 1
        _try(report, path, load_computed)
        report.faults += [Fault(other, f"{other} was replaced by {path.name}") for other in older]
    for name, (path, *older) in sweep_files(store.path).items():
        tell(f"sweep {name}")
        _try(report, path, load_remembered)
        report.faults += [Fault(other, f"{other} was replaced by {path.name}") for other in older]
    return report


def _try(report: Report, path: Path, read: Callable[[Path], Any]) -> Any:
    """What reading gives; None after a note of what is wrong."""
    report.unverified += digest_in(path) is None
    try:
        return read(path)
    except FileNotFoundError:  # replaced by a writer meanwhile
        report.unverified -= digest_in(path) is None
    except StoreError as error:
        report.faults.append(Fault(path, str(error)))
    return None


def _check_parts(store: Store, report: Report, tell: Callable[[str], None]) -> Iterator[Part]:
    """The parts that can be read, without the rows that are wrong."""

    def read(path: Path) -> Part:
        check_part(path)
        return read_part(path, None, store.format < FORMAT, store.semantics)

    for path in list_parts(store.parts_path):
        tell(path.name)
        report.parts += 1
        part = _try(report, path, read)
        if part is None:
            continue
        wrong = frozenset(wrong_ids(part.table, store.semantics))
        if wrong:
            report.faults.append(Fault(path, f"{path} has ids that are not those of their specifications", wrong))
        odd = {run: why for run, why in _odd_rows(part.table).items() if run not in wrong}
        if odd:
            why = f"{path} has rows that do not fit their specifications: {next(iter(odd.values()))}"
            report.faults.append(Fault(path, why, frozenset(odd)))
        rest = part.table.filter(~pl.col("id").is_in([*wrong, *odd]))
        if len(rest):
            yield Part(path, rest, part.schema)


def _odd_rows(table: pl.DataFrame) -> dict[str, str]:
    """Runs whose columns say something else than their specification, and what."""
    found: dict[str, str] = {}
    for _, cell in table.group_by(seedless(), maintain_order=True):  # but for the seed its runs have the same columns
        try:
            run = build(json.loads(cell["spec"][0]))
        except GlasswareError:  # a part that is not registered here
            continue
        if isinstance(run.model, Solved):  # has columns of its own
            continue
        given = frame([run.given_columns()]).to_dicts()[0]  # not what the seed has drawn
        for name in run.given_columns():
            said = given[name]
            if name == "seed" or name not in cell.columns or isinstance(cell.schema[name], pl.List):
                continue
            for one, value in zip(cell["id"], cell[name], strict=True):
                if value == said or (value is None and name not in ALWAYS):
                    continue
                found.setdefault(one, f"{name} is {value!r} in run {one} and should be {said!r}")
    return found


def _check_together(parts: list[Part], report: Report) -> pl.DataFrame:
    """The ids of all sound rows; runs with rows that contradict each other are noted, wherever these are."""
    if not parts:
        return frame([]).select("id")
    fitting: list[Part] = []
    for part in parts:
        try:
            joined([Part(known.path, known.table.clear(), known.schema) for known in [*fitting, part]])
            fitting.append(part)
        except StoreError as error:
            report.faults.append(Fault(part.path, str(error)))
    twice = joined(fitting)["id"] if fitting else pl.Series("id", [], dtype=pl.String)
    double = set(twice.filter(twice.is_duplicated()))
    again = [Part(part.path, part.table.filter(pl.col("id").is_in(double)), part.schema) for part in fitting]
    bad = set(contradictions(joined(again))) if double else set[str]()
    for part in again:
        here = frozenset(bad & set(part.table["id"]))
        if here:
            why = f"{part.path} has rows of which others of the same runs say something else (run {min(here)})"
            report.faults.append(Fault(part.path, why, here))
    keeping = [part.table.select("id", *(["keep"] if "keep" in part.table.columns else [])) for part in fitting]
    table = pl.concat(keeping, how="diagonal_relaxed") if keeping else frame([]).select("id")
    return table.filter(~pl.col("id").is_in(bad)).unique("id", keep="first", maintain_order=True)


def _check_weights(store: Store, rows: pl.DataFrame, report: Report, tell: Callable[[str], None]) -> None:
    files = kept.kept_files(store.path)
    for path, *older in files.values():
        tell(path.name)
        report.weights += 1
        _try(report, path, kept.load)
        report.faults += [Fault(other, f"{other} was replaced by {path.name}") for other in older]
    if "keep" in rows.columns:
        keep = pl.col("keep").cast(pl.List(pl.String))  # all null where no run keeps anything
        keeping = rows.filter(keep.list.len() > 0)["id"]
        lost = frozenset(keeping) - set(files)
        if lost:
            folder = store.path / kept.FOLDER
            report.faults.append(Fault(folder, f"{folder} lacks the weights that runs have kept", lost))
