"""Rows by name: ``sweeps``, ``compare``, ``export``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from glassware.commands.options import STORE, AsJson, Scale, StoreFolder, checked_path
from glassware.foundation.names import printable
from glassware.printing.console import make_console, make_table

Selected = Annotated[str, typer.Argument(metavar="STUDY|SWEEP", help="A study, a sweep by name, or a sweep file.")]


def sweeps(store: StoreFolder = STORE, as_json: AsJson = False) -> None:
    """List the sweeps that a store remembers by name."""
    from glassware.api.selections import list_sweeps

    found = list_sweeps(store)
    if as_json:
        print(json.dumps(found.to_dicts(), indent=2))
        return
    console = make_console()
    if not len(found):
        console.print("no sweep has a name here yet: 'glassware sweep FILE.toml' gives it the file's")
        return
    table = make_table("runs", "of", "succeed", left=["sweep"])
    table.add_column("shows", overflow="fold")
    for row in found.iter_rows(named=True):
        counts = (f"{row[name]:,}" for name in ("runs", "wanted", "succeeded"))
        table.add_row(row["name"], *counts, row["title"])
    console.print(table)


def compare(
    first: Selected,
    second: Selected,
    scale: Scale = "laptop",
    store: StoreFolder = STORE,
    as_json: AsJson = False,
) -> None:
    """Compare two sweeps or studies, cell by cell, with 95% intervals; trains nothing.

    What has one value in the first and another in the second is what is compared; what varies within them names cells.

      glassware compare pareto/slices pareto/slices@optimiser.momentum=0.9
    """
    from glassware.api.selections import compare as compare_rows
    from glassware.printing.side_by_side import print_side_by_side

    found = compare_rows(first, second, scale=scale, store=store)
    if as_json:
        print(json.dumps(found.plain(), indent=2))
        return
    print_side_by_side(make_console(), found, first, second)


def export(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="STUDY|SWEEP", help="A study, a sweep by name, or a sweep file.", show_default="the whole store"
        ),
    ] = None,
    to: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file.", callback=checked_path)] = Path(
        "rows.csv"
    ),
    format: Annotated[
        Literal["csv", "parquet", "json"] | None,
        typer.Option("--format", help="CSV, Parquet or JSON.", show_default="by the file"),
    ] = None,
    scale: Scale = "laptop",
    store: StoreFolder = STORE,
    no_curves: Annotated[bool, typer.Option("--no-curves", help="Leave out columns of lists, as curves.")] = False,
) -> None:
    """Write rows for other tools: CSV (nested columns as JSON), Parquet or JSON.

    glassware export my-sweep -o rows.parquet
    """
    from glassware.api.selections import export as write_rows

    path = to if to != Path("rows.csv") or format is None else Path(f"rows.{format}")
    curves = not no_curves
    written = write_rows(name, to=path, format=format, scale=scale, store=store, curves=curves)
    print(f"rows in {printable(str(written))}")
