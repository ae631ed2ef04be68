"""Where success begins, search by search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from glassware.printing.console import make_table

if TYPE_CHECKING:
    import polars as pl

FIXED = ("value", "low", "high", "level", "trials", "successes", "runs", "state")


def print_threshold(console: Console, found: pl.DataFrame, axis: str) -> None:
    """One line per search: the value of the axis at the level, with its interval."""
    fields = [name for name in found.columns if name not in FIXED]
    level = found["level"][0]
    table = make_table(f"{axis} at {level:.0%}", "95% interval", "trials", "succeed", "runs", "state", left=fields)
    for row in found.iter_rows(named=True):
        low = "0" if row["low"] is None else f"{row['low']:.3g}"
        high = "∞" if row["high"] is None else f"{row['high']:.3g}"
        value = "unknown" if row["value"] is None else f"{row['value']:.3g}"
        counts = [f"{row[name]:,}" for name in ("trials", "successes", "runs")]
        table.add_row(*(str(row[name]) for name in fields), value, f"{low} to {high}", *counts, row["state"])
    console.print()
    console.print(table)
    console.print()
