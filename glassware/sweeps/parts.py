"""The parts of a store: which files are parts, their rows, and whether rows of several parts fit together.

Read here, on every read, are the checks that cost nothing beside reading: the digest of each part, types of columns,
specifications that are no JSON objects, semantics, rows that contradict each other. What takes a look at every row one
by one, as whether an id is the hash of its specification, is done by ``glassware store check`` (``check.py``).
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from glassware.foundation.errors import StoreError
from glassware.sweeps.checked import read_checked
from glassware.sweeps.disk import TEMPORARY
from glassware.sweeps.rows import CIRCUMSTANCES, SCHEMA

MAGIC = b"PAR1"
REQUIRED = ("id", "spec", "success")
DEPTH = 200  # brackets in a specification, far more than any has
FAILURES = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)  # a panic is no Exception


def list_parts(folder: Path) -> list[Path]:
    """Everything in the folder of parts but unfinished files, oldest first."""
    try:
        entries = sorted(folder.iterdir()) if folder.exists() else []
    except OSError as error:
        raise StoreError(f"cannot read {folder}: {error.strerror}") from None
    return [entry for entry in entries if not entry.name.startswith(TEMPORARY)]


def check_part(part: Path) -> None:
    """Refuse what is not a whole Parquet file, by its kind and its first and last four bytes."""
    if part.suffix != ".parquet":
        raise StoreError(f"{part} does not belong in a glassware store; remove it")
    try:
        mode = part.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a pipe would be waited for
            raise StoreError(f"{part} is not a file and does not belong in a glassware store; remove it")
        with part.open("rb") as file:
            head = file.read(4)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 4))
            tail = file.read(4)
    except FileNotFoundError:
        return  # merged away between listing and reading; the read will list again
    except OSError as error:
        raise StoreError(f"cannot read {part}: {error.strerror}") from None
    if size < 12 or head != MAGIC or tail != MAGIC:
        raise StoreError(f"{part} is cut short or not Parquet; remove it and its runs will be trained again")


def read_part(part: Path, wanted: list[str] | None, older: bool, semantics: int) -> pl.DataFrame:
    """The rows of a part, some columns of them if ``wanted`` says which. Its bytes are verified, then parsed.

    Args:
        older: the store is of an earlier format, whose columns had other types.
        semantics: the newest that is known here.
    """
    data = read_checked(part)
    try:
        schema = pl.read_parquet_schema(io.BytesIO(data))
        # A column that came to the schema later has no type in a part without a value of it.
        untyped = {name: SCHEMA[name] for name, kind in schema.items() if kind == pl.Null and name in SCHEMA}
        typed = [name for name in schema if name in SCHEMA and name not in untyped]
        foreign = not older and any(schema[name] != SCHEMA[name] for name in typed)
        if not set(REQUIRED) <= set(schema) or foreign:
            raise StoreError(f"{part} is not a part of a glassware store; remove it")
        present = [name for name in schema if name in wanted] if wanted is not None else None
        table = pl.read_parquet(io.BytesIO(data), columns=present)
        table = table.cast({name: kind for name, kind in untyped.items() if name in table.columns})
    except FAILURES as error:
        reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        raise StoreError(f"{part} is damaged ({reason}); remove it to train its runs again") from None
    _check_rows(part, table, semantics)
    return table


def _check_rows(part: Path, table: pl.DataFrame, semantics: int) -> None:
    """Refuse rows without an id, whose specification cannot be one, or that a newer glassware wrote."""
    for name in REQUIRED:
        if name in table.columns and table[name].null_count():
            raise StoreError(f"{part} has a row without {name}; 'glassware store repair' drops it")
    if "spec" in table.columns and not table.select(_plausible().all()).item():
        first = table.filter(~_plausible())["id"][0]
        raise StoreError(f"{part} has a specification that is no JSON object (run {first[:40]}); remove it")
    newest = table["semantics"].max() if "semantics" in table.columns else None
    if isinstance(newest, int) and newest > semantics:
        raise StoreError(f"{part} has rows of a newer glassware (semantics {newest}, known is {semantics}); update it")


def _plausible() -> pl.Expr:
    """Whether a specification looks like a JSON object that is not nested beyond all measure."""
    spec = pl.col("spec")
    shallow = (spec.str.len_bytes() < DEPTH) | (spec.str.count_matches(r"\{") < DEPTH)
    return spec.str.starts_with("{") & spec.str.ends_with("}") & shallow & ~spec.str.contains("[" * 16, literal=True)


def joined(tables: Mapping[Path, pl.DataFrame]) -> pl.DataFrame:
    """The rows of several parts as one table; a column that is text here and a number there is refused."""
    kinds: dict[str, tuple[str, Path]] = {}
    for part, table in tables.items():
        for name, dtype in table.schema.items():
            kind = _kind(dtype)
            known, where = kinds.setdefault(name, (kind, part))
            if "unknown" in known:
                kinds[name] = kind, part
            elif known != kind and "unknown" not in kind:
                raise StoreError(f"column '{name[:60]}' holds {known} in {where} and {kind} in {part}; remove one")
    try:
        return pl.concat(tables.values(), how="diagonal_relaxed")
    except FAILURES as error:
        folder = next(iter(tables)).parent
        raise StoreError(f"the parts in {folder} do not fit together ({str(error).splitlines()[0][:120]})") from None


def _kind(dtype: Any) -> str:
    if isinstance(dtype, pl.List):
        return f"lists of {_kind(dtype.inner)}"
    if dtype == pl.Null:
        return "unknown"
    return "numbers" if dtype.is_numeric() else {pl.String: "text", pl.Boolean: "booleans"}.get(type(dtype), str(dtype))


def each_once(table: pl.DataFrame, folder: Path) -> pl.DataFrame:
    """Every run once. A crash in a merge leaves identical rows twice; rows that differ are refused."""
    if table["id"].n_unique() == len(table):
        return table
    first = table.unique("id", keep="first", maintain_order=True)
    again = table.filter(~pl.col("id").is_first_distinct())
    differing = contradictions(first, again)
    if differing:
        raise StoreError(
            f"run {differing[0]} has two rows in {folder} with different results; "
            "'glassware store repair' drops both, and the same sweep trains it again"
        )
    return first


def contradictions(one: pl.DataFrame, other: pl.DataFrame) -> list[str]:
    """Ids of rows of ``other`` that say something else than those of ``one``.

    How a row came about does not count, nor a column that one of them lacks: later versions add columns.
    """
    common = other["id"].filter(other["id"].is_in(one["id"].implode()))
    order = pl.DataFrame({"id": common})
    ours, theirs = order.join(one, on="id", maintain_order="left"), order.join(other, on="id", maintain_order="left")
    wrong: set[str] = set()
    for name in _compared(ours.columns, theirs.columns):
        left, right = ours[name], theirs[name]
        if left.dtype == pl.Null or right.dtype == pl.Null:
            continue
        said = left.is_not_null() & right.is_not_null()
        wrong.update(common.filter(said & left.ne_missing(right)))
    return sorted(wrong)


def _compared(ours: Iterable[str], theirs: Iterable[str]) -> list[str]:
    return [name for name in ours if name in set(theirs) and name not in CIRCUMSTANCES]
