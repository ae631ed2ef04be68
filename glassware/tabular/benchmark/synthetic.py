"""A table made for the laptop: the exclusive or of two columns among twenty, with the paper's networks and a forest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import polars as pl

from glassware.tabular.benchmark.grid import core_seconds, stacked
from glassware.tabular.benchmark.plan import Job
from glassware.tabular.benchmark.protocol import Split
from glassware.tabular.benchmark.trainer import Config, train_errors

COLUMNS, FLIPS, TEST_ROWS = 20, 0.05, 2000
FAMILY, FOREST = "xor", "forest"


def xor(rows: int, trial: int) -> Split:
    """Gaussian columns; the class is the sign of the product of the first two, flipped in 5% of the rows."""
    rng = np.random.default_rng([rows, trial])
    X = rng.normal(size=(rows + TEST_ROWS, COLUMNS)).astype(np.float32)
    y = ((X[:, 0] * X[:, 1] > 0) ^ (rng.random(len(X)) < FLIPS)).astype(np.int64)
    return Split(X[:rows], y[:rows], X[rows:], y[rows:])


def network_errors(rows: int, trials: Sequence[int], configs: Sequence[Config]) -> pl.DataFrame:
    """The paper's networks on these tables."""
    errors = train_errors(stacked([xor(rows, trial) for trial in trials]), trials, configs)
    return pl.DataFrame(
        [
            {"family": FAMILY, "method": "network", "width": config.width, "init": config.init,
             "optimiser": config.optimiser, "train_rows": rows, "trial": trial,
             "error": float(error) if math.isfinite(error) else None}
            for config, line in zip(configs, errors, strict=True)
            for trial, error in zip(trials, line, strict=True)
        ],
        schema_overrides={"error": pl.Float64},
    )  # fmt: skip


def forest_errors(rows: int, trials: Sequence[int]) -> pl.DataFrame:
    """Forests of 100 trees on these tables."""
    from sklearn.ensemble import RandomForestClassifier

    found = []
    for trial in trials:
        part = xor(rows, trial)
        wrong = RandomForestClassifier(100, random_state=trial).fit(part.X, part.y).predict(part.X_test) != part.y_test
        found.append(
            {"family": FAMILY, "method": FOREST, "train_rows": rows, "trial": trial, "error": float(np.mean(wrong))}
        )
    return pl.DataFrame(found)


def xor_jobs(sizes: Sequence[int], widths: Sequence[int], trials: int, first: int = 0) -> list[Job]:
    """Networks of depth 2, dense and with s = 2, by Adam and by SGD, and forests, at every number of rows."""
    jobs, seeds = list[Job](), tuple(range(first, first + trials))
    block = f"{trials} trials" + (f" from {first}" if first else "")
    for rows in sizes:
        for width in widths:
            configs = tuple(Config(2, width, s, optimiser=rule) for rule in ("adam", "sgd") for s in (0, 2))
            seconds = trials * sum(core_seconds(rows, COLUMNS, config) for config in configs)
            key = f"xor {rows} rows r = {width} {block}"
            jobs.append(Job(key, 1.0 + seconds, partial(network_errors, rows, seeds, configs)))
        jobs.append(Job(f"xor {rows} rows forest {block}", 0.3 * trials, partial(forest_errors, rows, seeds)))
    return jobs
