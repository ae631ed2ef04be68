"""Addresses and what answers them: one page, and the requests that its script alone can make."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from glassware.foundation.errors import GlasswareError
from glassware.foundation.statistics import wilson
from glassware.play.page import SCRIPTS, page
from glassware.play.session import Session
from glassware.play.settings import PRESETS, SEEDS, read
from glassware.play.words import in_python, in_words
from glassware.web.guard import Guard
from glassware.web.static_files import CSS, JS, STYLES, files_route, text

FRESH = {"cache-control": "no-store"}
PORT = 8421  # usually; the page of ``open`` has the one before
HERE = Path(__file__).parent / "static"
FILES = {**STYLES, "play.css": (CSS, text(HERE / "play.css")), **{name: (JS, text(HERE / name)) for name in SCRIPTS}}

Answer = Callable[[Mapping[str, Any]], dict[str, Any]]


def make_app(session: Session) -> ASGIApp:
    """The page of a session, as an ASGI application."""
    token = secrets.token_urlsafe(32)
    shown = page(token, in_python(PRESETS[0].settings))

    def start(given: Mapping[str, Any]) -> dict[str, Any]:
        try:
            settings = read(given.get("settings"))
        except GlasswareError as error:
            return {"sorry": str(error)}  # an answer like any other: the page says it where it was typed
        number = session.start(settings, whole(given, "seed", SEEDS - 1))
        return {"number": number, "words": in_words(settings), "python": in_python(settings)}

    def look(given: Mapping[str, Any]) -> dict[str, Any]:
        return session.look(whole(given, "number"), whole(given, "since"), whole(given, "seed", SEEDS - 1))

    def stop(given: Mapping[str, Any]) -> dict[str, Any]:
        session.stop(whole(given, "number"))
        return {}

    def warm(given: Mapping[str, Any]) -> dict[str, Any]:
        session.warm()
        return {}

    def rate(given: Mapping[str, Any]) -> dict[str, Any]:
        return wilson(whole(given, "successes"), whole(given, "trials"))._asdict()

    asked = {"start": start, "look": look, "stop": stop, "warm": warm, "rate": rate}
    routes = [
        Route("/", lambda request: HTMLResponse(shown, headers=FRESH)),
        *(Route(f"/{name}", _answer(answer), methods=["POST"]) for name, answer in asked.items()),
        files_route(FILES),
    ]
    missing = lambda request, error: PlainTextResponse("there is no such page\n", 404, headers=FRESH)
    return Guard(Starlette(routes=routes, exception_handlers={404: missing}), token)


def _answer(answer: Answer) -> Callable[[Request], Any]:
    """Answers a request whose body is a JSON object; what is wrong with it is one sentence."""

    async def route(request: Request) -> Response:
        try:
            given = json.loads(await request.body())
        except (ValueError, RecursionError):
            return JSONResponse({"sorry": "the request is not JSON"}, 400, headers=FRESH)
        if not isinstance(given, dict):
            return JSONResponse({"sorry": "the request is not a JSON object"}, 400, headers=FRESH)
        try:
            return JSONResponse(await run_in_threadpool(answer, given), headers=FRESH)
        except GlasswareError as error:
            return JSONResponse({"sorry": str(error)}, 400, headers=FRESH)

    return route


def whole(given: Mapping[str, Any], name: str, most: int = 2**31) -> int:
    """A whole number from 0 of a request; 0 where it is not named."""
    value = given.get(name, 0)
    if type(value) is not int or not 0 <= value <= most:
        raise GlasswareError(f"{name} must be a whole number from 0 to {most}")
    return value
