"""The parts of a store: which files are parts, their rows, and whether rows of several parts fit together.

A part whose name has a digest holds what glassware wrote. One without was written by an earlier version, or by
somebody else: there every id is compared with the hash of its specification, too. What takes longer, as whether columns
say what the specification says, is left to ``glassware store check`` (``check.py``).
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath
from typing import Any

import numpy as np
import polars as pl

from glassware.foundation.errors import StoreError
from glassware.foundation.specs import seedless
from glassware.sweeps.checked import MAGIC, check_footer, digest_in, read_checked
from glassware.sweeps.disk import TEMPORARY
from glassware.sweeps.identity import SEMANTICS
from glassware.sweeps.places import disk_of
from glassware.sweeps.rows import CIRCUMSTANCES, SCHEMA

REQUIRED = ("id", "spec", "success")
LOOKED_AT = (*REQUIRED, "semantics", "n", "k")  # read of every part, so that checks do not depend on what is wanted
NULL_SAYS = ("steps_to_success", "diverged_step")  # where null is a finding: never
CELL = "cell"  # not in any part: the specification without its seed, as a category, which figures pool by
MARK = "id "  # a hash of the id, which takes a fifth of its room; no other column has a space in its name
DEPTH = 100  # brackets that are open at once in a specification, far more than any has
# A panic of Polars is no Exception, so that it has to be named.
FAILURES = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, MemoryError)


@dataclass(frozen=True)
class Part:
    """A part that was read: some of its columns, and the types of all."""

    path: PurePath
    table: pl.DataFrame
    schema: dict[str, Any]


def list_parts(folder: PurePath) -> list[PurePath]:
    """Everything in the folder of parts but unfinished files, oldest first."""
    try:
        entries = disk_of(folder).entries(folder)
    except OSError as error:
        raise StoreError(f"cannot read {folder}: {error.strerror}") from None
    return [entry for entry in entries if not entry.name.startswith(TEMPORARY)]


def check_part(part: PurePath) -> None:
    """Refuse what is not a whole Parquet file, by its kind and its first and last four bytes."""
    if part.suffix != ".parquet":
        raise StoreError(f"{part} does not belong in a glassware store; remove it")
    disk = disk_of(part)
    if disk.whole and digest_in(part) is not None:  # it cannot be cut short, and is verified when it is read
        return
    try:
        with disk.opened(part) as file:
            head = file.read(4)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 4))
            tail = file.read(4)
    except FileNotFoundError:
        return  # merged away between listing and reading; the read will list again
    if size < 12 or head != MAGIC or tail != MAGIC:
        raise StoreError(f"{part} is cut short or not Parquet; remove it and its runs will be trained again")


def rows_in(part: PurePath) -> int:
    """How many rows a part has, from its footer, which is verified before it is parsed."""
    disk = disk_of(part)
    if not disk.whole:  # of an object all is read, and verified
        check_footer(part)
    try:
        return int(pl.scan_parquet(disk.source(part), glob=False).select(pl.len()).collect().item())
    except FAILURES as error:
        raise _unreadable(part, error) from None


def grouped(sizes: Mapping[PurePath, int], most: int) -> list[list[PurePath]]:
    """Parts to be made one, in order: groups of two and more with at most so many bytes together."""
    groups, size = list[list[PurePath]](), most
    for part, its in sizes.items():
        if size + its > most:
            groups.append([])
            size = 0
        groups[-1].append(part)
        size += its
    return [group for group in groups if len(group) > 1]


def read_part(
    part: PurePath, wanted: Iterable[str] | None, older: bool, semantics: int, marks: np.ndarray | None = None
) -> Part:
    """The rows of a part, some columns of them if ``wanted`` says which.

    Its bytes are verified, then parsed; rows are checked whatever is wanted of them.

    Args:
        wanted: columns, ``CELL`` and ``MARK`` among them.
        older: the store is of an earlier format, whose columns had other types.
        semantics: the store's.
        marks: of the runs whose rows are wanted, in order; of all unless given.
    """
    data = read_checked(part)
    try:
        schema = dict(pl.read_parquet_schema(io.BytesIO(data)))
        _check_schema(part, schema, older)
        wanted = None if wanted is None else set(wanted)
        columns = list(schema) if wanted is None else [name for name in schema if name in wanted | {*LOOKED_AT}]
        # Where few runs are wanted most parts have none of them, and of those no more is unpacked than is checked.
        first = columns if marks is None else [name for name in schema if name in LOOKED_AT]
        table = _typed(pl.read_parquet(io.BytesIO(data), columns=first))
        cells = table.select(seedless()).to_series()
        _check_rows(part, table, cells, semantics)
        if marks is not None:
            ours = table["id"].filter(_among(mark(table["id"]), marks))
            rows = pl.scan_parquet(io.BytesIO(data)).select(columns)
            rows = rows.filter(pl.col("id").is_in(ours.implode())) if len(ours) else rows.head(0)
            table = _typed(rows.collect())
            cells = table.select(seedless()).to_series()
        if wanted is not None and CELL in wanted:
            table = table.with_columns(cells.cast(pl.Categorical).alias(CELL))
        if wanted is not None:
            table = table.with_columns(mark(table["id"]))
            table = table.select([name for name in table.columns if name in wanted])
    except FAILURES as error:
        raise _unreadable(part, error) from None
    return Part(part, table, schema)


def _typed(table: pl.DataFrame) -> pl.DataFrame:
    """A column that came to the schema later has no type in a part without a value of it."""
    return table.cast({name: SCHEMA[name] for name, kind in table.schema.items() if kind == pl.Null and name in SCHEMA})


def mark(ids: pl.Series) -> pl.Series:
    """Numbers that differ where ids do, but for one in 10^12 pairs: what seems to be there twice is looked at again."""
    return ids.hash().alias(MARK)


def marks_of(ids: Iterable[str]) -> np.ndarray:
    """The marks of some runs, in order."""
    return mark(pl.Series(list(ids), dtype=pl.String)).sort().to_numpy()


def _among(found: pl.Series, marks: np.ndarray) -> pl.Series:
    """Which marks are among those that are wanted, by bisection: a set of them would be made anew for every part."""
    if not len(marks):
        return pl.repeat(False, len(found), eager=True)
    theirs = found.to_numpy()
    return pl.Series(marks[np.searchsorted(marks, theirs).clip(max=len(marks) - 1)] == theirs, dtype=pl.Boolean)


def _unreadable(part: PurePath, error: BaseException) -> StoreError:
    reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
    return StoreError(f"{part} is damaged ({reason}); remove it to train its runs again")


def _check_schema(part: PurePath, schema: dict[str, Any], older: bool) -> None:
    foreign = f"{part} is not a part of a glassware store"
    for name in REQUIRED:
        if name not in schema:
            raise StoreError(f"{foreign}: it has no column '{name}'; remove it")
    for name, kind in schema.items():
        if not older and name in SCHEMA and kind not in (SCHEMA[name], pl.Null):
            raise StoreError(f"{foreign}: its column '{name}' has type {kind}, not {SCHEMA[name]()}; remove it")


def _check_rows(part: PurePath, table: pl.DataFrame, cells: pl.Series, semantics: int) -> None:
    """Refuse rows that are incomplete, of other semantics, or whose specification cannot be one."""
    for name in REQUIRED:
        if table[name].null_count():
            raise StoreError(f"{part} has a row without {name}; 'glassware store repair' moves it aside")
    found = table["semantics"].drop_nulls() if "semantics" in table.columns else pl.Series([], dtype=pl.Int32)
    for other in found.unique().sort(descending=True):
        if other > SEMANTICS:
            raise StoreError(f"{part} has rows of a newer glassware (semantics {other}, not {SEMANTICS}); update it")
        if other != semantics:
            older = "an older glassware" if other < semantics else f"semantics {other} in a store of an older glassware"
            raise StoreError(f"{part} has rows of {older}: runs of one drew other random numbers than the other's")
    for spec in cells.unique():
        why = _wrong_json(spec)
        if why:
            run = table.filter(cells == spec)["id"][0]
            raise StoreError(f"{part} has a specification that {why} (run {run[:40]}); remove it")
    for name in ("n", "k"):
        lacking = table.filter(pl.col(name).is_null()) if name in table.columns else table
        lacking = lacking.filter(pl.col("spec").str.contains(rf'"task":\{{[^{{}}]*"{name}":\d'))
        if len(lacking):
            raise StoreError(f"{part} has a row without {name}, which its specification has (run {lacking['id'][0]})")
    if digest_in(part) is None:
        wrong = wrong_ids(table, semantics)
        if wrong:
            raise StoreError(f"{part} has a row whose id is not that of its specification (run {wrong[0]}); remove it")


@lru_cache(maxsize=10_000)  # the parts of a large sweep have the same few hundred
def _wrong_json(spec: str) -> str | None:
    """What is wrong with the text of a specification. Depth is counted first: deep ones bring parsers down."""
    depth = deepest = 0
    if spec.count("{") + spec.count("[") > DEPTH:
        for letter in spec:
            depth += (letter in "{[") - (letter in "}]")
            deepest = max(deepest, depth)
    if deepest > DEPTH:
        return "is nested too deeply"
    try:
        return None if isinstance(json.loads(spec), dict) else "is no JSON object"
    except (ValueError, RecursionError):
        return "is not JSON"


def wrong_ids(table: pl.DataFrame, semantics: int) -> list[str]:
    """Ids that are not the hash of their specification."""
    pairs = zip(table["id"], table["spec"], strict=True)
    hashed = lambda spec: hashlib.sha256(f"{semantics}:{spec}".encode()).hexdigest()[:20]
    return [str(run)[:40] for run, spec in pairs if run != hashed(spec)]


def joined(parts: Iterable[Part]) -> pl.DataFrame:
    """The rows of several parts as one table; a column that is text here and a number there is refused."""
    kinds: dict[str, tuple[str, PurePath]] = {}
    parts = list(parts)
    for part in parts:
        for name, dtype in part.schema.items():
            kind = _kind(dtype)
            known, where = kinds.setdefault(name, (kind, part.path))
            if "unknown" in known:
                kinds[name] = kind, part.path
            elif known != kind and "unknown" not in kind:
                raise StoreError(f"column '{name[:60]}' holds {known} in {where} and {kind} in {part.path}; remove one")
    try:
        return pl.concat([part.table for part in parts], how="diagonal_relaxed")
    except FAILURES as error:
        folder = parts[0].path.parent
        raise StoreError(f"the parts in {folder} do not fit together ({str(error).splitlines()[0][:120]})") from None


def _kind(dtype: Any) -> str:
    if isinstance(dtype, pl.List):
        return f"lists of {_kind(dtype.inner)}"
    if dtype == pl.Null:
        return "unknown"
    return "numbers" if dtype.is_numeric() else {pl.String: "text", pl.Boolean: "booleans"}.get(type(dtype), str(dtype))


def each_once(table: pl.DataFrame, folder: PurePath) -> pl.DataFrame:
    """Every run once. A crash in a merge leaves identical rows twice; rows that differ are refused."""
    if table["id"].n_unique() == len(table):
        return table
    differing = contradictions(table)
    if differing:
        raise StoreError(
            f"run {differing[0]} has two rows in {folder} with different results; "
            "'glassware store repair' moves both aside, and the same sweep trains it again"
        )
    return table.unique("id", keep="first", maintain_order=True)


def contradictions(table: pl.DataFrame) -> list[str]:
    """Ids of runs with rows that say different things.

    How a row came about does not count, nor a column that one of them lacks: later versions add columns.
    """
    rows = table.filter(pl.col("id").is_duplicated())
    if not len(rows):
        return []
    compared = [name for name in rows.columns if name not in ("id", *CIRCUMSTANCES)]
    counts = [_distinct(name, rows.schema[name]).alias(f"{i}") for i, name in enumerate(compared)]
    found = rows.group_by("id").agg(counts)
    return sorted(found.filter(pl.any_horizontal(pl.exclude("id") > 1))["id"])


def _distinct(name: str, dtype: Any) -> pl.Expr:
    """How many different values a run has in a column."""
    said = pl.col(name) if name in NULL_SAYS else pl.col(name).drop_nulls()
    return (pl.struct(said).struct.json_encode() if dtype.is_nested() else said).n_unique()
