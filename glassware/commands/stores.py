"""The files of a store: ``status``, and ``store check``, ``repair``, ``merge``, ``compact``."""

from __future__ import annotations

import json
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated

import typer

from glassware.commands.options import STORE, AsJson
from glassware.foundation.address import place_of
from glassware.printing.console import make_console

if TYPE_CHECKING:
    from glassware.sweeps.check import Report

MOST_FAULTS = 50  # sentences printed

Folder = Annotated[PurePath, typer.Argument(metavar="STORE", help="Folder of results, or an address.", parser=place_of)]

store = typer.Typer(
    name="store",
    help="Check, repair, merge and compact stores of results.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def status(folder: Folder = STORE, as_json: AsJson = False) -> None:
    """Say how a store stands: what it holds, who is writing, how fast, what is left; quick for any size.

    glassware status results/store
    """
    from glassware.api.folders import existing
    from glassware.printing.status import print_status
    from glassware.sweeps.status import status as read_status

    found = read_status(existing(folder)).plain()
    if as_json:
        print(json.dumps(found, indent=2))
        return
    print_status(make_console(), found)


@store.command()
def check(folder: Folder = STORE) -> None:
    """Verify every file and every row; changes nothing. Exit code 2 if something is wrong.

    glassware store check results/store
    """
    from glassware.api.folders import existing
    from glassware.sweeps.check import check as check_store

    with make_console(stderr=True).status(f"checking {folder}") as shown:
        report = check_store(existing(folder), tell=shown.update)
    _print_report(report)
    if report.faults:
        raise typer.Exit(2)


@store.command()
def repair(folder: Folder = STORE) -> None:
    """Move aside what is damaged, into STORE/damaged; the next sweep or study trains those runs again.

    glassware store repair results/store
    """
    from glassware.api.folders import existing
    from glassware.foundation.quantities import runs_text
    from glassware.sweeps.repair import repair as repair_store

    with make_console(stderr=True).status(f"checking {folder}") as shown:
        done = repair_store(existing(folder), tell=shown.update)
    _print_report(done.found)
    if done.moved:
        console = make_console()
        console.print(f"{_files(len(done.moved))} moved to {folder / 'damaged'}", soft_wrap=True)
        more = f", and those of {_files(done.unknown)} too damaged to count" if done.unknown else ""
        console.print(f"{runs_text(done.runs)}{more} will be trained again", soft_wrap=True)


@store.command()
def merge(
    into: Annotated[
        PurePath,
        typer.Argument(metavar="STORE", help="Folder of results that is added to, or an address.", parser=place_of),
    ],
    other: Annotated[
        PurePath,
        typer.Argument(metavar="OTHER", help="Folder or Parquet file to add; it is left as it is.", parser=place_of),
    ],
) -> None:
    """Add what OTHER holds to STORE; runs that both have are dropped, and refused if their results differ.

    OTHER may also be a file of rows: glassware export -o rows.parquet writes one.

      glassware store merge results/store from-the-cluster/store
    """
    from glassware.api.folders import as_store, existing
    from glassware.foundation.quantities import runs_text
    from glassware.sweeps.joining import add_rows
    from glassware.sweeps.joining import merge as merge_stores

    with make_console(stderr=True).status(f"checking {other}") as shown:
        if isinstance(other, Path) and other.is_file():
            done = add_rows(as_store(into), other, tell=shown.update)
        else:
            done = merge_stores(as_store(into), existing(other), tell=shown.update)
    files = f"{_files(done.weights)} of weights and {_files(done.computed)} of computed tables"
    said = f"{runs_text(done.added)} added to {into}, {done.double:,} were there; {files} copied"
    make_console().print(said, soft_wrap=True)


@store.command()
def compact(folder: Folder = STORE) -> None:
    """Make many small files few, so that reading takes less time. Safe to stop at any moment.

    glassware store compact results/store
    """
    from glassware.api.folders import existing
    from glassware.sweeps.joining import compact as compact_store

    with make_console(stderr=True).status(f"compacting {folder}") as shown:
        before, after = compact_store(existing(folder), tell=shown.update)
    make_console().print(f"{_files(before)} of rows made {after:,}", soft_wrap=True)


def _print_report(report: Report) -> None:
    console = make_console()
    for fault in report.faults[:MOST_FAULTS]:
        console.print(fault.why, soft_wrap=True)
    if len(report.faults) > MOST_FAULTS:
        console.print(f"and {len(report.faults) - MOST_FAULTS:,} more")
    files = report.parts + report.weights + report.computed
    console.print(f"{report.runs:,} sound rows; {_files(files)} looked at, {len(report.faults):,} faults")
    if report.unverified:
        old = "written by an earlier version, without a digest: small damage in them cannot be seen"
        console.print(f"{_files(report.unverified)} {old} ('glassware store compact' gives parts one)", soft_wrap=True)


def _files(count: int) -> str:
    return f"{count:,} file" if count == 1 else f"{count:,} files"
