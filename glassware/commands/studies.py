"""Studies: ``studies``, ``reproduce``, ``estimate``."""

from __future__ import annotations

import json
import os
import sys
from functools import wraps
from typing import Annotated, Any

import typer

from glassware.commands.options import (
    FEW_SEEDS,
    FIGURES,
    STORE,
    AsJson,
    DataFolder,
    EngineName,
    FiguresFolder,
    Lanes,
    OnCluster,
    Scale,
    Seeds,
    ShareOf,
    StoreFolder,
    StudyName,
    end_with,
    stoppable,
)
from glassware.foundation.quantities import about
from glassware.printing.claims import failed_checks, print_claims
from glassware.printing.console import make_console, make_table, print_figures
from glassware.printing.estimate import print_estimate

WIDE = 100  # columns of a terminal that has room for titles


def studies() -> None:
    """List the studies: runs at each scale, and claims."""
    from glassware.api.studies import list_studies

    console = make_console()
    titled = console.width >= WIDE
    table = make_table("smoke", "laptop", "paper", "claims", left=["study", "shows"] if titled else ["study"])
    for column in table.columns[-4:]:
        column.no_wrap = True
    listed = list_studies()
    for row in listed.iter_rows(named=True):
        more = (" +" if row["stages"] > 1 else "") + (" *" if row["computed"] else "")
        counts = [f"{row[scale]:,}{more}" for scale in ("smoke", "laptop", "paper")]
        table.add_row(row["name"], *([row["title"]] if titled else []), *counts, str(row["claims"]))
    console.print(table)
    if any(listed["stages"] > 1):
        console.print("\nNumbers are runs at each scale; + means that later stages add runs that depend on the first.")
    if any(listed["computed"]):
        console.print("* means that the study computes results as well, or only computes.")


def reproduce(
    study: StudyName,
    scale: Scale = "laptop",
    store: StoreFolder = STORE,
    figures: FiguresFolder = FIGURES,
    seeds: Seeds = None,
    lanes: Lanes = None,
    engine: EngineName = "auto",
    data: DataFolder = None,
    share: ShareOf = None,
    on: OnCluster = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="FIELD=VALUE", help="Change a field of every run, as optimiser.momentum=0.9; repeatable."
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="FIELD=VALUE,VALUE",
            help="Train only runs with one of these values, as task.n=50,100; repeatable.",
        ),
    ] = None,
) -> None:
    """Reproduce a study: train its runs, judge its claims, draw its figures.

    Runs that the store already has are not trained again. Ctrl-C keeps what is finished; the same command goes on.

      glassware reproduce pareto/success-frontier --scale smoke

    To change one thing of all its runs (fields as in a sweep file; the result is a study of its own):

      glassware reproduce pareto/slices --set optimiser.momentum=0.9 --set task.n=40

    Eight GPUs, or the jobs of a cluster: each trains its share, all into one store.
    The same command without --share then does the rest, judges and draws.

      CUDA_VISIBLE_DEVICES=1 glassware reproduce pareto/slices --scale paper --share 2/8

    Or a part of its runs, one session after the other:

      glassware reproduce pareto/success-frontier --scale paper --only task.n=50,100 --only task.k=3
    """
    from glassware.api.folders import check_figures
    from glassware.api.studies import draw
    from glassware.api.studies import reproduce as reproduce_study
    from glassware.progress import Progress
    from glassware.studies import FigureError, changed, find, missing, parse_changes, parse_part
    from glassware.sweeps import Store, parse_share

    console = make_console()
    found, chosen = changed(find(study), parse_changes(changes or ())), parse_part(only or ())
    if data is not None:
        os.environ["GLASSWARE_DATA"] = str(data)  # where the suite looks for it
    which = "" if share is None else f", share {parse_share(share)}"
    which += ", only " + " and ".join(only) if only else ""
    title = f"{found.name} at scale {scale}{which}: {found.title}"
    progress = Progress(
        console, title=title, stages=len(found.stages), lanes=lanes, engine=engine, elsewhere=on is not None
    )
    check_figures(figures)  # before hours of training, not after
    with stoppable(progress, store):
        report = reproduce_study(
            found, scale, store=store, figures=None, seeds=seeds, lanes=lanes, engine=engine, share=share,
            on=on, only=chosen, progress=progress,
        )  # fmt: skip
    if share is not None or only:
        left, wanted = missing(found, scale, Store(store), seeds)
        there, without = f"{wanted - left:,} of {wanted:,} results are in {store}", "--only" if only else "--share"
        console.print(f"{there}; the same command without {without} does the rest, judges and draws", soft_wrap=True)
        return
    print_claims(console, report.judgements)
    if found.is_short(scale, seeds):
        console.print(FEW_SEEDS, style="yellow")
    console.print()
    failed = failed_checks(report.judgements)
    try:
        drawn = draw(found, scale, report.frame, figures)
    except FigureError as error:
        drawn, failed = error.drawn, [*failed, str(error)]
    print_figures(console, drawn)
    console.print(f"results in {store}", soft_wrap=True)
    end_with(failed)


@wraps(reproduce)
def run(*given: Any, **named: Any) -> None:
    """The old name of ``glassware reproduce``."""
    print("'glassware run' is now 'glassware reproduce'; the old name goes in 0.3", file=sys.stderr)
    reproduce(*given, **named)


def estimate(
    study: StudyName,
    scale: Scale = "laptop",
    store: StoreFolder = STORE,
    seeds: Seeds = None,
    lanes: Lanes = None,
    engine: EngineName = "auto",
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Say how long a study takes on this machine; trains nothing.

    Speed is measured here for up to a minute; how many runs stop early is taken from the results in the store.

      glassware estimate pareto/success-frontier --scale paper
    """
    from glassware.api.planning import estimate as estimate_study
    from glassware.studies import find, left_in_pieces
    from glassware.sweeps import Store
    from glassware.sweeps.places import disk_of

    found, console = find(study), make_console()
    if data is not None:
        os.environ["GLASSWARE_DATA"] = str(data)  # where the suite looks for it
    with make_console(stderr=True).status("measuring this machine") as status:
        forecast = estimate_study(
            found, scale, store=store, seeds=seeds, lanes=lanes, engine=engine, tell=status.update
        )
        pieces = left_in_pieces(found, scale, Store(store) if disk_of(store).exists(store) else None, seeds)
    if as_json:
        named = [dict(zip(("table", "left", "pieces", "core_seconds"), one, strict=True)) for one in pieces]
        print(json.dumps({"study": found.name, "scale": scale, **forecast.plain(), "tables": named}, indent=2))
        return
    title = f"{found.name} at scale {scale}: {found.title}"
    if found.stages:
        print_estimate(console, title, forecast)
    else:
        console.print(f"{title}\n")
    for table, left, every, seconds in pieces:
        rest = f"{left:,} of {every:,} pieces left, about {about(seconds)} of one core" if left else "nothing is left"
        console.print(f"{table}: {rest}")
    if not found.stages and not pieces:
        console.print("it is computed, not trained: there is no run to estimate")
        return
    if found.compute is not None:
        console.print("not counted: what the study computes besides")
