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
    from glassware.api.folders import check_figures, existing
    from glassware.api.networks import find
    from glassware.api.show import show as show_run
    from glassware.charts import save

    kept = existing(store)
    row = find(run, kept)
    check_figures(figures)
    chart = show_run(row, store=kept)
    print_figures(make_console(), list(save(chart, figures / "runs", row["id"])))
