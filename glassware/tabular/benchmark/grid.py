"""The paper's networks on the suite's tables.

Each is the estimator with ``preset="paper"`` (a test checks this), written for a device: tables are copied there once,
and only test errors come back.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from glassware.tabular.benchmark.protocol import Cell, Split, describe, split
from glassware.tabular.benchmark.suite import Suite337
from glassware.tabular.benchmark.tables import Table
from glassware.tabular.benchmark.trainer import CLASSES, PAPER, Arrays, Config, Once, compiled, program_of, train_errors
from glassware.tabular.inputs import Scaling


def network_rows(data: str | None, cell: Cell, trials: Sequence[int], configs: Sequence[Config]) -> pl.DataFrame:
    """Rows of the benchmark's table: every trial of a cell with every configuration."""
    started = time.perf_counter()
    found = prepared(data, cell, tuple(trials))
    if not found.trials:
        return pl.DataFrame()
    errors = train_errors(found.arrays, found.trials, configs)
    seconds = (time.perf_counter() - started) / errors.size
    rows = [
        {"depth": config.depth, "width": config.width, "init": config.init, "weight_decay": config.weight_decay,
         "optimiser": config.optimiser, "trial": trial, "error": float(error) if math.isfinite(error) else None}
        for config, line in zip(configs, errors, strict=True)
        for trial, error in zip(found.trials, line, strict=True)
    ]  # fmt: skip
    shared = {name: value for name, value in found.columns.items() if name not in ("trial", "seconds")}
    frame = pl.DataFrame(rows, schema_overrides={"error": pl.Float64}, infer_schema_length=None)
    return frame.with_columns(**shared, seconds=pl.lit(seconds))


CORE_FLOPS, ACTIVATION_SECONDS = 6e10, 4e-9  # measured


class Prepared(NamedTuple):
    """A cell's trials as arrays, without those that A11 drops."""

    arrays: Arrays
    trials: tuple[int, ...]
    columns: dict[str, pl.Expr]


def steps(rows: int) -> int:
    """Training steps for this many rows."""
    return PAPER.epochs * math.ceil(rows / PAPER.batch_size_for(rows))


def flops(rows: int, columns: int, config: Config) -> float:
    """Floating point operations of training one network: forward, and backward to weights and hidden layers.

    A batch counts in full even where rows fill only part of it: that is what a device computes.
    """
    sizes = (columns, *[config.width] * config.depth, CLASSES)
    products = [a * b for a, b in pairwise(sizes)]
    return steps(rows) * PAPER.batch_size_for(rows) * (6.0 * sum(products) - 2.0 * products[0])


def core_seconds(rows: int, columns: int, config: Config) -> float:
    """Rough time to train one network on one core: products, and passes over the activations."""
    batch = min(PAPER.batch_size_for(rows), 1 << (rows - 1).bit_length())
    share = batch / PAPER.batch_size_for(rows)  # a CPU pads small tables to a power of two only
    passes = steps(rows) * batch * config.width * config.depth
    return share * flops(rows, columns, config) / CORE_FLOPS + ACTIVATION_SECONDS * passes


def ready(data: str | None, cell: Cell, trials: Sequence[int], configs: Sequence[Config]) -> None:
    """Prepare and compile what :func:`network_rows` will need; for another thread."""
    found = prepared(data, cell, tuple(trials))
    if found.trials:
        compiled(program_of(found.arrays, configs[0]), len(found.trials), len(found.trials) * len(configs))


def stacked(splits: Sequence[Split]) -> Arrays:
    """Scaled tables, stacked; the scale is fitted on the training rows (A12)."""
    parts = []
    for part in splits:
        scaling = Scaling.fit(part.X.astype(np.float64), PAPER.scale)
        x, x_test = (scaling.transform(X).astype(np.float32) for X in (part.X, part.X_test))
        parts.append({"x": x, "y": part.y.astype(np.int32), "x_test": x_test, "y_test": part.y_test.astype(np.int32)})
    return {name: np.stack([part[name] for part in parts]) for name in parts[0]}


_prepared = Once[Prepared]()


def prepared(data: str | None, cell: Cell, trials: tuple[int, ...]) -> Prepared:
    """A cell's trials, cached: networks of several sizes are trained on them."""
    return _prepared.get((data, cell, trials), lambda: _prepare(data, cell, trials))


def _prepare(data: str | None, cell: Cell, trials: tuple[int, ...]) -> Prepared:
    table = _load(data, cell.task)
    parts = {trial: split(table, cell, trial) for trial in trials}
    kept = {trial: part for trial, part in parts.items() if part is not None}
    if not kept:
        return Prepared({}, (), {})
    columns = describe("networks", table, cell, 0, next(iter(kept.values())), 0.0)
    return Prepared(stacked(list(kept.values())), tuple(kept), columns)


@lru_cache(maxsize=16)
def _load(data: str | None, task: str) -> Table:
    return Suite337(data).load(task)
