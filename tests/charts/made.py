"""Made results frames, and ways to look into a drawn chart."""

import itertools
import json
import re
from typing import Any

import polars as pl
import vl_convert

from glassware.charts.save import on_paper, specification

CURVES = {
    "curve_step": pl.List(pl.Int32),
    "curve_test_error": pl.List(pl.Float32),
    "curve_train_error": pl.List(pl.Float32),
}

GOOD = {300: (0, 3, 8), 10_000: (8, 8, 8), None: (2, 7, 8)}  # of eight, by sample size and width


def cell(
    successes: int, trials: int, *, steps: list[int] | None = None, curve: list[float] | None = None, **where: Any
) -> pl.DataFrame:
    """A cell of runs of which the first ones succeed, after ``steps`` where given; ``curve`` is its test error."""
    times = steps or [100 * (i + 1) for i in range(successes)]
    rows = [
        {
            "n": 50,
            "k": 3,
            "init": "dense",
            "s": 2 if where.get("init") == "sparse" else None,
            "width": 100,
            "m": 1000,
            "success_at": 0.1,
            "weight_decay": 0.01,
            **where,
            "success": i < successes,
            "steps_to_success": times[i] if i < successes else None,
            "curve_step": None if curve is None else [10 * j for j in range(len(curve))],
            "curve_test_error": curve,
            "curve_train_error": None if curve is None else [error / 2 for error in curve],
        }
        for i in range(trials)
    ]
    types = {"m": pl.Int64, "s": pl.Int32, "width": pl.Int64, "steps_to_success": pl.Int64, **CURVES}
    return pl.DataFrame(rows, schema_overrides=types)


def frontier(**more: Any) -> pl.DataFrame:
    """Two inits, three widths and three sample sizes with the online column first, in rows of no particular order."""
    cells = []
    for init, width, m in itertools.product(("sparse", "dense"), (1000, 10, 100), (None, 300, 10_000)):
        good = GOOD[m][(10, 100, 1000).index(width)]
        cells.append(cell(good - (init == "dense" and 0 < good < 8), 8, init=init, width=width, m=m, **more))
    return pl.concat(cells).sample(fraction=1, shuffle=True, seed=1)


def data(spec: dict[str, Any], field: str) -> list[dict[str, Any]]:
    """The records of the one data set that has this field."""
    found = [rows for rows in spec["datasets"].values() if any(field in row for row in rows)]
    assert len(found) == 1, f"{len(found)} data sets have {field}"
    return list(found[0])


def nodes(spec: Any, key: str) -> list[Any]:
    """Every value under this key, anywhere in the specification."""
    if isinstance(spec, dict):
        here = [spec[key]] if key in spec else []
        return here + [found for name, value in spec.items() if name != "datasets" for found in nodes(value, key)]
    return [found for value in spec for found in nodes(value, key)] if isinstance(spec, (list, tuple)) else []


def marks(spec: dict[str, Any], role: str) -> list[str]:
    """Descriptions of the marks of one kind that Vega really draws on paper."""
    svg = vl_convert.vegalite_to_svg(json.dumps(on_paper(spec)))
    return re.findall(rf'aria-roledescription="{role}" aria-label="([^"]*)"', svg) + re.findall(
        rf'aria-label="([^"]*)"[^>]*aria-roledescription="{role}"', svg
    )


def texts(spec: dict[str, Any]) -> list[str]:
    """Every text that Vega really draws."""
    svg = vl_convert.vegalite_to_svg(json.dumps(spec))
    return re.findall(r">([^<>]+)</text>", svg)


__all__ = ["cell", "data", "frontier", "marks", "nodes", "specification", "texts"]
