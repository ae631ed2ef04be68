"""Charts of the one large step: weights after it, and the error that training the second layer leaves.

Both take one row per execution.
"""

from __future__ import annotations

import math

import polars as pl

from glassware import charts

RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def weights_figure(done: pl.DataFrame) -> object:
    """Range and mean of relevant and irrelevant weights after the first step."""
    return charts.dots(
        _weights(done),
        x="case",
        y="mean",
        low="low",
        high="high",
        colour="weights",
        title="First-layer weights after one step",
        subtitle="mean and full range of their size; 1 is the theorem's value for relevant weights",
        x_title="(n, k) and examples of the step",
        y_title="weight over 1/(2k)",
    )


def error_figure(done: pl.DataFrame) -> object:
    """Error after the second layer was trained."""
    return charts.dots(
        _errors(done),
        x="case",
        y="error",
        low="low",
        high="high",
        title="Error after training the second layer on these features",
        subtitle="mean and range of the executions",
        x_title="(n, k) and examples of the step",
        y_title="error on fresh examples",
        percent=True,
    )


def _weights(done: pl.DataFrame) -> pl.DataFrame:
    """Range and mean of both kinds of weights over 1/(2k), one row per case and kind."""
    parts = []
    for kind in ("relevant", "irrelevant"):
        over = lambda column, kind=kind: pl.col(f"{kind}_{column}") * 2 * pl.col("k")
        parts.append(
            done.group_by("n", "k", "m", maintain_order=True).agg(
                over("mean").mean().alias("mean"), over("low").min().alias("low"), over("high").max().alias("high")
            ).with_columns(weights=pl.lit(kind))
        )  # fmt: skip
    return pl.concat(parts).with_columns(case=_case_label())


def _case_label() -> pl.Expr:
    size = pl.col("m").map_elements(_short, return_dtype=pl.String).fill_null("exact")
    return pl.format("({}, {}) {}", "n", "k", size)


def _short(m: int) -> str:
    power = int(math.log10(m))
    return f"{m / 10**power:g}·10{str(power).translate(RAISED)}"


def _errors(done: pl.DataFrame) -> pl.DataFrame:
    cells = done.with_columns(case=_case_label(), error="test_error").group_by("case", maintain_order=True)
    return cells.agg(pl.col("error").mean(), low=pl.col("error").min(), high=pl.col("error").max())
