"""The command line: the parser, its help, and how a command ends. What the commands do is in ``commands``."""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from glassware.commands import (
    bench,
    frontier,
    info,
    open_,
    plan,
    play,
    reports,
    results,
    selections,
    show,
    stores,
    studies,
    sweep,
    tabular,
    threshold,
)
from glassware.commands.options import checked_paths
from glassware.foundation.commands import set_parts
from glassware.foundation.errors import GlasswareError
from glassware.foundation.names import printable
from glassware.foundation.version import own_version

UsageError: Any = typer.BadParameter.__base__  # Typer exports only this child of it

WORKING = ("glassware.api.", "glassware.play.")  # what is imported once a command has begun to work


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
    """Print what is wrong to standard error, and exit."""
    print(f"glassware: {printable(' '.join(message.split()))}", file=sys.stderr)
    sys.exit(code)


def _sentence(error: Any) -> str:
    """A usage error in our style: lower case, no full stop, and where to read more."""
    text = error.format_message().strip().rstrip(".").replace("Value error, ", "")  # a word of Pydantic's
    command = error.ctx.command_path if error.ctx else "glassware"
    return f"{text[:1].lower()}{text[1:]} (see {command} --help)"


def interrupt(*_: object) -> None:
    """Ctrl-C. During imports exit at once: compiled modules may crash when their import is interrupted."""
    working = [module for name, module in list(sys.modules.items()) if name.startswith(WORKING)]
    if not working or any(getattr(module.__spec__, "_initializing", False) for module in working):
        os._exit(130)
    raise KeyboardInterrupt


def interrupt_again(lost: Any) -> None:
    """Send Ctrl-C again where Python drops it: in JAX's garbage-collection callback, often at the start."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    # A moment later: raised in here, it would be dropped as well.
    again = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    again.daemon = True
    again.start()


def main() -> None:
    """Entry point of the ``glassware`` command."""
    sys.unraisablehook = interrupt_again
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell's background job ignores it
        signal.signal(signal.SIGINT, interrupt)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the shell (>&-), as some schedulers do
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ✓ shows ? instead of failing
    try:
        app(prog_name="glassware")
    finally:
        try:
            sys.stdout.flush()
        except BrokenPipeError:  # `glassware studies | head`: the reader has left, which is no error
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"glassware {own_version()}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def glassware(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
    parts: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Python file that registers parts or studies of your own; may be given several times.",
            exists=True,
            dir_okay=False,
            callback=checked_paths,
        ),
    ] = None,
) -> None:
    """A laboratory for test-tube tasks: train thousands of small networks, redraw a paper's figures, judge its claims.

    [bold]Examples[/bold]

      glassware studies                            what can be reproduced
      glassware reproduce pareto/success-frontier  train, judge and draw: minutes
      glassware reproduce pareto/slices --scale smoke             in seconds
      glassware estimate pareto/slices             how long it takes here
      glassware claims pareto --json               verdicts from what is on disk
      glassware report pareto/slices               one page to send to somebody
      glassware open results/store                 what a store holds
      glassware play                               ten networks train in front of you
      glassware status results/store               who is writing, what is left
      glassware store check results/store          is every file sound?
      glassware show 3f2a                          one run: curve, weights, neurons
      glassware plan n=50 k=3 --m 1000             what to train, at what cost
      glassware sweep my-sweep.toml                a grid of your own
      glassware sweeps                             sweeps by name
      glassware compare mine other                 two of them side by side
      glassware export mine -o rows.csv            rows for other tools
      glassware threshold my-sweep.toml --axis m   how many examples it takes
      glassware frontier my-grid.toml              where success begins, m against width
      glassware --parts mine.py reproduce mine/it  a study of your own
      glassware tabular my.csv --target species    methods on a table of your own

    [bold]Files[/bold]

      results/store/parts/*.parquet                the results, one row per run
      results/store/weights/*.safetensors          weights that runs keep
      results/store/computed/STUDY/*.parquet       tables that studies compute
      results/figures/STUDY/SCALE/*.png, *.html    the figures
      ~/.cache/glassware/programs                  compiled programs (*)

    (*) Kept between runs, so that the next start is quicker. The folder is the one of Linux; other systems have their own. GLASSWARE_CACHE=DIR moves it, GLASSWARE_CACHE=off keeps none.

    [bold]Stopping and going on[/bold]

    Finished runs are written every few seconds. Stop with Ctrl-C at any time: the same command goes on where it was and never trains a run twice. Studies and sweeps may share a store.

    [bold]Exit codes[/bold]

    0 done, 1 unexpected error, 2 bad input (one sentence says what), 130 stopped by Ctrl-C.
    """  # noqa: E501 (a paragraph of help is one line: the terminal wraps it)
    if context.invoked_subcommand is None:
        print(context.get_help())
    set_parts(parts or ())
    for file in parts or ():
        _import(file)


def _import(file: Path) -> None:
    """Run a file of the user's, whose registrations then hold for this command."""
    folder = str(file.resolve().parent)
    sys.path.insert(0, folder)  # the files beside it, as ``python FILE`` finds them
    try:
        runpy.run_path(str(file))
    except Exception as error:  # whatever the file may raise, in one sentence
        if os.environ.get("GLASSWARE_DEBUG"):
            traceback.print_exc()
        raise GlasswareError(_why(file, error)) from None
    finally:
        sys.path.remove(folder)
        sys.path.append(folder)  # for what it imports later; last, so that it hides nothing


def _why(file: Path, error: Exception) -> str:
    """What went wrong in a file of the user's, and in which line; glassware's own failures are called so."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(file)]
    where = f" in line {lines[-1]}" if lines else ""
    if isinstance(error, GlasswareError):
        return f"{file}{where.replace(' in', ',')}: {error}"
    said = f"{type(error).__name__}: {error}"
    if Path(frames[-1].filename).resolve().is_relative_to(Path(__file__).resolve().parent):
        return f"glassware itself failed while it imported {file}{where}: {said}"
    return f"{file} cannot be imported{where and ','}{where}: {said}"


# Commands whose function cannot have their name: ``open`` is a builtin.
NAMES: dict[Callable[..., None], str] = {open_.open_store: "open"}

# In the order of the help. A new command is a function in a file of glassware/commands, and its name here.
for command in (
    studies.studies,
    studies.reproduce,
    studies.estimate,
    sweep.sweep,
    threshold.threshold,
    frontier.frontier,
    results.claims,
    results.figures,
    reports.report,
    selections.sweeps,
    selections.compare,
    selections.export,
    open_.open_store,
    play.play,
    stores.status,
    show.show,
    plan.plan,
    tabular.tabular,
    bench.bench,
    info.info,
):
    app.command(NAMES.get(command))(command)
app.add_typer(stores.store)

# The names of 0.1, until 0.3: each says its new one and does the same.
app.command("run", hidden=True)(studies.run)
