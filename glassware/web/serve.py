"""The server of the page: on this machine's own address alone, until Ctrl-C."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable

import uvicorn

from glassware.foundation.errors import GlasswareError
from glassware.sweeps import Store
from glassware.web.app import make_app

LOOPBACK, PORT = "127.0.0.1", 8420


def serve(store: Store, port: int | None, ready: Callable[[str], None]) -> None:
    """Serve a store until Ctrl-C.

    Args:
        store: to look at.
        port: to listen on; 8420 unless given, or any that is free where that is taken.
        ready: called with the address once somebody can connect.
    """
    listening = _listen(port)
    ready(f"http://{LOOPBACK}:{listening.getsockname()[1]}/")
    with contextlib.suppress(KeyboardInterrupt):
        make_server(store).run(sockets=[listening])


def make_server(store: Store) -> uvicorn.Server:
    """The server of a store's page; it logs nothing but failures, and opens no web sockets."""
    config = uvicorn.Config(
        make_app(store), log_level="error", access_log=False, lifespan="off", ws="none", server_header=False
    )
    return uvicorn.Server(config)


def _listen(port: int | None) -> socket.socket:
    for number in [PORT, 0] if port is None else [port]:
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
