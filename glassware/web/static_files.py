"""The scripts and styles of a page: a fixed list, so that no address can name another file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from glassware import reports

HERE = Path(__file__).parent / "static"
SHARED = Path(reports.__file__).parent / "static"
CSS, JS, TEXT = "text/css; charset=utf-8", "text/javascript; charset=utf-8", "text/plain; charset=utf-8"
Files = Mapping[str, tuple[str, Callable[[], str]]]  # kind and text, by name


def text(path: Path) -> Callable[[], str]:
    """Reads a file of ours."""
    return lambda: path.read_text(encoding="utf-8")


# Vega is imported when it is asked for: a page that draws without it starts in a moment.
def _licences() -> str:
    from glassware.charts.save import licences

    return licences()


def _vega() -> str:
    from glassware.charts.save import javascript

    return f"/*!\n{_licences()}\n*/\n{javascript()}"


STYLES: Files = {"style.css": (CSS, text(SHARED / "style.css")), "page.css": (CSS, text(HERE / "page.css"))}
FILES: Files = {
    **STYLES,
    "name.js": (JS, text(SHARED / "name.js")),
    "page.js": (JS, text(HERE / "page.js")),
    "vega.js": (JS, _vega),
    "licences.txt": (TEXT, _licences),
}


def files_route(files: Files) -> Route:
    """The addresses of these files."""

    def file(request: Request) -> Response:
        if request.path_params["name"] not in files:
            raise HTTPException(404)
        kind, read = files[request.path_params["name"]]
        return Response(read(), media_type=kind, headers={"cache-control": "max-age=60"})

    return Route("/static/{name}", file)
