"""Where success begins between two fields: ``frontier``."""

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
    Seeds,
    StoreFolder,
    checked_path,
    stoppable,
)
from glassware.foundation.errors import GlasswareError
from glassware.printing.console import make_console
from glassware.printing.frontier import print_bound, print_frontier


def frontier(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.toml",
            help="A sweep: a grid of two fields.",
            exists=True,
            dir_okay=False,
            callback=checked_path,
        ),
    ],
    axes: Annotated[str, typer.Option(metavar="FIELD,FIELD", help="The two fields.")] = "m,model.width",
    level: Annotated[
        list[float] | None,
        typer.Option(metavar="SHARE", help="A success rate whose edge is looked for; may be repeated. [default: 0.5]"),
    ] = None,
    precision: Annotated[
        float,
        typer.Option(metavar="FACTOR", help="An edge is found when its 99% interval is this narrow."),
    ] = 1.1,
    work: Annotated[
        float, typer.Option(metavar="SHARE", help="The most it may take of the work of the whole grid.")
    ] = 0.08,
    seeds: Seeds = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="Say what it takes at most, and train nothing.")] = False,
    store: StoreFolder = STORE,
    figures: FiguresFolder = FIGURES,
    lanes: Lanes = None,
    engine: EngineName = "auto",
) -> None:
    """Find the edge of success on a grid of two fields, with a small part of the grid's work.

    The file is that of a sweep whose grid has several values of both fields; whatever else varies gives a panel of
    its own. Ctrl-C keeps what is finished; the same command goes on.

      glassware frontier my-grid.toml --axes m,model.width
    """
    from glassware.api.frontiers import frontier as search
    from glassware.api.frontiers import frontier_bound
    from glassware.progress import Progress

    fields = [field.strip() for field in axes.split(",")]
    if len(fields) != 2:
        raise GlasswareError(f"a frontier has two axes, as m,model.width, not {axes}")
    console = make_console()
    if estimate:
        bound = frontier_bound(file, fields, store, seeds=seeds, work=work, lanes=lanes, engine=engine)
        print_bound(console, bound.runs, bound.seconds, bound.grid.at_most, work)
        return
    progress = Progress(console, lanes=lanes, engine=engine)
    with stoppable(progress, store):
        found = search(
            file,
            fields,
            store,
            levels=level or (0.5,),
            precision=precision,
            seeds=seeds,
            work=work,
            lanes=lanes,
            engine=engine,
            progress=progress,
        )
    print_frontier(console, found.edges, found.cells)
    picture, page = found.save(figures, f"frontier-{file.stem}")
    console.print(f"figure in {picture} and {page}", soft_wrap=True)
    console.print(f"results in {store}", soft_wrap=True)
