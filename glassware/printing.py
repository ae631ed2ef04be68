"""What the commands print: tables for people."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:  # these bring JAX, which help and errors need not wait for
    import polars as pl

    from glassware.studies import Judgement

VERDICTS = {
    "holds": ("✓ holds", "green"),
    "fails": ("✗ fails", "red"),
    "not enough runs": ("? not enough runs", "yellow"),
}
MOST_VALUES = 12  # of one field in a sweep's summary
LOG_WIDTH = 120  # columns when the output is not a terminal


def make_console() -> Console:
    """The console for results; wide enough for tables when it is a file."""
    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else LOG_WIDTH
    return Console(highlight=False, markup=False, emoji=False, width=wide)  # a path may hold [brackets] or :colons:


def print_claims(console: Console, judgements: list[Judgement], *, brief: bool = False) -> None:
    """One table a study, then how many hold. ``brief``: one line for a study of which nothing could be judged."""
    by_study: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        by_study.setdefault(judgement.study, []).append(judgement)
    for study, group in by_study.items():
        scale, judged = group[0].scale, [j for j in group if j.verdict in VERDICTS]
        console.print()
        if brief and all(j.verdict == "not enough runs" for j in judged):
            wanting = f"not enough runs for any of {len(judged)} claims yet" if judged else "no claim is judged here"
            console.print(f"{study} at scale {scale}: {wanting} (glassware run {study} --scale {scale})")
            continue
        if judged:
            console.print(_claims_table(console, f"Claims of {study} at scale {scale}", judged))
            held = sum(j.verdict == "holds" for j in judged)
            console.print(f"{held} of {len(judged)} claims hold")
        others = [j.claim for j in group if j.verdict not in VERDICTS]
        if others:
            console.print(f"not judged at scale {scale}: {', '.join(others)}", style="dim")


def _claims_table(console: Console, title: str, judged: list[Judgement]) -> Table:
    table = Table(title=title, title_justify="left", show_lines=True, width=min(console.width, 140))
    for column, ratio in (("claim", 6), ("paper", 4), ("measured", 5), ("needed", 6)):
        table.add_column(column, ratio=ratio)
    table.add_column("verdict", no_wrap=True, width=max(len(VERDICTS[j.verdict][0]) for j in judged))
    for j in judged:
        symbol, colour = VERDICTS[j.verdict]
        measured = Text.assemble(j.measured, ("\n" + j.detail if j.detail else "", "dim"))
        claim = Text.assemble((j.claim, "bold"), "\n", j.statement)
        table.add_row(claim, Text(j.where), measured, Text(j.threshold), Text(symbol, colour))
    return table


def print_summary(console: Console, summary: pl.DataFrame) -> None:
    """Success by field and value."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("field", "value", "runs", "succeed", "rate", "95% interval", "median steps"):
        table.add_column(column, justify="left" if column == "field" else "right")
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
    console.print()


def print_figures(console: Console, paths: list[Path]) -> None:
    """Where the figures are."""
    for path in paths:
        console.print(f"figure {path}", soft_wrap=True)


def print_info(console: Console, found: dict[str, Any]) -> None:
    """This machine, and what the engine would choose on it."""
    names = ("glassware", "semantics", "python", "jax", "jaxlib", "optax", "polars", "system", "cores")
    facts = {name: str(found[name]) for name in names} | {"memory": _gigabytes(found["memory"])}
    for i, device in enumerate(found["devices"]):
        memory = f", {_gigabytes(device['memory'])}" if device["memory"] else ""
        facts[f"device {i}"] = f"{device['kind']}{memory}"
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, value in facts.items():
        table.add_row(name, value)
    console.print(table)
    console.print("\nFor many runs of a two-layer network the engine would choose here\n")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("n", "width", "runs", "lanes", "devices"):
        table.add_column(column, justify="right")
    table.add_column("engine")
    for choice in found["engine"]:
        numbers = [f"{choice[name]:,}" for name in ("n", "width", "runs", "lanes", "devices")]
        table.add_row(*numbers, choice["engine"])
    console.print(table)


def _gigabytes(count: int) -> str:
    return f"{count / 2**30:.0f} GiB"
