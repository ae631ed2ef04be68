"""Success by field and value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from glassware.printing.console import make_table

if TYPE_CHECKING:
    import polars as pl

MOST_VALUES = 12  # per field
MOST_ACROSS = 8  # values side by side


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


def print_two(console: Console, table: pl.DataFrame) -> None:
    """Success by two fields; where they have many values, which chart shows it."""
    if len(table) > MOST_VALUES or table.width > 1 + MOST_ACROSS:
        console.print("both fields together: gw.charts.success_heat_map (see its x and y)", style="dim")
        return
    corner, *values = table.columns
    shown = make_table(*values, left=[corner])
    for row in table.iter_rows():
        shown.add_row(*row)
    console.print(shown)
    console.print()
