"""Where success begins: ``threshold``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from glassware.commands.options import STORE, EngineName, Lanes, StoreFolder, checked_path, stoppable
from glassware.printing.console import make_console
from glassware.printing.threshold import print_threshold


def threshold(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.toml",
            help="A sweep with two values of the axis or more.",
            exists=True,
            dir_okay=False,
            callback=checked_path,
        ),
    ],
    axis: Annotated[str, typer.Option(metavar="FIELD", help="What to search: m, model.width, ..")] = "m",
    level: Annotated[float, typer.Option(metavar="SHARE", help="The success rate looked for.")] = 0.8,
    precision: Annotated[
        float, typer.Option(metavar="FACTOR", help="Stop when the interval's ends are at most this factor apart.")
    ] = 1.25,
    budget: Annotated[int, typer.Option(metavar="N", help="Trials of each search, at most.")] = 100,
    tries: Annotated[int, typer.Option(metavar="N", help="Runs a trial may take: same data, new first weights.")] = 1,
    store: StoreFolder = STORE,
    lanes: Lanes = None,
    engine: EngineName = "auto",
) -> None:
    """Find how much of a field runs need to succeed, by rounds of trials where they tell most.

    The file is that of a sweep. The smallest and the largest value of the field are the range; whatever else varies
    gives a search of its own. Ctrl-C keeps what is finished; the same command goes on.

      glassware threshold my-sweep.toml --axis m --level 0.8
    """
    from glassware.api.thresholds import threshold as search
    from glassware.progress import Progress

    console = make_console()
    progress = Progress(console, lanes=lanes, engine=engine)
    with stoppable(progress, store):
        found = search(
            file,
            axis,
            store,
            level=level,
            precision=precision,
            budget=budget,
            tries=tries,
            lanes=lanes,
            engine=engine,
            progress=progress,
        )
    print_threshold(console, found, axis)
    console.print(f"results in {store}", soft_wrap=True)
