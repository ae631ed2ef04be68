"""Rows of networks that ended exactly at the best network of their lambda, and what a test changes of them."""

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from glassware.studies.margins.shared.optima import optimum
from glassware.theory.margins.characters import real_irreps
from glassware.theory.margins.groups import named

Row = dict[str, Any]
STEPS = [0, 20_000, 50_000]


def lane(group: str, lam: float, owners: dict[str, int] | None = None, width: int = 30, **changes: Any) -> Row:
    """One run. Neurons belong to irreps as ``owners`` says; curves stay where they end, unless changed."""
    best, labels = optimum(group, lam), [irrep.label for irrep in real_irreps(named(group))]
    neurons = [labels.index(label) for label, count in (owners or {labels[-1]: 3}).items() for _ in range(count)]
    ends = {
        "margin_ratio": best.ratio, "mean_margin_ratio": best.ratio, "norm_power": best.norm_power,
        "margin": float(best.gaps[1:].min()), "mass": best.shares.tolist(), "weighted_power": [1.0, 1.0, 1.0],
        "test_cross_entropy": best.cross_entropy, "test_error": 0.0,
    }  # fmt: skip
    made = {
        "group": group, "width": width, "penalty": json.dumps([{"weight": lam}]), "diverged_step": None, "noise": 0.0,
        "curve_step": STEPS, **{f"curve_{name}": [end] * 3 for name, end in ends.items()},
        "class_fit": 1.0, "class_gaps": best.gaps.tolist(), "neuron_size": [1.0] * len(neurons),
        "first_power": [0.3] * len(neurons), "alignment": [1.0] * len(neurons),
        **{f"power_{part}": [1.0] * len(neurons) for part in "uvw"},
        **{f"irrep_{part}": [float(i) for i in neurons] for part in "uvw"},
    }  # fmt: skip
    assert set(changes) <= set(made), "a test changes what a row has"
    return {**made, **changes}


def diverged(row: Row) -> Row:
    """The same run, had it diverged: everything measured of it is NaN."""
    measured = [name for name in row if name.startswith(("curve_", "neuron_", "first_", "power_", "class_", "align"))]
    nans = {name: np.full(np.shape(row[name]), np.nan).tolist() for name in measured if name != "curve_step"}
    return {**row, **nans, "diverged_step": 17}


def table(rows: Iterable[Row]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), infer_schema_length=None, strict=False)


def at_the_end(value: Any) -> list[Any]:
    """A curve that ends here."""
    return [value, value, value]
