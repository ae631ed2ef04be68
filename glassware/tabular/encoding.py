"""From the columns of a table to the numbers that networks read, by one rule for each kind of column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, Self, TypeAlias

import numpy as np

from glassware.foundation.arrays import Bool, Float64, Int, Shaped
from glassware.tabular.columns import Column, missing_in, moments, numbers, seconds, words
from glassware.tabular.inputs import DataError, refuse_missing

FEW = 10  # levels of a column that become a column each; more are replaced by means of the target
PARTS = 5  # of the rows; a row's mean is of the other parts
PRIOR_ROWS = 10.0  # rows that the overall mean counts for in a level's mean
ABSENT = "<missing>"  # the level of a missing word
UNKNOWN = -1

Matrix: TypeAlias = Float64[np.ndarray, "rows columns"]
Table: TypeAlias = Matrix | list[Column]  # plain numbers, or columns of any kind
Missing: TypeAlias = Literal["native", "median", "refuse"]


class Coding(Protocol):
    """How one column becomes numbers, NaN where a value is missing."""

    def transform(self, column: Column) -> Matrix:
        """Its numbers in new rows."""
        ...


@dataclass
class Number:
    """Numbers stay as they are."""

    def transform(self, column: Column) -> Matrix:
        return numbers(column)[:, None]


@dataclass
class Moment:
    """A date is the seconds since 1970 and those of its parts that vary: month, weekday, hour."""

    parts: tuple[str, ...]

    @classmethod
    def fit(cls, column: Column) -> Self:
        parts = _parts(column.values)
        return cls(tuple(name for name, part in parts.items() if len(np.unique(part[~np.isnan(part)])) > 1))

    def transform(self, column: Column) -> Matrix:
        values = moments(column)
        parts = _parts(values)
        return np.column_stack([seconds(values), *(parts[name] for name in self.parts)])


@dataclass
class Ranks:
    """A level of an ordered category is its place in the order."""

    levels: tuple[str, ...]

    def transform(self, column: Column) -> Matrix:
        found = _places(words(column), self.levels)
        return np.where(found == UNKNOWN, np.nan, found)[:, None]


@dataclass
class Flags:
    """Every level has a column, 1 in its rows; of two levels the second has. An unknown level has 0 in all."""

    levels: tuple[str, ...]

    def transform(self, column: Column) -> Matrix:
        flags = _places(words(column), self.levels)[:, None] == np.arange(len(self.levels))
        return (flags[:, 1:] if len(self.levels) == 2 else flags).astype(np.float64)


@dataclass
class Means:
    """A level is replaced by the mean of the target in its rows, drawn towards the mean of all rows. An unknown level
    has the mean of all rows, and so has one that was seen once.

    Attributes:
        levels: those seen at least twice.
        means: of each level, (levels, outputs); a last row for unknown ones.
    """

    levels: tuple[str, ...]
    means: np.ndarray

    @classmethod
    def fit(cls, levels: tuple[str, ...], places: np.ndarray, target: np.ndarray, weight: np.ndarray) -> Self:
        known = places >= 0
        count = np.bincount(places[known], weight[known], len(levels))
        overall = np.average(target, axis=0, weights=weight)
        sums = [np.bincount(places[known], (weight * one)[known], len(levels)) for one in target.T]
        means = (np.stack(sums, axis=1) + PRIOR_ROWS * overall) / (count + PRIOR_ROWS)[:, None]
        return cls(levels, np.vstack([means, overall]))

    def transform(self, column: Column) -> Matrix:
        return self.means[_places(words(column), self.levels)]  # an unknown one's place, -1, is the last row


@dataclass
class Encoding:
    """What a fitted estimator knows about its table's columns.

    Attributes:
        codings: of each column; None: all are numbers.
        gaps: those of the numbers made by ``codings`` that get one more: 1 where they are missing.
        source: the column of the table that each number comes from.
    """

    codings: list[Coding] | None
    gaps: Int[np.ndarray, " gaps"]
    source: Int[np.ndarray, " numbers"]

    @classmethod
    def fit(
        cls, table: Table, target: np.ndarray, weight: np.ndarray, missing: Missing, seed: int
    ) -> tuple[Self, Matrix]:
        """The encoding, and the rows encoded for training: means of the target leave out a row's own part.

        Args:
            table: numbers, or columns of any kind.
            target: what means are taken of: a flag for each class, or numbers.
            weight: of each row.
            missing: ``native``: missing numbers are also flagged; ``median``: they are not.
            seed: deals rows to parts.
        """
        if isinstance(table, np.ndarray):
            codings, base, source = None, table, np.arange(table.shape[1])
        else:
            part = np.random.default_rng(seed).permutation(len(target)) % PARTS
            if target.shape[1] == 2 and np.array_equal(target.sum(axis=1), np.ones(len(target))):
                target = target[:, 1:]
            made = [_coding(column, target, weight, part) for column in table]
            codings, blocks = [coding for coding, _ in made], [block for _, block in made]
            base = np.hstack(blocks)
            source = np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks])
        gaps = np.zeros(0, int)
        if missing == "native":
            absent = np.isnan(base)
            first = np.append(True, source[1:] != source[:-1])  # parts of a date are missing together
            gaps = np.flatnonzero(first & absent.any(axis=0) & ~absent.all(axis=0))
        encoding = cls(codings, gaps, np.concatenate([source, source[gaps]]))
        return encoding, encoding._flagged(base)

    def transform(self, table: Table) -> Matrix:
        """New rows."""
        if self.codings is None:
            base = table if isinstance(table, np.ndarray) else np.column_stack([numbers(one) for one in table])
        else:
            columns = as_columns(table) if isinstance(table, np.ndarray) else table
            base = np.hstack([one.transform(column) for one, column in zip(self.codings, columns, strict=True)])
        return self._flagged(base)

    def _flagged(self, base: Matrix) -> Matrix:
        return np.hstack([base, np.isnan(base[:, self.gaps])]) if len(self.gaps) else base


def as_columns(table: Matrix) -> list[Column]:
    """A table of numbers column by column."""
    return [Column(str(place), "number", values) for place, values in enumerate(table.T)]


def check_columns(table: Table, names: Sequence[str] | None, missing: Missing) -> None:
    """Refuse infinite values, and missing ones where they are not wanted, with the column's name."""
    if isinstance(table, np.ndarray):
        if missing == "refuse":
            refuse_missing(table, names)
        return
    for column in table:
        if column.kind == "number" and np.isinf(column.values).any():
            raise DataError(f"Input X contains infinity in column {column.name!r}.")
        if missing == "refuse" and (count := missing_in(column)):
            raise DataError(
                f"Column {column.name!r} contains NaN in {count} of {len(column.values)} rows: impute it, or pass"
                " missing='native'."
            )


def select(table: Table, rows: Bool[np.ndarray, " rows"]) -> Table:
    """The rows that are used."""
    if isinstance(table, np.ndarray):
        return table[rows]
    return [column._replace(values=column.values[rows]) for column in table]


def _coding(
    column: Column, target: np.ndarray, weight: np.ndarray, part: Int[np.ndarray, " rows"]
) -> tuple[Coding, Matrix]:
    """A column's coding, and its numbers in the rows that it was fitted on."""
    coding: Coding
    if column.kind != "word":
        coding = Number() if column.kind == "number" else Moment.fit(column)
        return coding, coding.transform(column)
    if column.order is not None:
        coding = Ranks(column.order)
        return coding, coding.transform(column)
    levels = tuple(sorted({ABSENT if word is None else word for word in column.values}))
    if len(levels) <= FEW:
        coding = Flags(levels)
        return coding, coding.transform(column)
    count = np.bincount(_places(column.values, levels), minlength=len(levels))
    levels = tuple(level for level, often in zip(levels, count, strict=True) if often > 1)
    places = _places(column.values, levels)
    block = np.empty((len(places), target.shape[1]))
    for mine in range(PARTS):
        here = part == mine
        if here.any():
            others = Means.fit(levels, places[~here], target[~here], weight[~here])
            block[here] = others.means[places[here]]
    return Means.fit(levels, places, target, weight), block


def _places(found: Shaped[np.ndarray, " rows"], levels: tuple[str, ...]) -> Int[np.ndarray, " rows"]:
    """The place of each word among the levels; -1 for an unknown one."""
    place = {level: at for at, level in enumerate(levels)}
    if ABSENT in place:
        place = {**place, None: place[ABSENT]}  # type: ignore[dict-item]
    return np.fromiter((place.get(word, UNKNOWN) for word in found), np.int64, len(found))


def _parts(values: Shaped[np.ndarray, " rows"]) -> dict[str, Float64[np.ndarray, " rows"]]:
    absent = np.isnat(values)
    found = {
        "month": values.astype("datetime64[M]").astype(np.int64) % 12 + 1,
        "weekday": (values.astype("datetime64[D]").astype(np.int64) + 3) % 7,  # Monday: 0
        "hour": values.astype("datetime64[h]").astype(np.int64) % 24,
    }
    return {name: np.where(absent, np.nan, part) for name, part in found.items()}
