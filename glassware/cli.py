"""The command line: parse, call, print. JAX is imported inside the commands, so that help is quick."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from glassware.errors import GlasswareError

if TYPE_CHECKING:
    import polars as pl

    from glassware.progress import Progress
    from glassware.studies import Judgement

UsageError: Any = typer.BadParameter.__base__  # Typer exports only this child of it

VERDICTS = {
    "holds": ("✓ holds", "green"),
    "fails": ("✗ fails", "red"),
    "not enough runs": ("? not enough runs", "yellow"),
}
MOST_VALUES = 12  # of one field in a sweep's summary
LOG_WIDTH = 120  # columns when the output is not a terminal


class Commands(TyperGroup):
    """The group of commands. Whatever goes wrong ends in one sentence and an exit code."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
        except UsageError as error:
            fail(_sentence(error), 2)
        except GlasswareError as error:
            fail(str(error), 2)
        except typer.Abort:
            code = 130
        except Exception as error:
            if os.environ.get("GLASSWARE_DEBUG"):
                traceback.print_exc()
            said = " ".join(str(error).split())[:200]
            kind = type(error).__name__
            fail(f"unexpected {kind}: {said} (set GLASSWARE_DEBUG=1 to see where it comes from)", 1)
        sys.exit(code if isinstance(code, int) else 0)


def fail(message: str, code: int) -> NoReturn:
    """Say on standard error what is wrong, and end."""
    print(f"glassware: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)


def main() -> None:
    """Entry point of the ``glassware`` command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ✓ shows ? instead of failing
    try:
        app(prog_name="glassware")
    finally:
        try:
            sys.stdout.flush()
        except BrokenPipeError:  # `glassware studies | head`: nobody reads on, which is no error
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

StudyName = Annotated[str, typer.Argument(metavar="STUDY", help="Name of a study, as 'glassware studies' lists them.")]
Scale = Annotated[
    str,
    typer.Option(
        metavar="smoke|laptop|paper", help="Size of the grid: seconds, minutes on two cores, or the paper's own."
    ),
]
StoreFolder = Annotated[Path, typer.Option("--store", metavar="DIR", help="Folder of results, one row a run.")]
FiguresFolder = Annotated[Path, typer.Option("--figures", metavar="DIR", help="Folder for figures, PNG and HTML.")]
Seeds = Annotated[int | None, typer.Option(metavar="N", help="Runs a cell.", show_default="the scale's own")]
Lanes = Annotated[
    int | None, typer.Option(metavar="N", help="Runs trained side by side.", show_default="by the device's memory")
]
EngineName = Annotated[
    str, typer.Option("--engine", metavar="PATH", help="auto, xla, kernels or kernels-exact (kernels need a GPU).")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]

STORE, FIGURES = Path("results/store"), Path("results/figures")


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"glassware {version('glassware')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def glassware(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """A laboratory for test-tube tasks: train thousands of small networks, redraw a paper's figures, judge its claims.

    [bold]Examples[/bold]

      glassware studies                            what can be run
      glassware run pareto/success-frontier        train, judge and draw: minutes
      glassware run pareto/success-frontier --scale smoke         in seconds
      glassware claims pareto --json               verdicts from what is on disk
      glassware sweep my-sweep.toml                a grid of your own

    [bold]Files[/bold]

      results/store/parts/*.parquet                the results, one row a run
      results/figures/STUDY/SCALE/*.png, *.html    the figures

    [bold]Stopping and going on[/bold]

    Finished runs are written every few seconds. Stop with Ctrl-C at any time: the same command goes on where it was and never trains a run twice. Studies and sweeps may share a store.

    [bold]Exit codes[/bold]

    0 done, 1 unexpected error, 2 bad input (one sentence says what), 130 stopped by Ctrl-C.
    """  # noqa: E501 (a paragraph of help is one line: the terminal wraps it)
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def studies() -> None:
    """List the studies: runs at each scale, and claims."""
    from glassware import api

    table = Table("study", "shows", box=None, padding=(0, 2, 0, 0))
    for column in ("smoke", "laptop", "paper", "claims"):
        table.add_column(column, justify="right")
    listed = api.list_studies()
    for row in listed.iter_rows(named=True):
        counts = [f"{row[scale]:,}{' +' if row['stages'] > 1 else ''}" for scale in ("smoke", "laptop", "paper")]
        table.add_row(row["name"], row["title"], *counts, str(row["claims"]))
    console = _console()
    console.print(table)
    if any(listed["stages"] > 1):
        console.print("\nNumbers are runs at each scale; + means that later stages add runs that depend on the first.")


@app.command()
def run(
    study: StudyName,
    scale: Scale = "laptop",
    store: StoreFolder = STORE,
    figures: FiguresFolder = FIGURES,
    seeds: Seeds = None,
    lanes: Lanes = None,
    engine: EngineName = "auto",
) -> None:
    """Train a study, judge its claims, draw its figures.

    Runs that the store already has are not trained again. Ctrl-C keeps what is finished; the same command goes on.

      glassware run pareto/success-frontier --scale smoke
    """
    from glassware import api
    from glassware.engine import check_engine
    from glassware.progress import Progress
    from glassware.studies import find

    console = _console()
    found, path = find(study), check_engine(engine)
    title = f"{found.name} at scale {scale}: {found.title}"
    progress = Progress(console, title=title, stages=len(found.stages), lanes=lanes, engine=path)
    api.check_folder(figures)  # before hours of training, not after
    with _stoppable(progress, store):
        report = api.run(
            found, scale, store=store, figures=None, seeds=seeds, lanes=lanes, engine=path, progress=progress
        )
    _print_claims(console, report.judgements)
    console.print()
    _print_figures(console, api.figures(found, scale, store=store, folder=figures, seeds=seeds))
    console.print(f"results in {store}", soft_wrap=True)


@app.command()
def sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="A sweep: a base run and what varies.")],
    store: StoreFolder = STORE,
    lanes: Lanes = None,
    engine: EngineName = "auto",
) -> None:
    """Train a grid of your own, written as TOML.

    Runs that the store already has are not trained again. Ctrl-C keeps what is finished; the same command goes on.
    A sweep file:

      seeds = 8                          # seeds 0..7 of every combination
      \\[run]
      steps = 6000
      task = { n = 50, k = 3 }
      model = { width = 100 }
      \\[grid]                             # every combination of these
      m = \\[300, 1000, "online"]
      model.width = \\[10, 100]
    """
    from glassware import api
    from glassware.engine import check_engine
    from glassware.progress import Progress

    console, path = _console(), check_engine(engine)
    progress = Progress(console, lanes=lanes, engine=path)
    with _stoppable(progress, store):
        frame = api.sweep(file, store, lanes=lanes, engine=path, progress=progress)
    _print_summary(console, api.summary(frame))
    console.print(f"results in {store}", soft_wrap=True)


@app.command()
def claims(
    study: Annotated[
        str | None, typer.Argument(metavar="[STUDY]", help="A study, or all of a paper ('pareto').", show_default="all")
    ] = None,
    scale: Scale = "laptop",
    store: StoreFolder = STORE,
    seeds: Seeds = None,
    as_json: AsJson = False,
) -> None:
    """Judge claims on the results in the store; trains nothing.

    glassware claims pareto --json
    """
    from glassware import api
    from glassware.studies import check_scale, matching, missing

    chosen, size, kept = matching(study), check_scale(scale), api.existing(store)
    if as_json:
        found = [judgement.plain() for one in chosen for judgement in api.claims(one, size, store=kept, seeds=seeds)]
        print(json.dumps(found, indent=2))
        return
    console = _console()
    for one in chosen:
        _print_claims(console, api.claims(one, size, store=kept, seeds=seeds), brief=True)
        lacking, wanted = missing(one, size, kept, seeds)
        if 0 < lacking < wanted:
            # A run that succeeds ends early: the first rows of a sweep make it look better than it is.
            console.print(
                f"{lacking:,} of {wanted:,} runs are missing; those that succeed finish first", style="yellow"
            )


@app.command()
def figures(
    study: StudyName,
    scale: Scale = "laptop",
    store: StoreFolder = STORE,
    figures: FiguresFolder = FIGURES,
    seeds: Seeds = None,
) -> None:
    """Draw a study's figures again from the results in the store; trains nothing."""
    from glassware import api

    _print_figures(_console(), api.figures(study, scale, store=store, folder=figures, seeds=seeds))


@app.command()
def info(as_json: AsJson = False) -> None:
    """Show this machine, the versions, and what the engine would choose here."""
    from glassware import api

    found = api.info()
    if as_json:
        print(json.dumps(found, indent=2))
        return
    console = _console()
    names = ("glassware", "semantics", "python", "jax", "jaxlib", "optax", "polars", "system", "cores")
    facts = {name: str(found[name]) for name in names} | {"memory": _gigabytes(found["memory"])}
    for i, device in enumerate(found["devices"]):
        memory = f", {_gigabytes(device['memory'])}" if device["memory"] else ""
        facts[f"device {i}"] = f"{device['kind']}{memory}"
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, value in facts.items():
        table.add_row(name, value)
    console.print(table)
    console.print("\nFor many runs of a two-layer network the engine would choose here\n")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("n", "width", "runs", "lanes", "devices"):
        table.add_column(column, justify="right")
    table.add_column("engine")
    for choice in found["engine"]:
        numbers = [f"{choice[name]:,}" for name in ("n", "width", "runs", "lanes", "devices")]
        table.add_row(*numbers, choice["engine"])
    console.print(table)


# -- printing ---------------------------------------------------------------------------------------------------------


def _console() -> Console:
    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else LOG_WIDTH
    return Console(highlight=False, markup=False, emoji=False, width=wide)  # a path may hold [brackets] or :colons:


def _print_claims(console: Console, judgements: list[Judgement], *, brief: bool = False) -> None:
    """One table a study, then how many hold. ``brief``: one line for a study of which nothing could be judged."""
    by_study: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        by_study.setdefault(judgement.study, []).append(judgement)
    for study, group in by_study.items():
        scale, judged = group[0].scale, [j for j in group if j.verdict in VERDICTS]
        console.print()
        if brief and all(j.verdict == "not enough runs" for j in judged):
            wanting = f"not enough runs for any of {len(judged)} claims yet" if judged else "no claim is judged here"
            console.print(f"{study} at scale {scale}: {wanting} (glassware run {study} --scale {scale})")
            continue
        if judged:
            console.print(_claims_table(console, f"Claims of {study} at scale {scale}", judged))
            held = sum(j.verdict == "holds" for j in judged)
            console.print(f"{held} of {len(judged)} claims hold")
        others = [j.claim for j in group if j.verdict not in VERDICTS]
        if others:
            console.print(f"not judged at scale {scale}: {', '.join(others)}", style="dim")


def _claims_table(console: Console, title: str, judged: list[Judgement]) -> Table:
    table = Table(title=title, title_justify="left", show_lines=True, width=min(console.width, 140))
    for column, ratio in (("claim", 6), ("paper", 4), ("measured", 5), ("needed", 6)):
        table.add_column(column, ratio=ratio)
    table.add_column("verdict", no_wrap=True, width=max(len(VERDICTS[j.verdict][0]) for j in judged))
    for j in judged:
        symbol, colour = VERDICTS[j.verdict]
        measured = Text.assemble(j.measured, ("\n" + j.detail if j.detail else "", "dim"))
        claim = Text.assemble((j.claim, "bold"), "\n", j.statement)
        table.add_row(claim, Text(j.where), measured, Text(j.threshold), Text(symbol, colour))
    return table


def _print_summary(console: Console, summary: pl.DataFrame) -> None:
    """Success by field and value."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("field", "value", "runs", "succeed", "rate", "95% interval", "median steps"):
        table.add_column(column, justify="left" if column == "field" else "right")
    for (field,), cells in summary.group_by("field", maintain_order=True):
        for i, row in enumerate(cells.head(MOST_VALUES).iter_rows(named=True)):
            interval = f"{row['low']:.0%} to {row['high']:.0%}"
            steps = "never" if row["median_steps"] is None else f"{row['median_steps']:,}"
            name, counts = str(field) if i == 0 else "", [f"{row['runs']:,}", f"{row['successes']:,}"]
            table.add_row(name, row["value"], *counts, f"{row['rate']:.0%}", interval, steps)
        if len(cells) > MOST_VALUES:
            table.add_row("", f"and {len(cells) - MOST_VALUES} more")
    console.print()
    console.print(table)
    console.print()


def _print_figures(console: Console, paths: list[Path]) -> None:
    for path in paths:
        console.print(f"figure {path}", soft_wrap=True)


@contextmanager
def _stoppable(progress: Progress, store: Path) -> Iterator[None]:
    """Ctrl-C: say what was kept. The store has written every finished run by the time this sees it."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"stopped: {progress.kept:,} runs kept in {store}; run the same command to go on", file=sys.stderr)
        raise typer.Exit(130) from None


def _sentence(error: Any) -> str:
    """A usage error in our style: small first letter, no full stop, where to read more."""
    text = error.format_message().strip().rstrip(".")
    command = error.ctx.command_path if error.ctx else "glassware"
    return f"{text[:1].lower()}{text[1:]} (see {command} --help)"


def _gigabytes(count: int) -> str:
    return f"{count / 2**30:.0f} GiB"


if __name__ == "__main__":
    main()
