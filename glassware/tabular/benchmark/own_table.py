"""A table of your own: read and prepared, or refused with a sentence."""

from __future__ import annotations

import csv
import difflib
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from glassware.tabular.benchmark.tables import KINDS, read_frame
from glassware.tabular.inputs import DataError

BIG = 256 << 20  # bytes; larger CSV files are sampled
MOST_ROWS = 10_000
MOST_CLASSES = 50
MOST_WORDS = 20  # distinct values of a text column that is one-hot encoded
SHOWN = 6  # names in a sentence
HEAD = 1 << 20  # bytes from which the line length is estimated
SCHEMA_ROWS = 10_000
SEPARATORS = {";": "semicolons", "\t": "tabs"}  # that a CSV file may have instead of commas
NOTHING = ("NA", "N/A", "na", "n/a", "NaN", "nan", "null", "NULL", "None", "?", "")  # among numbers: missing


@dataclass(frozen=True, eq=False)
class OwnTable:
    """A classification table.

    Attributes:
        X: inputs, float64; NaN where a value is missing.
        y: class of each row, 0 to number of classes - 1.
        columns: names of the inputs.
        classes: names of the classes.
        notes: what was done to the file, in sentences.
    """

    X: np.ndarray
    y: np.ndarray
    columns: tuple[str, ...]
    classes: tuple[str, ...]
    notes: tuple[str, ...]


def read_table(
    path: Path,
    target: str,
    *,
    drop: Sequence[str] = (),
    missing: str = "refuse",
    most_rows: int = MOST_ROWS,
    seed: int = 0,
) -> OwnTable:
    """Read a CSV, Parquet or ARFF file and prepare it.

    Args:
        path: the file. A CSV file above 256 MB is sampled at random.
        target: column with the classes.
        drop: columns to leave out.
        missing: ``refuse`` rows with missing values with a sentence, or ``median`` to fill them later.
        most_rows: more rows than this are cut down to a random part.
        seed: of that part.
    """
    if missing not in ("refuse", "median"):
        raise DataError(f"missing must be 'refuse' or 'median', not {missing!r}.")
    if most_rows < 4:
        raise DataError(f"at least 4 rows are needed, not {most_rows}.")
    notes: list[str] = []
    frame = _read(path, most_rows, notes)
    _check_names(path, frame, target, drop)
    if not len(frame):
        raise DataError(f"{path} has no rows.")
    if len(frame) > most_rows:
        notes.append(f"{most_rows:,} of {len(frame):,} rows are used, drawn at random.")
        frame = frame[np.sort(np.random.default_rng(seed).permutation(len(frame))[:most_rows])]
    classes, y = _classes(path, frame[target])
    inputs = frame.drop([target, *drop])
    X, columns = _inputs(path, inputs, missing, notes)
    return OwnTable(X, y, columns, classes, tuple(notes))


def _read(path: Path, most_rows: int, notes: list[str]) -> pl.DataFrame:
    if path.suffix != ".csv" or not path.is_file():
        if path.is_dir():
            raise DataError(f"{path} is a folder: a file {', '.join(KINDS)} is needed.")
        return read_frame(path)
    separator = _separator(path)
    if separator != ",":
        notes.append(f"Fields are taken to be separated by {SEPARATORS[separator]}.")
    if path.stat().st_size <= BIG:
        return read_frame(path, separator)
    with path.open("rb") as file:
        head = file.read(HEAD)
    expected = path.stat().st_size * max(1, head.count(b"\n")) / max(1, len(head))
    share = min(1.0, 1.3 * most_rows / expected)
    # The hash of a row's number decides whether it is kept: rows from all over the file, without holding them all.
    chosen = (pl.col("row number").hash(0) % 1_000_000) < int(share * 1_000_000)
    try:
        lazy = pl.scan_csv(
            path, separator=separator, infer_schema_length=SCHEMA_ROWS, glob=False, row_index_name="row number"
        )
        frame = lazy.filter(chosen).drop("row number").collect(engine="streaming")
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:120]
        raise DataError(f"{path} cannot be read: {reason}.") from None
    size = path.stat().st_size / (1 << 20)
    notes.append(f"The file has {size:,.0f} MB: {len(frame):,} of about {expected:,.0f} rows were read.")
    return frame


def _separator(path: Path) -> str:
    """The field separator, judged by the first line. Duplicate column names are refused: Polars would rename them."""
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        first = file.readline()
    found = "," if "," in first else next((mark for mark in SEPARATORS if mark in first), ",")
    names = next(csv.reader([first], delimiter=found), [])
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"{path} has more than one column named {twice[0]!r}: rename them.")
    return found


def _check_names(path: Path, frame: pl.DataFrame, target: str, drop: Sequence[str]) -> None:
    for column, what in ((target, "target"), *((name, "column to drop") for name in drop)):
        if column not in frame.columns:
            near = difflib.get_close_matches(column, frame.columns, n=1, cutoff=0.5)
            shown = ", ".join(frame.columns[:SHOWN]) + (", ..." if frame.width > SHOWN else "")
            hint = f"did you mean {near[0]!r}?" if near else f"its columns are {shown}."
            raise DataError(f"{path} has no column {column!r} ({what}); {hint}")
    if target in drop:
        raise DataError(f"the target {target!r} cannot be dropped.")
    if frame.width - len(set(drop)) < 2:
        raise DataError(f"{path} has {frame.width - len(set(drop))} column: an input and a target are needed.")


def _classes(path: Path, target: pl.Series) -> tuple[tuple[str, ...], np.ndarray]:
    if target.dtype.is_nested() or target.dtype in (pl.Object, pl.Binary):
        raise DataError(f"The target {target.name!r} is of type {target.dtype}: a class is a number or a word.")
    nothing = target.null_count() + (int(target.is_nan().sum()) if target.dtype.is_float() else 0)
    if nothing:
        raise DataError(f"The target {target.name!r} is missing in {nothing:,} of {len(target):,} rows.")
    found = target.unique().sort()
    if len(found) == 1:
        raise DataError(f"All rows of {path} are of one class, {found[0]!r}: there is nothing to tell apart.")
    if len(found) > MOST_CLASSES:
        raise DataError(
            f"The target {target.name!r} has {len(found):,} different values, more than the {MOST_CLASSES} classes that"
            " are compared here; for numbers use glassware.tabular.SparseMLPRegressor."
        )
    y = target.replace_strict(found, np.arange(len(found)), return_dtype=pl.Int64).to_numpy()
    rare = int(np.argmin(np.bincount(y)))
    if np.bincount(y)[rare] < 2:
        hint = "; for numbers use glassware.tabular.SparseMLPRegressor" if target.dtype.is_float() else ""
        raise DataError(f"Class {found[rare]!r} has a single row: to hold one out takes two{hint}.")
    return tuple(str(value) for value in found.to_list()), y


def _free(name: str, taken: set[str]) -> str:
    """The name, numbered if a column has it: text in ``a`` may stand beside a column ``a=x``."""
    return next(
        one for one in itertools.chain([name], (f"{name} ({i})" for i in itertools.count(2))) if one not in taken
    )


def _numbers(column: pl.Series) -> pl.Series:
    """Text that is all numbers except for words like NA, as numbers with missing values; other columns unchanged."""
    if column.dtype != pl.String:
        return column
    words = column.str.strip_chars()
    known = words.filter(words.is_not_null() & ~words.is_in(NOTHING))
    if not len(known) or known.cast(pl.Float64, strict=False).null_count():
        return column
    return words.cast(pl.Float64, strict=False).fill_nan(None)


def _inputs(path: Path, inputs: pl.DataFrame, missing: str, notes: list[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Numbers as they are, text with few values one-hot encoded, constant columns left out."""
    parts, names, constant, coded = list[np.ndarray](), list[str](), list[str](), list[str]()
    for given in inputs.iter_columns():
        column = _numbers(given)
        name, dtype = column.name, column.dtype
        nothing = column.null_count() + (int(column.is_nan().sum()) if dtype.is_float() else 0)
        if nothing and nothing == len(column):
            constant.append(name)
            continue
        if nothing and missing == "refuse":
            raise DataError(
                f"Column {name!r} is missing in {nothing:,} of {len(column):,} rows: --missing median fills them,"
                f" --drop {name} leaves it out."
            )
        if dtype == pl.String:
            values = column.drop_nulls().unique().sort().to_list()
            if len(values) > MOST_WORDS:
                raise DataError(
                    f"Column {name!r} is text with {len(values):,} different values, and only {MOST_WORDS} are"
                    f" coded: --drop {name} leaves it out."
                )
            if len(values) > 1:
                coded.append(name)
                parts += [(column == value).fill_null(False).cast(pl.Float64).to_numpy() for value in values]
                names += [_free(f"{name}={value}", {*inputs.columns, *names}) for value in values]
            else:
                constant.append(name)
            continue
        if not (dtype.is_numeric() or dtype == pl.Boolean):
            raise DataError(
                f"Column {name!r} is of type {dtype}, neither number nor text: --drop {name} leaves it out."
            )
        numbers = column.cast(pl.Float64).to_numpy()
        wild = int(np.isinf(numbers).sum())
        if wild:
            raise DataError(f"Column {name!r} is infinite in {wild:,} of {len(numbers):,} rows: replace these values.")
        known = numbers[~np.isnan(numbers)]
        if known.min() == known.max():
            constant.append(name)
            continue
        parts.append(numbers)
        names.append(name)
    if not parts:
        raise DataError(f"No input of {path} varies: all columns but the target are constant.")
    if constant:
        more = ", ..." if len(constant) > SHOWN else ""
        notes.append(f"Constant columns are left out: {', '.join(constant[:SHOWN])}{more}.")
    if coded:
        notes.append(f"Text columns are coded, a column a value: {', '.join(coded[:SHOWN])}.")
    return np.column_stack(parts), tuple(names)
