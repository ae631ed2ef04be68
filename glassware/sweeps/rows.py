"""One finished run as one row of the results table."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeAlias

import jax
import numpy as np
import polars as pl

from glassware.engine import Outcome, devices
from glassware.foundation.version import own_version
from glassware.models import Solved
from glassware.models.model import named_leaves
from glassware.sweeps.identity import SEMANTICS, run_id, spec_json
from glassware.sweeps.own_code import COLUMN, own_code

Row: TypeAlias = dict[str, Any]  # columns and their values

# Columns of every row: the specification's, then what came of the run. Each part of a specification adds its own
# columns (``Part.columns``), each curve a column ``curve_*``, each final probe one of its name; rows of parts of one's
# own say which code made them (``own_code``).
SCHEMA: dict[str, Any] = {
    "id": pl.String,
    "task": pl.String,
    "m": pl.Int64,  # null: online, or all of a finite domain
    "sampling": pl.String,
    "model": pl.String,
    "width": pl.Int64,
    "depth": pl.Int32,
    "activation": pl.String,  # null: a model without one
    "degree": pl.Int64,
    "kernel": pl.String,  # null: no kernel machine
    "init": pl.String,
    "s": pl.Int64,
    "eps": pl.Float64,
    "loss": pl.String,
    "optimiser": pl.String,
    "lr": pl.Float64,
    "weight_decay": pl.Float64,
    "batch": pl.Int64,
    "steps": pl.Int64,
    "seed": pl.UInt64,
    "spec": pl.String,
    "success": pl.Boolean,
    "steps_to_success": pl.Int64,  # null: never
    "diverged_step": pl.Int64,  # null: never
    "steps_taken": pl.Int64,
    "test_error": pl.Float32,  # at the end, as every metric
    "train_error": pl.Float32,
    "final_loss": pl.Float32,
    "curve_step": pl.List(pl.Int32),
    "curve_test_error": pl.List(pl.Float32),
    "curve_train_error": pl.List(pl.Float32),
    "curve_loss": pl.List(pl.Float32),
    "seconds": pl.Float64,
    "flops": pl.Float64,
    "glassware": pl.String,
    "semantics": pl.Int32,
    "jax": pl.String,
    "device": pl.String,
    "engine": pl.String,
}

# Columns that say how a row came about rather than what it found; two trainings of one run may differ here only.
CIRCUMSTANCES = ("seconds", "glassware", "jax", "device", "engine")

# What only a trained network has, null in the row of a model that is solved; and what its first weights add.
TRAINED_ONLY = ("sampling", "optimiser", "lr", "weight_decay", "batch", "steps")
DRAWN_ONLY = ("init", "s", "eps")

CURVE_POINTS = 200  # a longer curve keeps every second, third, .. point, and always its last


def row(outcome: Outcome) -> Row:
    """The outcome as plain data for the table; arrays of two and more axes are nested lists."""
    run, curves = outcome.run, _thin(outcome.curves)
    last = {name: float(values[-1]) for name, values in curves.items() if values.ndim == 1}
    if outcome.steps_taken == 0:  # averages over the minibatches of no steps do not exist: null, not NaN
        last = {name: value for name, value in last.items() if not math.isnan(value)}
    metrics = {name: np.float32(last[name]) for name in last if name.startswith(("test_", "train_"))}
    found = {
        "id": run_id(run),
        **run.columns(),
        "spec": spec_json(run),
        "success": outcome.success_step is not None,
        "steps_to_success": outcome.success_step,
        "diverged_step": outcome.diverged_step,
        "steps_taken": outcome.steps_taken,
        **metrics,
        "final_loss": last.get("loss"),
        "seconds": outcome.seconds,
        "flops": outcome.flops,
        "engine": outcome.engine,
        **provenance(),
    }
    if isinstance(run.model, Solved):
        without = TRAINED_ONLY if run.model.drawn else (*TRAINED_ONLY, *DRAWN_ONLY)
        found.update({**dict.fromkeys(without), "loss": "square", "train_size": run.m})
    found.update({f"curve_{name}": values for name, values in curves.items()})
    found.update(outcome.final)
    made_by = own_code(run)
    return found if made_by is None else {**found, COLUMN: made_by}


def arrays(outcome: Outcome) -> dict[str, np.ndarray]:
    """What is kept of a run beside its row: weights by step and name, as ``final/0.w``."""
    return {
        f"{step}/{name}": np.asarray(leaf)
        for step, params in outcome.weights.items()
        for name, leaf in named_leaves(params).items()
    }


def frame(rows: list[Row]) -> pl.DataFrame:
    """Rows as a table with the common columns first and typed, even when there are none."""
    names = dict.fromkeys(name for found in rows for name in found)
    kinds = {name: _kind(found.get(name) for found in rows) for name in names if name not in SCHEMA}
    listed = [{name: _plain(value) for name, value in found.items()} for found in rows]
    return pl.DataFrame(listed, schema={**SCHEMA, **kinds}, orient="row")


def _kind(values: Iterable[Any]) -> Any:
    """The type of a column that only some parts or probes have."""
    value = next((value for value in values if value is not None and not _empty(value)), None)
    if isinstance(value, np.ndarray | np.generic):
        kind: Any = pl.Float32 if value.dtype.kind == "f" else pl.Int64
        for _ in range(value.ndim):
            kind = pl.List(kind)
        return kind
    if isinstance(value, tuple | list):
        return pl.List(_kind(value))
    known = {bool: pl.Boolean, int: pl.Int64, float: pl.Float64, str: pl.String}
    return known.get(type(value), pl.Null)


def _empty(value: object) -> bool:
    return isinstance(value, tuple | list) and not value


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return None if _empty(value) else value


def provenance() -> dict[str, str | int]:
    """What made a row: versions and device."""
    return {
        "glassware": own_version(),
        "semantics": SEMANTICS,
        "jax": jax.__version__,
        "device": devices()[0].device_kind,
    }


def _thin(curves: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    length = len(curves["step"])
    stride = -(-length // CURVE_POINTS)
    if stride == 1:
        return curves
    kept = sorted({*range(0, length, stride), length - 1})
    return {name: values[kept] for name, values in curves.items()}
