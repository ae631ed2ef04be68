"""Where commands print, and the tables and lines that several of them share."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.status import Status
from rich.table import Table
from rich.text import Text

from glassware.foundation.names import printable

LOG_WIDTH = 120  # columns when the output is not a terminal


class Passing(Status):
    """A line that passes, with names in it that may look like markup."""

    def update(self, status: RenderableType | None = None, **more: Any) -> None:
        super().update(Text(printable(status)) if isinstance(status, str) else status, **more)


class Screen(Console):
    """A console whose reader may leave: ``glassware claims | head`` is no error, and work goes on to its end.

    Control characters are spelt out, in lines and in tables: names of files and columns are not ours.
    """

    def render_str(self, text: str, **more: Any) -> Text:
        return super().render_str(printable(text), **more)

    def status(self, status: RenderableType, **more: Any) -> Status:
        return Passing(Text(printable(status)) if isinstance(status, str) else status, console=self, **more)

    def on_broken_pipe(self) -> None:
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def make_console(*, stderr: bool = False) -> Console:
    """The console for results, wide enough for tables when it is a file; with ``stderr`` for passing messages."""
    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else LOG_WIDTH
    # A path may hold [brackets] or :colons:.
    return Screen(stderr=stderr, highlight=False, markup=False, emoji=False, width=wide)


def make_table(*right: str, left: Iterable[str] = ()) -> Table:
    """A table without lines: columns aligned left, then columns aligned right."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in left:
        table.add_column(column, overflow="fold")  # a name that is cut off cannot be typed
    for column in right:
        table.add_column(column, justify="right")
    return table


def print_facts(console: Console, facts: Mapping[str, str]) -> None:
    """A table of names and values."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, fact in facts.items():
        table.add_row(name, fact)
    console.print(table)


def print_figures(console: Console, paths: list[Path]) -> None:
    """Where the figures are."""
    for path in paths:
        console.print(f"figure {path}", soft_wrap=True)
