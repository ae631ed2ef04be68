"""This machine: ``info``."""

from __future__ import annotations

import json

from glassware.commands.options import AsJson
from glassware.printing.console import make_console
from glassware.printing.info import print_info


def info(as_json: AsJson = False) -> None:
    """Show this machine, the versions, and what the engine would choose here."""
    from glassware.api import machine

    found = machine.info()
    if as_json:
        print(json.dumps(found, indent=2))
        return
    print_info(make_console(), found)
