"""What a success costs: ``plan``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from glassware.commands.options import STORE, AsJson, StoreFolder, checked_path
from glassware.foundation.errors import GlasswareError
from glassware.printing.console import make_console, print_figures
from glassware.printing.plan import print_plan


def plan(
    where: Annotated[
        list[str] | None,
        typer.Argument(metavar="COLUMN=VALUE", help="The task: columns of the results, n=50 k=3.", show_default=False),
    ] = None,
    m: Annotated[
        int | None, typer.Option("--m", metavar="M", help="Examples at hand.", show_default="any number")
    ] = None,
    budget: Annotated[
        float | None, typer.Option(metavar="FLOPS", help="Operations to spend, as 1e12.", show_default="any number")
    ] = None,
    store: StoreFolder = STORE,
    figure: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw data against compute, PNG and HTML.", show_default="none", callback=checked_path
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what to train, when to give up and restart, and what one success costs; trains nothing.

    Prices come from the runs in the store: successes, failures and how long they took.

      glassware plan n=50 k=3 --m 1000 --budget 1e12
    """
    columns = dict(_column(word) for word in where or [])

    from glassware.api import planning

    found = planning.plan(columns, m, budget, store=store)
    drawn = [] if figure is None else planning.plan_figure(found, figure)
    if as_json:
        print(json.dumps(found.plain(), indent=2))
        return
    console = make_console()
    print_plan(console, found)
    print_figures(console, drawn)


def _column(word: str) -> tuple[str, Any]:
    """``n=50`` as a column and its value: a number where it is one, else a word."""
    name, equals, value = word.partition("=")
    if not name or not equals or not value:
        raise GlasswareError(f"give columns and their values, as n=50, not '{word}'")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
