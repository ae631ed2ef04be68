"""Best of a grid, as the paper reports it: the configuration with the lowest median test error over trials."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from glassware.tabular.benchmark.printed import TASKS, Errors
from glassware.tabular.benchmark.suite import exact

CELL = ("task", "fraction", "cap")
FOREST = ("max_depth", "max_features", "n_estimators")
NETWORK = ("depth", "width", "init", "weight_decay", "optimiser")


def medians(rows: pl.DataFrame, configuration: Sequence[str]) -> pl.DataFrame:
    """Median error over trials of every configuration in every cell, and the number of trials."""
    return (
        rows.filter(pl.col("error").is_not_null())
        .group_by([*CELL, *configuration], maintain_order=True)
        .agg(
            pl.col("error").median(),
            pl.col("trial").n_unique().alias("trials"),
            pl.col("train_rows", "rows", "columns").first(),
        )
    )


def best(rows: pl.DataFrame, configuration: Sequence[str]) -> pl.DataFrame:
    """The best configuration of every cell, chosen on the test rows themselves, as in the paper (A10).

    Only configurations with all trials of their cell count: the luckiest of many medians over few trials would look
    better than it is.
    """
    middle = medians(rows, configuration)
    complete = middle.filter(pl.col("trials") == pl.col("trials").max().over(CELL))
    return complete.sort("error", maintain_order=True).group_by(CELL, maintain_order=True).first()


def best_forests(rows: pl.DataFrame) -> pl.DataFrame:
    """Best forests beside the printed ones, in percent, by task and fraction."""
    return _beside_printed(rows, FOREST, {task.name: task.forest for task in TASKS})


def best_networks(rows: pl.DataFrame) -> pl.DataFrame:
    """Best networks of the grid beside the printed ones, in percent, by task and fraction."""
    return _beside_printed(rows, NETWORK, {task.name: task.mlp for task in TASKS})


def mean_errors(rows: pl.DataFrame) -> pl.DataFrame:
    """Mean error of every method in every cell, in percent, one column per method."""
    found = rows.filter(pl.col("error").is_not_null()).with_columns(percent=100 * pl.col("fraction"))
    means = found.group_by("task", "percent", "method").agg(pl.col("error").mean() * 100)
    wide = means.sort("method").pivot("method", index=["task", "percent"], values="error", aggregate_function="first")
    return wide.sort("percent", "task")


def _beside_printed(rows: pl.DataFrame, configuration: Sequence[str], errors: dict[str, Errors]) -> pl.DataFrame:
    printed = pl.DataFrame(
        [
            {"number": task.number, "task": task.name, "fraction": fraction, "printed": errors[task.name].at(fraction)}
            for task in TASKS
            for fraction in (1.0, 0.1, 0.01)
        ]
    )
    found = best(rows, configuration).join(printed, on=["task", "fraction"], how="left")
    is_exact = [exact(*row) for row in found.select("task", "columns", "rows").iter_rows()]
    return (
        found.with_columns(pl.Series("exact", is_exact, dtype=pl.Boolean), ours=100 * pl.col("error"))
        .with_columns(difference=pl.col("ours") - pl.col("printed"))
        .sort("number", "fraction", "cap", descending=[False, True, False], nulls_last=True)
        .with_columns(percent=100 * pl.col("fraction"))
        .select(
            "task", "percent", "cap", "exact", "train_rows", "trials", *configuration, "ours", "printed", "difference"
        )
    )
