"""One run of a store: ``show``."""

from __future__ import annotations

from typing import Annotated

import typer

from glassware.commands.options import FIGURES, STORE, FiguresFolder, StoreFolder
from glassware.printing.console import make_console, print_figures


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, or its beginning (column id of a sweep).")],
    store: StoreFolder = STORE,
    figures: FiguresFolder = FIGURES,
) -> None:
    """Show one run: its specification, what came of it, its training curve, the neurons that carry its output.

    glassware show 3f2a --store results/store
    """
    import polars as pl

    from glassware import api
    from glassware.charts import save, training_curves
    from glassware.networks import find
    from glassware.printing.show import print_run

    kept = api.existing(store)
    row = find(run, kept)
    console = make_console()
    print_run(console, row, kept)
    api.check_folder(figures)
    table = kept.read().filter(pl.col("id") == row["id"])
    chart = training_curves(table, by=["task"], title=f"Run {row['id']}", subtitle=f"{row['model']} on {row['task']}")
    print_figures(console, list(save(chart, figures / "runs", row["id"])))
