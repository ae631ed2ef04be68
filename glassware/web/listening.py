"""A page's server: on this machine's own address alone, until Ctrl-C."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from glassware.foundation.errors import GlasswareError

LOOPBACK = "127.0.0.1"


def serve(app: ASGIApp, port: int | None, usual: int, ready: Callable[[str], None]) -> None:
    """Serve a page until Ctrl-C.

    Args:
        app: the page.
        port: to listen on; the usual one unless given, or any that is free where that is taken.
        usual: the usual one.
        ready: called with the address once somebody can connect.
    """
    listening = _listen(port, usual)
    ready(f"http://{LOOPBACK}:{listening.getsockname()[1]}/")
    with contextlib.suppress(KeyboardInterrupt):
        make_server(app).run(sockets=[listening])


def make_server(app: ASGIApp) -> uvicorn.Server:
    """The server of a page; it logs nothing but failures, and opens no web sockets."""
    config = uvicorn.Config(app, log_level="error", access_log=False, lifespan="off", ws="none", server_header=False)
    return uvicorn.Server(config)


def _listen(port: int | None, usual: int) -> socket.socket:
    for number in [usual, 0] if port is None else [port]:
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((LOOPBACK, number))
        except (OSError, OverflowError) as error:
            listening.close()
            if port is not None:
                why = getattr(error, "strerror", None) or error
                raise GlasswareError(f"cannot listen on port {port}: {why}") from None
            continue
        listening.listen()
        return listening
    raise GlasswareError("no port is free on this machine")
