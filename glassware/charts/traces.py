"""Training curves as chart data, one thinned record per run, and the layers that draw them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from glassware.charts.backend import Figure, alt
from glassware.charts.labels import SHARES, keys, labels, name
from glassware.charts.save import BROWSER
from glassware.charts.theme import MUTED, SHORT, TRAIN, init_colour, inline

STEP, TEST = "curve_step", "curve_test_"
MOST = 0.99  # of the points fit on an axis of shares: a few outliers do not stretch it
ROOM = 0.05  # left above them


@dataclass(frozen=True)
class Curves:
    """Which curves of a frame are drawn.

    Attributes:
        measure: what they measure: the metric by which the runs succeed, where the frame says so.
        test: its column.
        train: the column of the same metric on training examples, if any.
        threshold: of success, if all runs agree on it.
    """

    measure: str
    test: str
    train: str | None
    threshold: float | None

    @property
    def columns(self) -> list[str]:
        return [STEP, self.test, *([self.train] if self.train else [])]

    @property
    def training(self) -> str:
        """The label of lines for training examples."""
        return f"training {name(self.measure)}"

    def kind(self, init: str) -> str:
        """The label of lines for test examples, of runs with these initial weights."""
        said = f"test {name(self.measure)}" if self.test.startswith(TEST) else name(self.measure)
        return f"{said}, {init}" if init else said


def find_curves(frame: pl.DataFrame) -> Curves | None:
    """The curves of the measure of success; None where no run has kept any."""
    lists = [column for column, kind in frame.schema.items() if kind.base_type() is pl.List]
    tests = [column.removeprefix(TEST) for column in lists if column.startswith(TEST)]
    measures = [*_only(frame, "measure"), *tests]  # the first metric of a run is its measure of success
    for measure in measures:
        test = f"{TEST}{measure}" if measure in tests else f"curve_{measure}"
        if test in lists and STEP in lists and bool((frame[STEP].list.len() > 0).any()):
            train, threshold = f"curve_train_{measure}", next(iter(_only(frame, "success_at")), None)
            return Curves(measure, test, train if train in lists else None, threshold)
    return None


def _only(frame: pl.DataFrame, column: str) -> list[Any]:
    """The value of a column in a list, if the column has only one; otherwise an empty list."""
    values = frame[column].unique().to_list() if column in frame.columns else []
    return values if len(values) == 1 and values[0] is not None else []


def traces(
    frame: pl.DataFrame, curves: Curves, by: Sequence[str], *, runs: int, points: int
) -> tuple[pl.DataFrame, list[str]]:
    """The first ``runs`` runs of each group that have a curve, and the kinds of line among them.

    Columns: ``by``, kind, run, and the lists step, test and train: evenly thinned to at most ``points`` points, always
    including the last.
    """
    init = keys(frame, ["init"]) if "init" in frame.columns else []
    # Choose rows by the short columns alone: shuffling every curve of a large frame takes seconds.
    drawn = frame.select(*by, pl.col(STEP).list.len().alias("length")).with_row_index("place")
    drawn = drawn.filter(pl.col("length") > 0).filter(pl.int_range(pl.len()).over(by) < runs)
    few = frame.select(*dict.fromkeys([*by, *init, *curves.columns]))[drawn["place"]]
    length = pl.col(STEP).list.len().cast(pl.Int64)
    stride = ((length + points - 3) // (points - 1)).clip(1)
    kept = pl.concat_list(pl.int_ranges(0, length - 1, stride), length - 1)
    found, order = labels(few, "init") if init else ([""] * len(few), [""])
    lists = {"step": STEP, "test": curves.test, "train": curves.train or curves.test}
    table = few.with_columns(
        pl.Series("kind", [curves.kind(label) for label in found], pl.String),
        pl.int_range(pl.len()).alias("run"),
        *(_numbers(pl.col(column).list.gather(kept, null_on_oob=True)).alias(name) for name, column in lists.items()),
    )
    return table.select(*by, "kind", "run", *lists), [curves.kind(label) for label in order]


def unroll(chart: Figure, *, log_x: bool = False) -> Figure:
    """Turn traces, one record per run, into points: once for the whole chart, instead of once per layer."""
    points = chart.transform_flatten(["step", "test", "train"])
    # The evaluation before the first step has no place on a log axis.
    return points.transform_filter("datum.step > 0") if log_x else points


def curve_layers(
    table: pl.DataFrame,
    curves: Curves,
    kinds: list[str],
    log: alt.Axis | None = None,
    on_paper: list[str] | None = None,
) -> list[alt.Chart]:
    """Layers that draw traces: training gray and behind, test in the hue of its init, and the threshold.

    ``on_paper`` are the kinds that the printed legend names, where a reader of the page may look at others.
    """
    x = alt.X(
        "step:Q",
        title="training step",
        scale=alt.Scale(type="log", nice=False) if log else alt.Scale(nice=False),
        axis=log or alt.Axis(labelExpr=SHORT, tickCount=4, grid=False),
    )
    both = curves.train is not None
    said = curves.kind("")
    hues = [*([TRAIN] if both else []), *(init_colour(kind.removeprefix(f"{said}, ")) for kind in kinds)]
    every = [*([curves.training] if both else []), *kinds]
    legend = alt.Legend(title=None, orient="bottom", direction="horizontal", symbolType="stroke", symbolOpacity=1)
    if on_paper is not None:
        shown = [kind for kind in every if kind == curves.training or kind in on_paper]
        legend.values = alt.ExprRef(f"{BROWSER} ? {json.dumps(every)} : {json.dumps(shown)}")
    hue = alt.Color("kind:N", scale=alt.Scale(domain=every, range=hues), legend=legend)
    scale, axis = _heights(table, curves)
    lines = []
    for field, colour in ((("train", alt.ColorDatum(curves.training)),) if both else ()) + (("test", hue),):
        y = alt.Y(f"{field}:Q", title=name(curves.measure), scale=scale, axis=axis)
        line = alt.Chart().mark_line(strokeWidth=1.3, strokeOpacity=0.6)
        lines.append(line.encode(x=x, y=y, color=colour, detail="run:N"))
    if curves.threshold is None:
        return lines
    threshold = alt.Chart(inline([{"threshold": curves.threshold}]))
    rule = threshold.mark_rule(strokeDash=[5, 4], strokeWidth=1, color=MUTED).encode(y="threshold:Q")
    return [*lines, rule]


def _heights(table: pl.DataFrame, curves: Curves) -> tuple[alt.Scale, alt.Axis]:
    """The vertical axis: in percent from 0 for a share, otherwise in the numbers' own range."""
    if curves.measure not in SHARES:
        return alt.Scale(zero=False), alt.Axis(tickCount=5)
    highest = max((table[field].explode().quantile(MOST) or 0.0 for field in ("test", "train")), default=0.0)
    tenths = min(10, math.ceil(10 * (highest + ROOM) - 1e-6))
    # Clamped, not clipped, and translucent strokes: clipping or an opacity per line makes PNGs slow to render.
    scale = alt.Scale(domain=[0, tenths / 10], clamp=True)
    return scale, alt.Axis(format="%", values=[i / 10 for i in range(tenths + 1)], tickCount=tenths + 1)


def _numbers(values: pl.Expr) -> pl.Expr:
    """Four decimals are finer than a pixel; JSON has no NaN, so the line of a diverged run ends."""
    return values.list.eval(pl.element().cast(pl.Float64).round(4).fill_nan(None))
