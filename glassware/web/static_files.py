"""The scripts and styles of the page: a fixed list, so that no address can name another file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from glassware.charts.save import javascript, licences
from glassware.reports.elements import static

HERE = Path(__file__).parent / "static"
CSS, JS, TEXT = "text/css; charset=utf-8", "text/javascript; charset=utf-8", "text/plain; charset=utf-8"

FILES: dict[str, tuple[str, Callable[[], str]]] = {
    "style.css": (CSS, lambda: static("style.css")),
    "page.css": (CSS, lambda: (HERE / "page.css").read_text(encoding="utf-8")),
    "name.js": (JS, lambda: static("name.js")),
    "page.js": (JS, lambda: (HERE / "page.js").read_text(encoding="utf-8")),
    "vega.js": (JS, lambda: f"/*!\n{licences()}\n*/\n{javascript()}"),
    "licences.txt": (TEXT, licences),
}
