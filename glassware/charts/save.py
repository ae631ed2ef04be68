"""A chart as a PNG for the paper and a page for the browser that needs no network."""

from __future__ import annotations

import html
import json
import os
from functools import cache
from importlib.metadata import version
from pathlib import Path

from glassware.charts.backend import Spec, alt, vl_convert
from glassware.charts.theme import CONFIG
from glassware.foundation.errors import GlasswareError

SCALE = 2  # pixels a point
BROWSER = "in_browser"  # parameter of a chart: true on the page, false on paper

# Charts whose extra views only make sense when one can click name the number of views that go to paper.
ON_PAPER = "views_on_paper"

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
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
    spec = specification(chart)
    png = vl_convert.vegalite_to_png(json.dumps(on_paper(spec)), vl_version=_version(), scale=SCALE)
    page = PAGE.format(
        title=html.escape(_title(spec) or name),
        javascript=javascript(),
        spec=_script(on_page(spec)),
        options=_script(OPTIONS),
    )
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _write(folder / f"{name}.png", png), _write(folder / f"{name}.html", page.encode())
    except OSError as error:
        raise GlasswareError(f"cannot write the figure '{name}' into {folder}: {error.strerror or error}") from error


def specification(chart: alt.TopLevelMixin) -> Spec:
    """The chart in Vega-Lite with the house look; what the chart configures itself wins."""
    # Whatever theme and data transformer a notebook has enabled, the figure is the same.
    with alt.theme.enable("default"), alt.data_transformers.enable("default"):
        spec: Spec = chart.to_dict()  # type: ignore[attr-defined]
    own = spec.get("config", {})
    spec["config"] = {**CONFIG, **{key: _over(CONFIG.get(key), value) for key, value in own.items()}}
    return spec


def on_page(spec: Spec) -> Spec:
    """The specification as a page shows it: hints about clicking appear."""
    params = [{**param, "value": True} if param["name"] == BROWSER else param for param in spec.get("params", [])]
    return {**spec, "params": params} if params else spec


def on_paper(spec: Spec) -> Spec:
    """The specification as paper shows it: without the views, and their data, that only work when clicked."""
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

    Bundling takes vl-convert two seconds, so the bundle is kept in the user's cache folder, a file a version.
    """
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    kept = Path(home) / "glassware" / f"vega-embed-{version('vl-convert-python')}-{_version()}.js"
    try:
        return kept.read_text(encoding="utf-8")
    except OSError:
        pass
    bundle = vl_convert.javascript_bundle(vl_version=_version())  # type: ignore[call-arg]
    bundle = bundle.replace("</script", "<\\/script")  # which would end the script early
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        _write(kept, bundle.encode())
    except OSError:
        pass  # a machine without a writable home bundles again
    return bundle


def _version() -> str:
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def _over(ours: object, theirs: object) -> object:
    return {**ours, **theirs} if isinstance(ours, dict) and isinstance(theirs, dict) else theirs


def _script(spec: Spec) -> str:
    return json.dumps(spec, separators=(",", ":")).replace("</", "<\\/")


def _title(spec: Spec) -> str:
    title = spec.get("title", "")
    text = title.get("text", "") if isinstance(title, dict) else title
    return " ".join(text) if isinstance(text, list) else str(text)


def _write(path: Path, content: bytes) -> Path:
    """Under a temporary name first: whoever reads the file never sees half of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content)
        return temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
