"""Methods on a table of your own: ``tabular``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from glassware.commands.options import FIGURES, AsJson, FiguresFolder, checked_path
from glassware.printing.console import make_console, make_table, print_figures

if TYPE_CHECKING:
    from glassware.tabular.benchmark.contest import Contest
    from glassware.tabular.benchmark.own_table import OwnTable


def _existing(path: Path) -> Path:
    checked_path(path)  # first: a name may be too long even to be looked for, and to be printed
    if not path.exists():
        raise typer.BadParameter(f"path '{path}' does not exist")
    return path


def tabular(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A table: .csv, .parquet or .arff.", callback=_existing),
    ],
    target: Annotated[str, typer.Option(metavar="COLUMN", help="The column with the classes.")],
    drop: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="A column to leave out; may be given again.")
    ] = None,
    missing: Annotated[
        str, typer.Option(metavar="refuse|median", help="What to do with missing values: refuse them, or fill them.")
    ] = "refuse",
    methods: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Methods to compare with, or all.", show_default="all but RealMLP"),
    ] = None,
    folds: Annotated[int, typer.Option(metavar="N", help="Folds of the cross-validation.")] = 5,
    seeds: Annotated[int, typer.Option(metavar="N", help="How often folds are drawn again.")] = 1,
    rows: Annotated[int, typer.Option(metavar="N", help="Most rows to use, drawn at random.")] = 10_000,
    k: Annotated[int, typer.Option("--k", metavar="K", help="Columns of an interaction, 1 to 3.")] = 2,
    figures: FiguresFolder = FIGURES,
    as_json: AsJson = False,
) -> None:
    """Compare our estimator, its dense twin and the baselines on a table of your own.

    All methods are cross-validated on the same folds, as they come.

    Then it names the columns that our networks use, and the sets they use together.

    `pip install 'glassware\\[bench]'` brings more baselines.

      glassware tabular flowers.csv --target species
    """
    from glassware.api.folders import check_figures

    check_figures(figures)
    from glassware.tabular.benchmark.contest import check_methods, contest
    from glassware.tabular.benchmark.own_table import read_table

    wanted = None if methods is None else check_methods([name.strip() for name in methods.split(",")])
    passing = make_console(stderr=True)
    with passing.status(f"reading {file}") as status:
        tell = status.update if passing.is_terminal or as_json else passing.print
        step = status.update if passing.is_terminal else lambda line: None
        table = read_table(file, target, drop=drop or [], missing=missing, most_rows=rows)
        found = contest(table, wanted, folds=folds, seeds=seeds, k=k, tell=tell, step=step)
    if as_json:
        print(json.dumps({"file": str(file), "notes": list(table.notes), **found.plain()}, indent=2))
        _end(found)
        return
    console = make_console()
    _print(console, file, target, table, found)
    print_figures(console, _draw(file, found, figures))
    _end(found)


def _end(found: Contest) -> None:
    """After an interrupt say what is not there."""
    kept = found.table.height
    if found.left or not found.interactions.height:
        missing = f"without {', '.join(found.left)}" if found.left else "our networks were not read"
        print(f"stopped: {kept} methods kept, {missing}", file=sys.stderr)
        raise typer.Exit(130)


def _draw(file: Path, found: Contest, folder: Path) -> list[Path]:
    from glassware import charts

    chart = charts.dots(
        found.table,
        x="method",
        y="error",
        low="low",
        high="high",
        title=f"Methods on {file.name}",
        subtitle="cross-validated error, mean over folds with its 95% interval",
        x_title="",
        y_title="error",
        percent=True,
    )
    return list(charts.save(chart, folder / "tabular", file.stem))


def _print(console: Console, file: Path, target: str, table: OwnTable, found: Contest) -> None:
    rows, columns = table.X.shape
    console.print(f"{file}: {rows:,} rows, {columns:,} inputs, {len(table.classes)} classes of {target}")
    for note in table.notes:
        console.print(note)
    folds, seeds = found.folds["fold"].n_unique(), found.folds["seed"].n_unique()
    console.print(f"Cross-validated in {folds} folds{f', drawn {seeds} times' if seeds > 1 else ''}.")
    console.print()
    contestants = make_table(
        "error", "interval", "against sparse", "interval", "log loss", "Brier", "calibration error", left=["method"]
    )
    for row in found.table.iter_rows(named=True):
        contestants.add_row(
            row["method"],
            f"{row['error']:.1%}",
            f"{row['low']:.1%} to {row['high']:.1%}",
            f"{100 * row['more']:+.1f}",
            f"{100 * row['more_low']:+.1f} to {100 * row['more_high']:+.1f}",
            f"{row['log_loss']:.3f}",
            f"{row['brier']:.3f}",
            f"{row['calibration_error']:.1%}",
        )
    console.print(contestants)
    if not found.interactions.height:
        return
    console.print("\ncolumns that our networks read most")
    console.print(", ".join(f"{name} {share:.0%}" for name, share in found.importances.iter_rows()), soft_wrap=True)
    console.print(
        "\ncolumns they use together: strength, and what the score on these rows loses when they are shuffled"
    )
    for row in found.interactions.iter_rows(named=True):
        console.print(f"{' × '.join(row['features'])}: {row['strength']:.2f}, {row['score_drop']:.1%}", soft_wrap=True)
    console.print()
