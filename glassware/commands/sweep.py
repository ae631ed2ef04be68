"""A grid of one's own: ``sweep``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from glassware.commands.options import (
    FIGURES,
    STORE,
    EngineName,
    FiguresFolder,
    Lanes,
    ShareOf,
    StoreFolder,
    checked_path,
    stoppable,
)
from glassware.printing.console import make_console, print_figures
from glassware.printing.summary import print_summary, print_two


def sweep(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.toml",
            help="A sweep: a base run and what varies.",
            exists=True,
            dir_okay=False,
            readable=True,
            callback=checked_path,
        ),
    ],
    store: StoreFolder = STORE,
    figures: FiguresFolder = FIGURES,
    lanes: Lanes = None,
    engine: EngineName = "auto",
    share: ShareOf = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="Write the rows of the sweep as CSV, too.", callback=checked_path),
    ] = None,
) -> None:
    """Train a grid of your own, written as TOML; say and draw which values of which fields succeed.

    Runs that the store already has are not trained again. Ctrl-C keeps what is finished; the same command goes on.

    A sweep file:

      name = "data"                      # under which 'glassware sweeps' lists it
      title = "How much data?"
      seeds = 8                          # seeds 0..7 of every combination
      \\[run]
      steps = 6000
      task = { n = 50, k = 3 }
      model = { width = 100 }
      \\[grid]                             # every combination of these
      m = \\[300, 1000, "online"]
      model.width = \\[10, 100]
    """
    from glassware.api.folders import check_figures
    from glassware.api.frames import to_csv
    from glassware.api.selections import draw_sweep
    from glassware.api.sweeps import sweep as sweep_runs
    from glassware.luck.by_field import by_two, summary
    from glassware.progress import Progress

    console = make_console()
    check_figures(figures)  # before hours of training, not after
    progress = Progress(console, lanes=lanes, engine=engine)
    with stoppable(progress, store):
        frame = sweep_runs(file, store, lanes=lanes, engine=engine, share=share, progress=progress)
    print_summary(console, summary(frame))
    both = by_two(frame)
    if both is not None:
        print_two(console, both)
    if csv is not None:
        console.print(f"rows in {to_csv(frame, csv)}", soft_wrap=True)
    if share is None:
        print_figures(console, draw_sweep(file, frame, figures))
    console.print(f"results in {store}", soft_wrap=True)
