"""One run: how it ended, its curves, its specification, the weights that it kept."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from glassware.api.networks import network
from glassware.api.neurons import neurons_chart
from glassware.api.show import training_chart
from glassware.charts import specification
from glassware.charts.backend import Spec
from glassware.charts.save import title_of
from glassware.charts.theme import CATEGORIES, CONFIG
from glassware.foundation.errors import GlasswareError
from glassware.foundation.part import dotted
from glassware.reports import elements
from glassware.reports.sections import Drawing
from glassware.reports.text import escape
from glassware.sweeps.kept import find, load
from glassware.web.layout import crumbs, link, page, table
from glassware.web.library import Library
from glassware.web.selection import UnknownError
from glassware.web.weights import pictures

ID = re.compile(r"[0-9a-f]{4,64}")
DRAWN = ("curve_step", "curve_test_error", "curve_train_error")  # in the first figure already
MOST_CURVES = 24


def run(name: str, step: str, library: Library) -> str:
    """The page of a run, by its id."""
    now = library.now()
    if not ID.fullmatch(name) or not len(now.rows.filter(now.rows["id"] == name)):
        raise UnknownError("the store has no run of this id")
    row = library.whole([name]).row(0, named=True)
    spec = json.loads(row["spec"])
    lists = {key: value for key, value in row.items() if key.startswith("curve_")}
    drawings = [*_training(row), *_others(lists)]
    facts = {
        "outcome": _outcome(row),
        "steps taken": f"{row['steps_taken']:,}" if row.get("steps_taken") is not None else "–",
        **{label: f"{row[key]:.4g}" for label, key in (("test error", "test_error"), ("training error", "train_error"),
           ("final loss", "final_loss")) if row.get(key) is not None},
        **({"hidden coordinates": ", ".join(map(str, row["support"]))} if row.get("support") else {}),
        "made by": f"glassware {row['glassware']}, JAX {row['jax']}, on {row['device']}, {row['engine']}",
    }  # fmt: skip
    given = [[escape(field), f"<code>{escape(json.dumps(value))}</code>"] for field, value in dotted(spec)]
    kept, weights = _weights(name, step, row, library)
    parts = [
        crumbs({"overview": "/", "runs": "/runs"}),
        f"<h1>Run {escape(name)}</h1>",
        f"<p>{link(f'/runs?of=cell:{name}', 'runs that differ in their seed alone')} · "
        f"{link(f'/cells?of=cell:{name}', 'their curves together')}</p>",
        elements.fact_list(facts),
        "<h2>Curves</h2>",
        "\n".join(elements.figure(one, str(i)) for i, one in enumerate(drawings)) or "<p>It has no curves.</p>",
        f"<h2>Weights</h2>{kept}",
        "\n".join(elements.figure(one, f"w{i}") for i, one in enumerate(weights)),
        "<h2>Specification</h2>",
        '<p class="quiet">Fields at their defaults are left out.</p>',
        table(["field", "value"], given, name="specification"),
        f"<details><summary>as JSON</summary><pre><code>{escape(json.dumps(spec, indent=2))}</code></pre></details>",
    ]
    return page(f"Run {name}", "\n".join(parts), mark=now.mark, live="no")


def _outcome(row: dict[str, Any]) -> str:
    if row.get("diverged_step") is not None:
        return f"diverged at step {row['diverged_step']:,}"
    if not row["success"]:
        return "did not succeed"
    return "succeeded" if row["steps_to_success"] is None else f"succeeded at step {row['steps_to_success']:,}"


def _training(row: dict[str, Any]) -> list[Drawing]:
    try:
        spec = specification(training_chart(row))
    except GlasswareError:  # a run without curves, as one that is solved
        return []
    return [Drawing("curve", title_of(spec), spec)]


def _others(lists: dict[str, Any]) -> list[Drawing]:
    """What probes measured along the way, as one figure of small panels; a list of lists has several lines."""
    steps = lists.get("curve_step") or []
    values = []
    names = [name for name, curve in lists.items() if name not in DRAWN and curve and len(curve) == len(steps)]
    for name in names[:MOST_CURVES]:
        for step, value in zip(steps, lists[name], strict=True):
            several = value if isinstance(value, list) else [value]
            if several and isinstance(several[0], list):  # a table at every step: too much for a line
                continue
            what = name.removeprefix("curve_").replace("_", " ")
            lines = enumerate(map(_finite, several[:12]))
            values += [{"what": what, "step": step, "line": i, "value": one} for i, one in lines]
    if not values:
        return []
    spec: Spec = {
        "title": "What else was measured", "data": {"values": values}, "columns": 3, "config": CONFIG,
        "facet": {"field": "what", "type": "nominal", "title": None},
        "spec": {
            "width": 230, "height": 130, "mark": {"type": "line", "strokeWidth": 1.5},
            "encoding": {
                "x": {"field": "step", "type": "quantitative", "title": "training step", "axis": {"tickCount": 4}},
                "y": {"field": "value", "type": "quantitative", "title": None, "scale": {"zero": False}},
                "color": {"field": "line", "type": "nominal", "legend": None, "scale": {"range": CATEGORIES}},
            },
        },
        "resolve": {"scale": {"y": "independent"}},
    }  # fmt: skip
    return [Drawing("others", "What else was measured", spec)]


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _weights(name: str, step: str, row: dict[str, Any], library: Library) -> tuple[str, list[Drawing]]:
    """Links to the steps that were kept, and pictures of one of them."""
    path = find(library.store.path, name)
    if path is None:
        return (
            '<p class="quiet">It has kept none: <code>keep = ["final"]</code> in its specification keeps them.</p>',
            [],
        )
    arrays = load(path)
    steps = list(dict.fromkeys(key.split("/", 1)[0] for key in arrays))
    steps.sort(key=lambda one: (one != "first", one == "final", len(one), one))
    chosen = step if step in steps else steps[-1]
    mine = {key.split("/", 1)[1]: array for key, array in arrays.items() if key.split("/", 1)[0] == chosen}
    links = " · ".join(
        f"<strong>{escape(one)}</strong>" if one == chosen else link(f"/run/{name}?step={one}", one) for one in steps
    )
    shapes = ", ".join(
        f"<code>{escape(key)}</code> {' × '.join(map(str, a.shape)) or 'a number'}" for key, a in mine.items()
    )
    drawings = pictures(mine, row.get("support"), chosen)
    try:
        chart = neurons_chart(network(row, int(chosen) if chosen.isdigit() else chosen, store=library.store))
        if chart is not None:
            drawings.insert(0, Drawing("neurons", "The strongest neurons and their spectra", specification(chart)))
    except Exception as error:  # a network whose parts are not known here has no neurons to name
        shapes += f'<p class="quiet">No neurons: {escape(error)}.</p>'
    return f"<p>kept at {links}</p><p>{shapes}</p>", drawings
