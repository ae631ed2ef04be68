"""What a store tells without training: ``claims``, ``figures``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from glassware.commands.options import (
    FEW_SEEDS,
    FIGURES,
    STORE,
    AsJson,
    FiguresFolder,
    Scale,
    Seeds,
    StoreFolder,
    StudyName,
    checked_path,
    end_with,
)
from glassware.foundation.names import printable
from glassware.printing.claims import claims_markdown, failed_checks, print_claims
from glassware.printing.console import make_console, print_figures


def claims(
    study: Annotated[
        str | None, typer.Argument(metavar="STUDY", help="A study, or all of a paper ('pareto').", show_default="all")
    ] = None,
    scale: Scale = "laptop",
    store: StoreFolder = STORE,
    seeds: Seeds = None,
    as_json: AsJson = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a table in Markdown and nothing else.")] = False,
    pages: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write these studies' pages of the docs into this folder.", callback=checked_path
        ),
    ] = None,
) -> None:
    """Judge claims on the results in the store; trains nothing.

    glassware claims pareto --json
    """
    from glassware.api.folders import existing
    from glassware.api.studies import claims as judge
    from glassware.studies import matching, missing

    chosen, kept = matching(study), existing(store)
    if pages is not None:
        from glassware.printing.pages import write_pages

        print(*(printable(str(page)) for page in write_pages(pages, kept, chosen)), sep="\n")
        return
    if as_json or markdown:
        found = [judgement for one in chosen for judgement in judge(one, scale, store=kept, seeds=seeds)]
        print(printable(claims_markdown(found)) if markdown else json.dumps([one.plain() for one in found], indent=2))
        end_with(failed_checks(found))
        return
    console = make_console()
    failed = []
    for one in chosen:
        judged = judge(one, scale, store=kept, seeds=seeds)
        print_claims(console, judged, brief=True)
        failed += failed_checks(judged)
        lacking, wanted = missing(one, scale, kept, seeds)
        if 0 < lacking < wanted:
            # A run that succeeds may end early: the first rows of a sweep then make it look better than it is.
            early = any(run.evaluation.stop and not run.model.solved for run in one.runs(scale, 1))
            biased = "; those that succeed finish first" if early else ""
            console.print(f"{lacking:,} of {wanted:,} runs are missing{biased}", style="yellow")
        if lacking < wanted and one.is_short(scale, seeds):
            console.print(FEW_SEEDS, style="yellow")
    end_with(failed)


def figures(
    study: StudyName,
    scale: Scale = "laptop",
    store: StoreFolder = STORE,
    figures: FiguresFolder = FIGURES,
    seeds: Seeds = None,
) -> None:
    """Draw a study's figures again from the results in the store; trains nothing."""
    from glassware.api.studies import figures as draw_figures
    from glassware.studies import FigureError

    try:
        print_figures(make_console(), draw_figures(study, scale, store=store, folder=figures, seeds=seeds))
    except FigureError as error:
        print_figures(make_console(), error.drawn)
        end_with([str(error)])
