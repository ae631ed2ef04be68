"""Two selections of runs, cell by cell."""

from __future__ import annotations

import math
from typing import Any

from rich.console import Console

from glassware.luck.side_by_side import SideBySide
from glassware.printing.console import make_table

MOST = 60  # cells printed


def print_side_by_side(console: Console, found: SideBySide, first: str, second: str) -> None:
    """What differs, then one line per cell that both have."""
    console.print(f"A  {first}\nB  {second}\n")
    for field, one, other in found.differ:
        console.print(f"{field}: {one} in A, {other} in B")
    if not found.differ:
        console.print("no field has one value in all of A and another in all of B", style="dim")
    console.print()
    columns = ("A", "95% interval", "B", "95% interval", "B - A", "95% interval")
    table = make_table(*columns, left=found.fields or ["cell"])
    rows = found.table.to_dicts()
    for row in [*rows[:-1][:MOST], rows[-1]]:
        cell = [row[field] for field in found.fields] or ["all runs"]
        table.add_row(*cell, *cells_in_words(row))
    console.print(table)
    if len(rows) - 1 > MOST:
        console.print(f"and {len(rows) - 1 - MOST} more cells; --json has all")
    for count, side in zip(found.alone, "AB", strict=True):
        if count:
            console.print(f"{count:,} cells only in {side}; 'all runs' counts theirs, too", style="dim")


def cells_in_words(row: dict[str, Any]) -> list[str]:
    """Successes of either side and their difference, each followed by its interval."""
    said = []
    for side in ("first", "second"):
        said += [f"{row[f'{side}_successes']:,} of {row[f'{side}_runs']:,}"]
        said += [f"{row[f'{side}_low']:.0%} to {row[f'{side}_high']:.0%}"]
    if math.isnan(row["difference"]):
        return [*said, "–", "–"]
    return [*said, f"{row['difference']:+.0%}", f"{row['difference_low']:+.0%} to {row['difference_high']:+.0%}"]
