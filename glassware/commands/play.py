"""Ten networks that train in front of you: ``play``."""

from __future__ import annotations

import webbrowser
from typing import Annotated

import typer

from glassware.printing.console import make_console


def play(
    port: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=65535, help="Port of the page.", show_default="8421, or a free one"),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Show the page in the browser.")] = True,
) -> None:
    """Train ten networks in front of you: a page on this machine, until Ctrl-C.

    Choose the problem (n inputs of which k matter), the width, the examples, dense or sparse first weights and the rate, or press a button that shows what the papers found. Ten networks that differ only in their seed then train, in seconds on two cores: watch their errors, their weights, and how many of them learn.

    They train in one process, which ends with the page and with this command. Nothing is kept but compiled programs, nobody else can see the page, and it needs no network. The first training on a machine compiles for half a minute.

    glassware play
    """  # noqa: E501 (a paragraph of help is one line: the terminal wraps it)
    with make_console(stderr=True).status("starting"):
        from glassware.play.app import PORT, make_app
        from glassware.play.session import Session
        from glassware.web.listening import serve

    console = make_console()

    def ready(address: str) -> None:
        console.print(f"{address}  (Ctrl-C stops it)")
        if browser:
            webbrowser.open(address)

    session = Session()
    try:
        serve(make_app(session), port, PORT, ready)
    finally:
        session.close()
