"""What a store holds, as a page in the browser or as text: ``open``."""

from __future__ import annotations

import json
import sys
import webbrowser
from pathlib import PurePath
from typing import Annotated

import typer

from glassware.commands.options import STORE, AsJson
from glassware.foundation.address import place_of
from glassware.printing.console import make_console


def open_store(
    store: Annotated[
        PurePath,
        typer.Argument(metavar="STORE", help="Folder of results, one row per run, or an address.", parser=place_of),
    ] = STORE,
    as_json: AsJson = False,
    as_page: Annotated[
        bool | None,
        typer.Option("--page/--text", help="A page in the browser, or text.", show_default="page on a terminal"),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=65535, help="Port of the page.", show_default="8420, or a free one"),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Show the page in the browser.")] = True,
) -> None:
    """Look at a store: studies with claims and figures, sweeps, every run. A page on this machine, until Ctrl-C.

    The page reads, and nobody else can see it. Where the output is no terminal, or with --text, the command says what
    the store holds, and ends.

    glassware open results/store
    """
    from glassware.api.folders import existing

    if as_json or not (sys.stdout.isatty() if as_page is None else as_page):
        _print(store, as_json)
        return
    kept = existing(store)
    console = make_console()
    with make_console(stderr=True).status("starting"):
        from glassware.web.app import PORT, make_app
        from glassware.web.listening import serve

    def ready(address: str) -> None:
        console.print(f"{address}  (Ctrl-C stops it)")
        if browser:
            webbrowser.open(address)

    serve(make_app(kept), port, PORT, ready)


def _print(store: PurePath, as_json: bool) -> None:
    from glassware.api.stores import open_store as read_contents
    from glassware.printing.contents import print_contents

    with make_console(stderr=True).status(f"reading {store}") as status:
        contents = read_contents(store, tell=status.update)
    if as_json:
        print(json.dumps(contents.plain(), indent=2))
        return
    print_contents(make_console(), contents.plain())
