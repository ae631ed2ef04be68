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
from rich.table import Table
from typer.core import TyperGroup

from glassware.errors import GlasswareError
from glassware.printing import (
    make_console,
    print_claims,
    print_estimate,
    print_figures,
    print_info,
    print_plan,
    print_summary,
)

if TYPE_CHECKING:
    from glassware.progress import Progress

UsageError: Any = typer.BadParameter.__base__  # Typer exports only this child of it


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
    str, typer.Option("--engine", metavar="PATH", help="auto (kernels where they can), xla, kernels, kernels-exact.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]

STORE, FIGURES, BENCH = Path("results/store"), Path("results/figures"), Path("results/bench")


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
      glassware estimate pareto/slices             how long it takes here
      glassware claims pareto --json               verdicts from what is on disk
      glassware plan --n 50 --k 3 --m 1000         what to train, what a success costs
      glassware sweep my-sweep.toml                a grid of your own

    [bold]Files[/bold]

      results/store/parts/*.parquet                the results, one row a run
      results/store/computed/STUDY/*.parquet       tables that a study computes instead
      results/figures/STUDY/SCALE/*.png, *.html    the figures
      ~/.cache/glassware/programs                  compiled programs (*)

    (*) Kept between runs, so that the next start is quicker; GLASSWARE_CACHE=DIR moves them, GLASSWARE_CACHE=off keeps none.

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
        more = (" +" if row["stages"] > 1 else "") + (" *" if row["computed"] else "")
        counts = [f"{row[scale]:,}{more}" for scale in ("smoke", "laptop", "paper")]
        table.add_row(row["name"], row["title"], *counts, str(row["claims"]))
    console = make_console()
    console.print(table)
    if any(listed["stages"] > 1):
        console.print("\nNumbers are runs at each scale; + means that later stages add runs that depend on the first.")
    if any(listed["computed"]):
        console.print("* means that the study computes results as well, or only computes.")


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

    console = make_console()
    found, path = find(study), check_engine(engine)
    title = f"{found.name} at scale {scale}: {found.title}"
    progress = Progress(console, title=title, stages=len(found.stages), lanes=lanes, engine=path)
    api.check_folder(figures)  # before hours of training, not after
    with _stoppable(progress, store):
        report = api.run(
            found, scale, store=store, figures=None, seeds=seeds, lanes=lanes, engine=path, progress=progress
        )
    print_claims(console, report.judgements)
    console.print()
    print_figures(console, api.figures(found, scale, store=store, folder=figures, seeds=seeds))
    console.print(f"results in {store}", soft_wrap=True)


@app.command()
def estimate(
    study: StudyName,
    scale: Scale = "laptop",
    store: StoreFolder = STORE,
    seeds: Seeds = None,
    lanes: Lanes = None,
    engine: EngineName = "auto",
    as_json: AsJson = False,
) -> None:
    """Say how long a study takes on this machine; trains nothing.

    Speed is measured here for up to a minute; how many runs stop early is taken from the results in the store.

      glassware estimate pareto/success-frontier --scale paper
    """
    from glassware import api
    from glassware.engine import check_engine
    from glassware.studies import find

    found, path, console = find(study), check_engine(engine), make_console()
    with make_console(stderr=True).status("measuring this machine") as status:
        forecast = api.estimate(found, scale, store=store, seeds=seeds, lanes=lanes, engine=path, tell=status.update)
    if as_json:
        print(json.dumps({"study": found.name, "scale": scale, **forecast.plain()}, indent=2))
        return
    title = f"{found.name} at scale {scale}: {found.title}"
    if not found.stages:
        console.print(f"{title}\n\nit is computed, not trained: there is no run to estimate")
        return
    print_estimate(console, title, forecast)
    if found.compute is not None:
        console.print("not counted: what the study computes besides")


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

    console, path = make_console(), check_engine(engine)
    progress = Progress(console, lanes=lanes, engine=path)
    with _stoppable(progress, store):
        frame = api.sweep(file, store, lanes=lanes, engine=path, progress=progress)
    print_summary(console, api.summary(frame))
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
    console = make_console()
    for one in chosen:
        print_claims(console, api.claims(one, size, store=kept, seeds=seeds), brief=True)
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

    print_figures(make_console(), api.figures(study, scale, store=store, folder=figures, seeds=seeds))


@app.command()
def plan(
    n: Annotated[int, typer.Option("--n", metavar="N", help="Inputs of the parity.")],
    k: Annotated[int, typer.Option("--k", metavar="K", help="Relevant inputs.")],
    m: Annotated[
        int | None, typer.Option("--m", metavar="M", help="Examples at hand.", show_default="any number")
    ] = None,
    budget: Annotated[
        float | None, typer.Option(metavar="FLOPS", help="Operations to spend, as 1e12.", show_default="any number")
    ] = None,
    store: StoreFolder = STORE,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw data against compute, PNG and HTML.", show_default="none")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what to train, when to give up and restart, and what one success costs; trains nothing.

    Prices come from the runs in the store: successes, failures and how long they took.

      glassware plan --n 50 --k 3 --m 1000 --budget 1e12
    """
    from glassware import api

    found = api.plan(n, k, m, budget, store=store)
    drawn = [] if figure is None else api.plan_figure(found, figure)
    if as_json:
        print(json.dumps(found.plain(), indent=2))
        return
    console = make_console()
    print_plan(console, found)
    print_figures(console, drawn)


@app.command()
def bench(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for bench.parquet, .png and .html.")] = BENCH,
    shapes: Annotated[
        str | None,
        typer.Option(metavar="NxR,..", help="Inputs x neurons: 50x100,200x1000.", show_default="a few usual ones"),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Seconds a shape; rough numbers.")] = False,
) -> None:
    """Measure training speed beside PyTorch and plain JAX, on the processor and on the GPU if there is one.

    All take turns in one run, each in the best form we know; PyTorch's rows need it installed.

      glassware bench --quick --shapes 50x100
    """
    from glassware import api
    from glassware.bench import FULL, QUICK, caption, frame, parse_shapes, speed_chart, speed_tables, summary_lines
    from glassware.bench import bench as measure
    from glassware.charts import save

    cells = parse_shapes(shapes) if shapes is not None else None
    api.check_folder(out)
    with make_console(stderr=True).status("starting") as status:
        results = measure(cells, QUICK if quick else FULL, status.update)
    console, table = make_console(), frame(results)
    for grid in speed_tables(results):
        console.print(grid)
    for line in (caption(results), *summary_lines(results)):
        console.print(line, soft_wrap=True)
    paths = [*save(speed_chart(table), out, "bench"), out / "bench.parquet"]
    table.write_parquet(paths[-1])
    print_figures(console, paths[:-1])
    console.print(f"results in {paths[-1]}", soft_wrap=True)


@app.command()
def info(as_json: AsJson = False) -> None:
    """Show this machine, the versions, and what the engine would choose here."""
    from glassware import api

    found = api.info()
    if as_json:
        print(json.dumps(found, indent=2))
        return
    print_info(make_console(), found)


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


if __name__ == "__main__":
    main()
