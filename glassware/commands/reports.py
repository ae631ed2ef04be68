"""What is sent to others: ``report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from glassware.commands.options import STORE, Scale, Seeds, StoreFolder, checked_path
from glassware.foundation.errors import GlasswareError
from glassware.foundation.names import printable


def report(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="STUDY|SWEEP...", help="Studies, all of a paper ('pareto'), or sweeps."),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file: .html or .md; with --all the folder.",
            callback=checked_path,
            show_default="results/report.html",
        ),
    ] = None,
    format: Annotated[
        Literal["html", "md"] | None, typer.Option("--format", help="HTML or Markdown.", show_default="by the file")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="A page per study and sweep of the store, and an index; -o names a folder.")
    ] = False,
    scale: Scale = "laptop",
    store: StoreFolder = STORE,
    seeds: Seeds = None,
) -> None:
    """Write a report to send to somebody: text, claims, figures, versions; trains nothing.

    One file that needs no network. As Markdown its figures are PNG files in a folder beside it.

      glassware report pareto/success-frontier -o report.html

    All that a store has, as Markdown for the documentation site or as HTML:

      glassware report --all
    """  # fmt: skip
    from glassware.api.reports import report as write_report
    from glassware.api.reports import report_all

    if everything and names:
        raise GlasswareError("give --all or names, not both")
    if everything:
        index = report_all(scale, store, to, format or "md", seeds, lambda page: print(f"page {printable(str(page))}"))
        print(f"report {printable(str(index))}")
        return
    if not names:
        raise GlasswareError("missing argument 'STUDY|SWEEP...': name what to report, or give --all")
    path = write_report(*names, scale=scale, store=store, to=to, format=format, seeds=seeds)
    print(f"report {printable(str(path))}")
