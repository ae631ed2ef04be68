"""Addresses and what answers them."""

from __future__ import annotations

import logging
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from glassware.foundation.errors import GlasswareError
from glassware.reports.text import escape
from glassware.sweeps import Store
from glassware.web.compare import compare
from glassware.web.guard import Guard
from glassware.web.layout import page
from glassware.web.library import Library
from glassware.web.overview import overview, state, study
from glassware.web.query import parse
from glassware.web.run import run
from glassware.web.runs import cells, runs
from glassware.web.selection import UnknownError
from glassware.web.shelf import Shelf
from glassware.web.static_files import FILES, files_route

log = logging.getLogger("glassware")

FRESH = {"cache-control": "no-store"}
PORT = 8420  # usually


def make_app(store: Store) -> ASGIApp:
    """The page of a store, as an ASGI application."""
    library = Library(store)
    shelf = Shelf(library)

    def shown(make: Callable[[Request], str]) -> Callable[[Request], Response]:
        # Plain functions: Starlette calls each in a thread of its own, so that a slow page holds up no other.
        def answer(request: Request) -> Response:
            try:
                return HTMLResponse(make(request), headers=FRESH)
            except UnknownError as error:
                return _sorry(str(error), 404)
            except GlasswareError as error:
                return _sorry(str(error), 400)
            except Exception as error:
                log.exception("a page failed")
                return _sorry(f"the page failed: {type(error).__name__}", 500)

        return answer

    def ask(request: Request) -> Response:
        try:
            return JSONResponse(state(library, shelf), headers=FRESH)
        except GlasswareError as error:
            return JSONResponse({"trouble": str(error)}, 503, headers=FRESH)

    given = lambda request: parse(request.query_params.multi_items())
    plain = lambda request, name: request.query_params.get(name, "")[:300]
    routes = [
        Route("/", shown(lambda _: overview(library, shelf))),
        Route("/study/{name:path}", shown(lambda r: study(r.path_params["name"], plain(r, "scale"), library, shelf))),
        Route("/runs", shown(lambda r: runs(given(r), library, shelf))),
        Route("/cells", shown(lambda r: cells(given(r), library, shelf))),
        Route("/run/{name}", shown(lambda r: run(r.path_params["name"], plain(r, "step"), library))),
        Route("/compare", shown(lambda r: compare(plain(r, "a"), plain(r, "b"), library, shelf))),
        Route("/state", ask),
        files_route(FILES),
    ]
    missing = lambda request, error: _sorry("there is no such page", 404)
    return Guard(Starlette(routes=routes, exception_handlers={404: missing}))


def _sorry(why: str, code: int) -> Response:
    title = "Not found" if code == 404 else "That did not work"
    body = f"<h1>{title}</h1><p>{escape(why)}.</p>"
    return HTMLResponse(page(title, body, mark="", live="no"), code, headers=FRESH)
