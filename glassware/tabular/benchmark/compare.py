"""Methods compared on the same trials: paired differences, mean errors, mean ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from glassware.foundation.statistics import Estimate, weighted_means
from glassware.tabular.benchmark.best import FOREST, NETWORK, best
from glassware.tabular.benchmark.suite import exact

# Errors of one method: task, trial, error.
Errors = dict[str, dict[int, float]]
TUNED = "tuned forest"


def on_exact(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of tables that have the sizes the paper prints."""
    tables = frame.select("task", "columns", "rows").unique().drop_nulls()
    kept = [row[0] for row in tables.iter_rows() if exact(*row)]
    return frame.filter(pl.col("task").is_in(kept))


def errors_of(frame: pl.DataFrame) -> Errors:
    """Errors by task and trial of rows that belong to one method at one fraction."""
    found: Errors = {}
    for task, trial, error in frame.select("task", "trial", "error").drop_nulls().iter_rows():
        found.setdefault(task, {})[trial] = error
    return found


def mean_difference(differences: Mapping[str, Sequence[float]]) -> Estimate:
    """Mean over tasks of the mean over trials; the interval is about other trials of the same tasks."""
    return weighted_means(list(differences.values()), [1 / len(differences)] * len(differences))


def best_errors(frame: pl.DataFrame, configuration: Sequence[str]) -> Errors:
    """Errors of each task's best configuration, chosen on the same test rows (A10); rows of one fraction and cap."""
    chosen = best(frame, configuration).select("task", *configuration)
    return errors_of(frame.join(chosen, on=["task", *configuration], how="inner", nulls_equal=True))


def best_forest(frame: pl.DataFrame, fraction: float) -> Errors:
    """Tuned forests with at most 10,000 rows."""
    rows = frame.filter(pl.col("family") == "forest", pl.col("fraction") == fraction, pl.col("cap").is_not_null())
    return best_errors(rows, FOREST)


def best_network(frame: pl.DataFrame, fraction: float, optimiser: str | None = None) -> Errors:
    """The best of the paper's networks: with one optimiser, or of both."""
    rows = frame.filter(pl.col("family") == "networks", pl.col("fraction") == fraction)
    if optimiser is not None:
        rows = rows.filter(pl.col("optimiser") == optimiser)
    return best_errors(rows, NETWORK)


def methods(frame: pl.DataFrame, fraction: float) -> dict[str, Errors]:
    """Our estimator, its twin, the baselines and the tuned forest, at one fraction."""
    rows = frame.filter(pl.col("family") == "methods", pl.col("fraction") == fraction)
    found = {str(name): errors_of(part) for (name,), part in rows.group_by(["method"], maintain_order=True)}
    forest = best_forest(frame, fraction) if "max_depth" in frame.columns else {}
    return {**found, **({TUNED: forest} if forest else {})}


def ranking(found: Mapping[str, Errors]) -> pl.DataFrame:
    """Mean error in percent and mean rank of every method, on the tasks and trials that all of them have."""
    tasks = sorted(set.intersection(*({*errors} for errors in found.values()))) if found else []
    shared = {task: set.intersection(*({*errors[task]} for errors in found.values())) for task in tasks}
    tasks = [task for task in tasks if shared[task]]
    if not tasks:
        return pl.DataFrame()
    table = np.array([[np.mean([e[task][t] for t in shared[task]]) for task in tasks] for e in found.values()])
    ranks = np.array([pl.Series(column).rank("average").to_numpy() for column in table.T]).T
    return pl.DataFrame(
        {
            "method": list(found),
            "tasks": len(tasks),
            "trials": min(len(shared[task]) for task in tasks),
            "error": 100 * table.mean(axis=1),
            "rank": ranks.mean(axis=1),
        }
    ).sort("rank", "error")
