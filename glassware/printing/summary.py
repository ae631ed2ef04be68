"""Success by field and value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from glassware.printing.console import make_table

if TYPE_CHECKING:
    import polars as pl

MOST_VALUES = 12  # per field


def print_summary(console: Console, summary: pl.DataFrame) -> None:
    """Success by field and value."""
    columns = ("value", "runs", "succeed", "rate", "95% interval", "median steps")
    table = make_table(*columns, left=["field"])
    for (field,), cells in summary.group_by("field", maintain_order=True):
        for i, row in enumerate(cells.head(MOST_VALUES).iter_rows(named=True)):
            interval = f"{row['low']:.0%} to {row['high']:.0%}"
            steps = "never" if row["median_steps"] is None else f"{row['median_steps']:,}"
            name, counts = str(field) if i == 0 else "", [f"{row['runs']:,}", f"{row['successes']:,}"]
            table.add_row(name, row["value"], *counts, f"{row['rate']:.0%}", interval, steps)
        if len(cells) > MOST_VALUES:
            table.add_row("", f"and {len(cells) - MOST_VALUES} more")
    console.print()
    console.print(table)
    if len(summary) and "measure" in summary.columns:
        measures = dict.fromkeys(measure for cell in summary["measure"] for measure in cell.split(", "))
        console.print(f"success: {' or '.join(measures)}", style="dim")
    if summary.filter(summary["median_steps"].is_null())["successes"].sum():
        console.print("never: the median run does not succeed, half of them or more fail", style="dim")
    console.print()
