"""Training curves as chart data, one thinned record a run, and the layers that draw them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.labels import keys, labels
from glassware.charts.theme import ERROR_TOP, MUTED, SHORT, THRESHOLD, TRAIN, init_colour, inline

CURVES = ("curve_step", "curve_test_error", "curve_train_error")
TRAINING, TEST = "training error", "test error"


def has_curves(frame: pl.DataFrame) -> bool:
    """Whether any run has kept its curve."""
    present = all(column in frame.columns and frame.schema[column].base_type() is pl.List for column in CURVES)
    return present and bool((frame["curve_step"].list.len() > 0).any())


def traces(frame: pl.DataFrame, by: Sequence[str], *, runs: int, points: int) -> tuple[pl.DataFrame, list[str]]:
    """The first ``runs`` runs of each group that have a curve, and the kinds of line among them.

    Columns: ``by``, kind, run, and as lists step, test and train: every so many-th point, ``points`` or fewer, and
    always the last.
    """
    init = keys(frame, ["init"]) if "init" in frame.columns else []
    # Which rows, from the short columns alone: shuffling every curve of a large frame takes seconds.
    drawn = frame.select(*by, pl.col("curve_step").list.len().alias("length")).with_row_index("place")
    drawn = drawn.filter(pl.col("length") > 0).filter(pl.int_range(pl.len()).over(by) < runs)
    few = frame.select(*dict.fromkeys([*by, *init, *CURVES]))[drawn["place"]]
    length = pl.col("curve_step").list.len().cast(pl.Int64)
    stride = ((length + points - 3) // (points - 1)).clip(1)
    kept = pl.concat_list(pl.int_ranges(0, length - 1, stride), length - 1)
    found, order = labels(few, "init") if init else ([""] * len(few), [""])
    lists = {"step": "curve_step", "test": "curve_test_error", "train": "curve_train_error"}
    table = few.with_columns(
        pl.Series("kind", [_kind(label) for label in found], pl.String),
        pl.int_range(pl.len()).alias("run"),
        *(_numbers(pl.col(column).list.gather(kept, null_on_oob=True)).alias(name) for name, column in lists.items()),
    )
    return table.select(*by, "kind", "run", *lists), [_kind(label) for label in order]


def unroll(chart: Any, *, log_x: bool = False) -> Any:
    """Turn traces, one record a run, into points; on the chart that holds the data, for layers would each do it."""
    points = chart.transform_flatten(["step", "test", "train"])
    # The evaluation before the first step has no place on a log axis.
    return points.transform_filter("datum.step > 0") if log_x else points


def curve_layers(kinds: list[str], log: alt.Axis | None = None) -> list[Any]:
    """Layers that draw traces: training error gray and behind, test error in the hue of its init, and the threshold."""
    x = alt.X(
        "step:Q",
        title="training step",
        scale=alt.Scale(type="log", nice=False) if log else alt.Scale(nice=False),
        axis=log or alt.Axis(labelExpr=SHORT, tickCount=4, grid=False),
    )
    hues = [TRAIN, *(init_colour(kind.removeprefix(f"{TEST}, ")) for kind in kinds)]
    hue = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=[TRAINING, *kinds], range=hues),
        legend=alt.Legend(title=None, orient="bottom", direction="horizontal", symbolType="stroke", symbolOpacity=1),
    )
    lines = []
    for field, colour in (("train", alt.ColorDatum(TRAINING)), ("test", hue)):
        y = alt.Y(
            f"{field}:Q",
            title="error",
            # Clamped, not clipped, and translucent by stroke: a clip or an opacity a line makes a PNG slow.
            scale=alt.Scale(domain=[0, ERROR_TOP], clamp=True),
            axis=alt.Axis(format="%", values=[0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6], tickCount=7),
        )
        line = alt.Chart().mark_line(strokeWidth=1.3, strokeOpacity=0.6)
        lines.append(line.encode(x=x, y=y, color=colour, detail="run:N"))
    threshold = alt.Chart(inline([{"error": THRESHOLD}]))
    rule = threshold.mark_rule(strokeDash=[5, 4], strokeWidth=1, color=MUTED).encode(y="error:Q")
    return [*lines, rule]


def _kind(init: str) -> str:
    return f"{TEST}, {init}" if init else TEST


def _numbers(values: pl.Expr) -> pl.Expr:
    """Four decimals are more than a pixel; a page has no NaN, so a diverged run's line ends."""
    return values.list.eval(pl.element().cast(pl.Float64).round(4).fill_nan(None))
