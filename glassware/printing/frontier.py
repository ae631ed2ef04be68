"""The edge of success, row by row and column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from glassware.foundation.quantities import clock_text
from glassware.printing.console import make_table

if TYPE_CHECKING:
    import polars as pl

FIXED = ("along", "across", "at", "level", "value", "low", "high", "runs", "fall", "state")


def print_frontier(console: Console, edges: pl.DataFrame, cells: pl.DataFrame) -> None:
    """Per direction a table: the value at which success crosses the level, with its interval."""
    for (along, across, level), table in edges.group_by("along", "across", "level", maintain_order=True):
        fields = [name for name in table.columns if name not in FIXED]
        head = (*fields, str(across), f"{along} at {level:.0%}", "95% interval", "runs", "state")
        shown = make_table(*head[len(fields) + 1 :], left=[*fields, str(across)])
        for row in table.iter_rows(named=True):
            at = "online" if row["at"] is None else f"{row['at']:g}"
            state = f"{row['state']}; falls from {row['fall']}" if row["fall"] else row["state"]
            shown.add_row(*(str(row[name]) for name in fields), at, *_said(row), f"{row['runs']:,}", state)
        console.print()
        console.print(shown)
    console.print()
    known = dict(cells["known"].value_counts().iter_rows())
    parts = [f"{known[word]} {word}" for word in ("measured", "inferred", "unknown") if word in known]
    console.print(f"{cells['runs'].sum():,} runs; of {len(cells)} cells {', '.join(parts)}", soft_wrap=True)


def _said(row: dict[str, float | None]) -> tuple[str, str]:
    """The value and its interval; on one side of the grid only the bound is known."""
    low = "0" if row["low"] is None else _number(row["low"])
    high = "∞" if row["high"] is None else _number(row["high"])
    return "unknown" if row["value"] is None else _number(row["value"]), f"{low} to {high}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def print_bound(console: Console, runs: int, seconds: float, whole: float, work: float) -> None:
    """At most what a search takes, beside its grid."""
    console.print(f"at most {runs:,} runs, and about {clock_text(seconds)} of training")
    console.print(f"that is {work:.0%} of the {clock_text(whole)} that the whole grid takes at most")
