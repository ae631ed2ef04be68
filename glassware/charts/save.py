"""A chart as a PNG for print and as an HTML page that works offline."""

from __future__ import annotations

import html
import json
import os
import zlib
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from glassware.charts.backend import Spec, alt, vl_convert
from glassware.charts.theme import CONFIG
from glassware.foundation.errors import GlasswareError
from glassware.foundation.names import check_path, printable

SCALE = 2  # pixels per point
BROWSER = "in_browser"  # parameter of a chart: true on the page, false on paper

# Charts with views that only make sense when one can click say how many views go to print.
ON_PAPER = "views_on_paper"

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<!--
{licences}
-->
<style>
body {{ margin: 24px; background: white }}
#chart summary {{ opacity: 0.3 }}
#chart text {{ user-select: none }}
</style>
<script>{javascript}</script>
</head>
<body>
<div id="chart"></div>
<script>vegaEmbed("#chart", {spec}, {options});</script>
</body>
</html>
"""


# The other actions of vega-embed open a page on the network.
OPTIONS = {"renderer": "svg", "actions": {"export": True, "source": False, "compiled": False, "editor": False}}


def save(chart: alt.TopLevelMixin, folder: Path, name: str) -> tuple[Path, Path]:
    """Write ``name.png`` and a self-contained, interactive ``name.html`` into ``folder``, and return both paths."""
    check_path(Path(folder) / f".{name}.html.1234567")  # as it is while it is written
    spec = specification(chart)
    printed = png(spec)
    page = PAGE.format(
        title=html.escape(title_of(spec) or name),
        licences=licences(),
        javascript=javascript(),
        spec=script_json(on_page(spec)),
        options=script_json(OPTIONS),
    )
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _write(folder / f"{name}.png", printed), _write(folder / f"{name}.html", page.encode())
    except OSError as error:
        raise GlasswareError(f"cannot write the figure '{name}' into {folder}: {error.strerror or error}") from error


def specification(chart: alt.TopLevelMixin) -> Spec:
    """The chart as Vega-Lite JSON with the house style; the chart's own configuration takes precedence."""
    # Whatever theme and data transformer a notebook has enabled, the figure is the same.
    with alt.theme.enable("default"), alt.data_transformers.enable("default"):
        spec: Spec = _spelt(chart.to_dict())  # type: ignore[attr-defined]
    return styled(spec)


def styled(spec: Spec) -> Spec:
    """The specification with the house style; its own configuration takes precedence."""
    own = spec.get("config", {})
    return {**spec, "config": {**CONFIG, **{key: _over(CONFIG.get(key), value) for key, value in own.items()}}}


def on_page(spec: Spec) -> Spec:
    """The specification for the HTML page: hints about clicking are shown."""
    params = [{**param, "value": True} if param["name"] == BROWSER else param for param in spec.get("params", [])]
    return {**spec, "params": params} if params else spec


def on_paper(spec: Spec) -> Spec:
    """The specification for print: without the views that only work when clicked, and without their data."""
    views = spec.get("usermeta", {}).get(ON_PAPER)
    if views is None:
        return spec
    paper = {**spec, "hconcat": spec["hconcat"][:views]}
    used = json.dumps(paper["hconcat"])
    paper["datasets"] = {name: rows for name, rows in spec.get("datasets", {}).items() if name in used}
    return paper


@cache
def javascript() -> str:
    """Vega, Vega-Lite and vega-embed as one script that defines ``vegaEmbed``.

    Bundling takes vl-convert two seconds, so the bundle is cached in the user's cache folder, one file per version.
    """
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    kept = Path(home) / "glassware" / f"vega-embed-{version('vl-convert-python')}-{_version()}.js"
    try:
        return kept.read_text(encoding="utf-8")
    except OSError:
        pass
    bundle = vl_convert.javascript_bundle(vl_version=_version())  # type: ignore[call-arg]
    bundle = bundle.replace("</script", "<\\/script")  # it would end the script early
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        _write(kept, bundle.encode())
    except OSError:
        pass  # without a writable home the bundle is made again every time
    return bundle


@cache
def licences() -> str:
    """The licences of the scripts that every page carries."""
    return (Path(__file__).parent / "licences.txt").read_text(encoding="utf-8")


def png(spec: Spec, scale: float = SCALE) -> bytes:
    """A chart's specification as it goes to print."""
    return _smaller(vl_convert.vegalite_to_png(json.dumps(on_paper(spec)), vl_version=_version(), scale=scale))


def _smaller(image: bytes) -> bytes:
    """The same PNG, compressed better: vl-convert compresses for speed, and a third of the size costs 20 ms."""
    chunks, start = list[tuple[bytes, bytes]](), 8  # after the signature
    while start < len(image):
        size = int.from_bytes(image[start : start + 4], "big")
        chunks.append((image[start + 4 : start + 8], image[start + 8 : start + 8 + size]))
        start += 12 + size
    pixels = zlib.compress(zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT")))
    kept = [(kind, data) for kind, data in chunks if kind not in (b"IDAT", b"IEND")]
    parts = (
        len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
        for kind, data in [*kept, (b"IDAT", pixels), (b"IEND", b"")]
    )
    return image[:8] + b"".join(parts)


def _version() -> str:
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def _spelt(value: Any) -> Any:
    """With control characters spelt out: names of files and columns may hold some, and vl-convert ends the process."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {key: _spelt(one) for key, one in value.items()}
    return [_spelt(one) for one in value] if isinstance(value, list) else value


def _over(ours: object, theirs: object) -> object:
    return {**ours, **theirs} if isinstance(ours, dict) and isinstance(theirs, dict) else theirs


def script_json(spec: Spec) -> str:
    """JSON that may stand inside a script element."""
    # In a script "<!--<script>" would hide the rest of the page; in JSON a < may be spelt out anywhere it can stand.
    return json.dumps(spec, separators=(",", ":")).replace("<", "\\u003c")


def title_of(spec: Spec) -> str:
    """The title of a chart, in a line; empty where it has none."""
    title = spec.get("title", "")
    text = title.get("text", "") if isinstance(title, dict) else title
    return " ".join(text) if isinstance(text, list) else str(text)


def _write(path: Path, content: bytes) -> Path:
    """Write under a temporary name first, so that no reader sees half a file."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content)
        return temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
