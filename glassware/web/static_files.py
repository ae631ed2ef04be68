"""The scripts and styles of a page: a fixed list, so that no address can name another file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from glassware.charts.save import javascript, licences
from glassware.reports.elements import static

HERE = Path(__file__).parent / "static"
CSS, JS, TEXT = "text/css; charset=utf-8", "text/javascript; charset=utf-8", "text/plain; charset=utf-8"
Files = Mapping[str, tuple[str, Callable[[], str]]]  # kind and text, by name

STYLES: Files = {
    "style.css": (CSS, lambda: static("style.css")),
    "page.css": (CSS, lambda: (HERE / "page.css").read_text(encoding="utf-8")),
}
FILES: Files = {
    **STYLES,
    "name.js": (JS, lambda: static("name.js")),
    "page.js": (JS, lambda: (HERE / "page.js").read_text(encoding="utf-8")),
    "vega.js": (JS, lambda: f"/*!\n{licences()}\n*/\n{javascript()}"),
    "licences.txt": (TEXT, licences),
}


def files_route(files: Files) -> Route:
    """The addresses of these files."""

    def file(request: Request) -> Response:
        if request.path_params["name"] not in files:
            raise HTTPException(404)
        kind, read = files[request.path_params["name"]]
        return Response(read(), media_type=kind, headers={"cache-control": "max-age=60"})

    return Route("/static/{name}", file)
