"""One finished run as one row of the results table."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import jax
import polars as pl

from glassware.engine import Outcome, devices
from glassware.models import KernelRidge
from glassware.sweeps.identity import SEMANTICS, run_id, spec_json

# Columns of every row, in order. Curves of probes (curve_*) and final probes follow with their own names.
SCHEMA: dict[str, Any] = {
    "id": pl.String,
    "task": pl.String,
    "n": pl.Int32,
    "k": pl.Int32,
    "noise": pl.Float32,
    "support": pl.List(pl.Int32),
    "m": pl.Int64,  # null: online
    "sampling": pl.String,
    "model": pl.String,
    "width": pl.Int64,
    "depth": pl.Int32,
    "activation": pl.String,  # null: a model without one
    "degree": pl.Int32,
    "kernel": pl.String,  # null: a network
    "init": pl.String,
    "s": pl.Int32,
    "eps": pl.Float64,
    "loss": pl.String,
    "optimiser": pl.String,
    "lr": pl.Float64,
    "weight_decay": pl.Float64,
    "batch": pl.Int32,
    "steps": pl.Int64,
    "test_size": pl.Int64,
    "train_size": pl.Int64,
    "seed": pl.UInt64,
    "spec": pl.String,
    "success": pl.Boolean,
    "steps_to_success": pl.Int64,  # null: never
    "diverged_step": pl.Int64,  # null: never
    "steps_taken": pl.Int64,
    "test_error": pl.Float32,  # at the end
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

# What only a trained network has; null in the row of a kernel machine.
TRAINED_ONLY = ("sampling", "init", "s", "eps", "optimiser", "lr", "weight_decay", "batch", "steps")

CURVE_POINTS = 200  # a longer curve keeps every second, third, .. point, and always its last


def row(outcome: Outcome) -> dict[str, Any]:
    """The outcome as plain data for the table."""
    run, curves = outcome.run, _thin(outcome.curves)
    support = run.task.hidden_support(run.seed)
    found = {
        "id": run_id(run),
        "task": run.task.name,
        "n": run.task.n,
        "k": run.task.k,
        "noise": run.task.noise,
        "support": list(support),
        "m": run.m,
        "sampling": run.sampling,
        "model": run.model.name,
        "width": run.model.widths[0] if run.model.widths else None,
        "depth": len(run.model.widths) or None,
        "activation": getattr(run.model, "activation", None),
        "degree": getattr(run.model, "degree", None),
        "kernel": run.model.label if isinstance(run.model, KernelRidge) else None,
        "init": run.init.scheme,
        "s": run.init.s,
        "eps": run.init.eps,
        "loss": run.loss,
        "optimiser": run.optimiser.name,
        "lr": run.optimiser.lr,
        "weight_decay": run.optimiser.weight_decay,
        "batch": run.batch,
        "steps": run.steps,
        "test_size": run.evaluation.test,
        "train_size": run.evaluation.train,
        "seed": run.seed,
        "spec": spec_json(run),
        "success": outcome.success_step is not None,
        "steps_to_success": outcome.success_step,
        "diverged_step": outcome.diverged_step,
        "steps_taken": outcome.steps_taken,
        "test_error": curves["test_error"][-1],
        "train_error": curves["train_error"][-1],
        "final_loss": curves["loss"][-1],
        "seconds": outcome.seconds,
        "flops": outcome.flops,
        "engine": outcome.engine,
        **provenance(),
    }
    if run.model.solved:
        found.update({**dict.fromkeys(TRAINED_ONLY), "loss": "square", "train_size": run.m})
    found.update({f"curve_{name}": values for name, values in curves.items()})
    found.update({name: array.tolist() for name, array in outcome.final.items()})
    return found


def frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Rows as a table with the common columns first and typed, even when there are none."""
    names = dict.fromkeys(name for found in rows for name in found)
    extra = {name: pl.List(pl.Float32) for name in names if name not in SCHEMA}
    return pl.DataFrame(rows, schema={**SCHEMA, **extra}, orient="row")


def provenance() -> dict[str, Any]:
    """What made a row: versions and device."""
    return {
        "glassware": own_version(),
        "semantics": SEMANTICS,
        "jax": jax.__version__,
        "device": devices()[0].device_kind,
    }


@cache
def own_version() -> str:
    """The installed version of this package."""
    try:
        return version("glassware")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "unknown"


def _thin(curves: dict[str, list[float]]) -> dict[str, list[float]]:
    length = len(curves["step"])
    stride = -(-length // CURVE_POINTS)
    if stride == 1:
        return curves
    kept = sorted({*range(0, length, stride), length - 1})
    return {name: [values[i] for i in kept] for name, values in curves.items()}
