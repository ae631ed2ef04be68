"""What an address asks of the rows: a selection, conditions, a search, an order, a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

import polars as pl

from glassware.web.library import PART

ROWS = 50  # per page
MOST_CHOICES = 60  # values of a column that a filter offers
NONE = "(none)"  # a missing value; of m it means online
UNASKED = {"id", "spec", "own_code", PART, "steps_to_success", "steps_taken", "diverged_step", "init_seed"}
_ID = re.compile(r"[0-9a-f]{4,64}")


@dataclass(frozen=True)
class Query:
    """A selection of runs.

    Attributes:
        of: ``study:NAME@..:scale`` or ``sweep:NAME``; empty: the whole store.
        where: columns and the text of the value they must have.
        search: the beginning of an id, or words of a specification.
        sort: a column, with a minus in front for falling.
        page: from 1.
    """

    of: str = ""
    where: Mapping[str, str] = field(default_factory=dict)
    search: str = ""
    sort: str = ""
    page: int = 1

    def address(self, path: str = "/runs", **changes: object) -> str:
        """The address of a page with this query, some of it changed."""
        new = replace(self, **changes)  # type: ignore[arg-type]
        said = [("of", new.of), *((f"w.{name}", value) for name, value in new.where.items())]
        said += [("q", new.search), ("sort", new.sort), ("page", str(new.page) if new.page > 1 else "")]
        words = urlencode([(name, value) for name, value in said if value])
        return f"{path}?{words}" if words else path

    def also(self, path: str = "/runs", **where: str) -> str:
        """The address with further conditions; an empty one is dropped."""
        merged = {**self.where, **where}
        return self.address(path, where={name: value for name, value in merged.items() if value}, page=1)


def parse(given: Sequence[tuple[str, str]]) -> Query:
    """The query of an address; what it does not know it leaves out."""
    plain = dict(given)
    number = plain.get("page", "1")
    return Query(
        of=plain.get("of", "")[:300],
        where={name[2:]: value for name, value in given if name.startswith("w.") and value},
        search=plain.get("q", "")[:200].strip(),
        sort=plain.get("sort", "")[:100],
        page=int(number) if number.isascii() and number.isdigit() and len(number) < 8 else 1,
    )


def text(column: str) -> pl.Expr:
    """The values of a column as an address spells them."""
    return pl.col(column).cast(pl.String).fill_null(NONE)


def chosen(rows: pl.DataFrame, query: Query) -> pl.DataFrame:
    """The rows that meet all conditions."""
    for name, value in query.where.items():
        if name not in rows.columns:
            return rows.clear()
        if rows.schema[name].is_numeric() and value != NONE:  # compared as numbers: text of a column takes long
            try:
                rows = rows.filter(pl.col(name) == float(value))
            except ValueError:
                return rows.clear()
        elif rows.schema[name] == pl.Boolean and value in ("true", "false"):
            rows = rows.filter(pl.col(name) == (value == "true"))
        else:
            rows = rows.filter(pl.col(name).is_null() if value == NONE else text(name) == value)
    if query.search:
        begins = (
            pl.col("id").str.starts_with(query.search.lower()) if _ID.fullmatch(query.search.lower()) else pl.lit(False)
        )
        words = [pl.col("spec").str.contains(word, literal=True) for word in query.search.split()[:8]]
        rows = rows.filter(begins | pl.all_horizontal(words))
    return rows


def ordered(rows: pl.DataFrame, query: Query, start: int, count: int) -> pl.DataFrame:
    """Some rows in the order asked for; only these are gathered, since there are many columns."""
    name = query.sort.removeprefix("-")
    if name not in rows.columns or name == PART:
        return rows.slice(start, count)
    falling = query.sort.startswith("-")
    places = rows.select(pl.col(name), pl.int_range(pl.len()).alias("place "))
    chosen_places = places.sort(name, "place ", descending=[falling, False], nulls_last=True)["place "]
    return rows[chosen_places.slice(start, count)]


def choices(rows: pl.DataFrame) -> dict[str, list[str]]:
    """The columns that vary but have few values, each with these: what a filter offers."""
    able = [name for name, kind in rows.schema.items() if name not in UNASKED and not kind.is_float()]
    able += [
        name for name, kind in rows.schema.items() if kind.is_float() and name in ("lr", "weight_decay", "momentum")
    ]
    counts = rows.select(pl.col(able).n_unique()).row(0) if len(rows) and able else ()
    found = {}
    for name, count in zip(able, counts, strict=True):
        if 1 < count <= MOST_CHOICES:
            found[name] = (
                rows.select(pl.col(name).unique().sort(nulls_last=True)).select(text(name)).to_series().to_list()
            )
    return found
