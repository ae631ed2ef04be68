"""Arguments and options that several commands take, and how they are stopped."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from glassware.foundation.address import place_of
from glassware.foundation.limits import check_counts
from glassware.foundation.names import check_path, printable

if TYPE_CHECKING:
    from glassware.progress import Progress


def _checked(option: typer.CallbackParam, value: int | None) -> int | None:
    check_counts(**{str(option.name): value})
    return value


def checked_path(path: Path | None) -> Path | None:
    """The path, unless nothing could be kept there."""
    if path is not None:
        check_path(path)
    return path


def checked_paths(paths: list[Path] | None) -> list[Path] | None:
    """The paths, unless one of them cannot be a file."""
    for path in paths or ():
        check_path(path)
    return paths


# Values are checked here as in the API, but at once: the API imports JAX first.
StudyName = Annotated[str, typer.Argument(metavar="STUDY", help="Name of a study, as 'glassware studies' lists them.")]
Scale = Annotated[
    Literal["smoke", "laptop", "paper"],
    typer.Option(help="Size of the grid: seconds, minutes on two cores, or the paper's own."),
]
StoreFolder = Annotated[
    PurePath,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Folder of results, one row per run, or an address as s3://bucket/prefix.",
        parser=place_of,
    ),
]
FiguresFolder = Annotated[
    Path, typer.Option("--figures", metavar="DIR", help="Folder for figures, PNG and HTML.", callback=checked_path)
]
Seeds = Annotated[
    int | None, typer.Option(metavar="N", help="Runs per cell.", callback=_checked, show_default="the scale's own")
]
Lanes = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Runs trained side by side.", callback=_checked, show_default="by the device's memory"
    ),
]
EngineName = Annotated[
    Literal["auto", "xla", "kernels", "kernels-exact"],
    typer.Option("--engine", metavar="PATH", help="auto (kernels where they can), xla, kernels, kernels-exact."),
]
ShareOf = Annotated[
    str | None,
    typer.Option(
        "--share",
        metavar="I/N",
        help="Train only share I of N equal ones; others may train theirs into the same store.",
        show_default="everything",
    ),
]
OnCluster = Annotated[
    str | None,
    typer.Option("--on", metavar="CLUSTER", help="Train on Ray: ray, or ray://host:port.", show_default="this machine"),
]
DataFolder = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="Folder of the tables of pareto/tabular.",
        show_default="GLASSWARE_DATA",
        callback=checked_path,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]

STORE, FIGURES = Path("results/store"), Path("results/figures")

FEW_SEEDS = "fewer runs per cell than this scale has by itself: a verdict may be chance, mind the intervals"


def end_with(failed: list[str]) -> None:
    """End the command with exit code 1 if something failed, a sentence about each on standard error."""
    for sentence in failed:
        print(f"glassware: {printable(sentence)} (set GLASSWARE_DEBUG=1 to see where it comes from)", file=sys.stderr)
    if failed:
        raise typer.Exit(1)


@contextmanager
def stoppable(progress: Progress, store: PurePath) -> Iterator[None]:
    """On Ctrl-C say what was kept. The store has written every finished run by then."""
    try:
        yield
    except KeyboardInterrupt:
        kept = f"{progress.kept:,} runs kept" if progress.stage else "what is finished is kept"  # pieces, not runs
        print(f"stopped: {kept} in {printable(str(store))}; run the same command to go on", file=sys.stderr)
        raise typer.Exit(130) from None
