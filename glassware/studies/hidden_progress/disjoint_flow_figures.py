"""Charts of disjoint-PolyNets under population gradients: errors along the way, and how the rest of the time scales."""

from __future__ import annotations

import polars as pl

from glassware.charts.lines import lines
from glassware.charts.theme import CATEGORIES, TRAIN


def error_figure(frame: pl.DataFrame) -> object:
    """Error of some starts along gradient descent."""
    return lines(
        _curves(frame),
        x="curve_time",
        y="curve_error",
        line="start",
        kind="kind",
        panel="panel",
        title="Error along population gradient descent",
        subtitle="disjoint-PolyNet from Gaussian weights; every line ends when its error is 0.1%",
        x_title="time, % of the whole",
        y_title="error",
        columns=3,
        percent=True,
        own_x=False,
    )


def scaling_figure(frame: pl.DataFrame) -> object:
    """The part of the time that is not plateau against the size of a block, beside its slope in theory."""
    return lines(
        _scaling(frame),
        x="block",
        y="rest",
        line="k",
        kind="kind",
        panel="panel",
        title="The part of the time that is not plateau",
        subtitle="1 − T(49%) / T(0) of gradient flow from all ones, exact",
        x_title="coordinates of a block, n'",
        y_title="share of the time below 49% error",
        colours={"slope 1 − k/2": TRAIN, **{f"k = {k}": CATEGORIES[k - 3] for k in (3, 4, 5)}},
        log_x=True,
        log_y=True,
    )


def _curves(frame: pl.DataFrame) -> pl.DataFrame:
    drawn = frame.filter(pl.col("part") == "descent", pl.col("curve_time").is_not_null())
    return drawn.explode("curve_time", "curve_error").with_columns(
        panel=pl.format("k = {}, n' = {}", "k", "block"), kind=pl.lit("start")
    )


def _scaling(frame: pl.DataFrame) -> pl.DataFrame:
    found = frame.filter(pl.col("part") == "ones")
    measured = found.select("block", "k", rest=1 - pl.col("share"), what=pl.lit("measured"))
    first = found.filter(pl.col("block") == pl.col("block").min())
    theory = pl.concat(
        [
            found.filter(pl.col("k") == k).select(
                "block",
                "k",
                rest=(1 - share) * (pl.col("block") / block) ** (1 - k / 2),
                what=pl.lit("slope 1 − k/2"),
            )
            for block, k, share in first.select("block", "k", "share").iter_rows()
        ]
    )
    table = pl.concat([measured, theory], how="vertical_relaxed")
    kind = pl.when(pl.col("what") == "measured").then(pl.format("k = {}", "k")).otherwise("what")
    return table.sort("what", descending=True, maintain_order=True).with_columns(
        kind=kind, panel=pl.lit("all-ones weights")
    )
