"""What a store holds: ``open``."""

from __future__ import annotations

import json
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
) -> None:
    """Say what a store holds: studies with how many of their runs, sweeps of your own, counts and size.

    glassware open results/store
    """
    from glassware.api.stores import open_store as read_contents
    from glassware.printing.contents import print_contents

    with make_console(stderr=True).status(f"reading {store}") as status:
        contents = read_contents(store, tell=status.update)
    if as_json:
        print(json.dumps(contents.plain(), indent=2))
        return
    print_contents(make_console(), contents.plain())
