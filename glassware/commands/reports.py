"""What is sent to others: ``report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from glassware.commands.options import STORE, Scale, Seeds, StoreFolder, checked_path
from glassware.foundation.names import printable


def report(
    names: Annotated[
        list[str], typer.Argument(metavar="STUDY|SWEEP...", help="Studies, all of a paper ('pareto'), or sweeps.")
    ],
    to: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file: .html or .md.",
            callback=checked_path,
            show_default="results/report.html",
        ),
    ] = None,
    format: Annotated[
        Literal["html", "md"] | None, typer.Option("--format", help="HTML or Markdown.", show_default="by the file")
    ] = None,
    scale: Scale = "laptop",
    store: StoreFolder = STORE,
    seeds: Seeds = None,
) -> None:
    """Write a report to send to somebody: text, claims, figures, versions; trains nothing.

    One file that needs no network. As Markdown its figures are PNG files in a folder beside it.

      glassware report pareto/success-frontier -o report.html
    """  # fmt: skip
    from glassware.api.reports import report as write_report

    path = write_report(*names, scale=scale, store=store, to=to, format=format, seeds=seeds)
    print(f"report {printable(str(path))}")
