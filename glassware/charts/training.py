"""Training curves as small multiples."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.labels import keys, labels, need, phrase
from glassware.charts.pooling import notes
from glassware.charts.theme import heading, inline, log_axis, panelled
from glassware.charts.traces import STEP, curve_layers, find_curves, traces, unroll
from glassware.foundation.errors import GlasswareError

RUNS = 50  # per panel; more lines show nothing new
POINTS = 100  # per line
TOTAL = 40_000  # points in the whole figure; above that a panel shows fewer runs, then fewer points
ACROSS = 4  # panels side by side


def training_curves(
    frame: pl.DataFrame,
    *,
    by: list[str],
    title: str,
    subtitle: str = "",
    log_x: bool = False,
    over: Sequence[str] = (),
) -> alt.TopLevelMixin:
    """The measure of success during training, one panel per combination of the columns ``by``.

    One gray line (on training examples) and one coloured line (on test examples) per run; the dashed line is the
    threshold of success. A panel shows at most 50 runs, the first of them. ``over`` names fields in which the runs of a
    panel differ on purpose.
    """
    need(frame, [*by, STEP])
    curves = find_curves(frame)
    if curves is None:
        raise GlasswareError("training curves need runs with curves; these runs have none")
    groups, order, across = _panels(frame, by)
    most = 2 * POINTS if log_x else POINTS  # a log axis spreads out the early ones
    runs = min(RUNS, max(5, TOTAL // (most * len(order))))
    points = min(most, max(20, TOTAL // (runs * len(order))))
    named = frame.join(groups, on=keys(frame, by), how="left", nulls_equal=True)
    table, kinds = traces(named, curves, ["panel"], runs=runs, points=points)

    size = {1: (460, 260), 2: (330, 190)}.get(across, (220, 140))
    steps = [step for steps in table["step"] for step in steps if step]
    axis = log_axis(min(steps), max(steps), grid=False) if log_x and steps else None
    layers = curve_layers(table, curves, kinds, axis)
    panel = alt.layer(*layers, data=inline(table.to_dicts())).properties(width=size[0], height=size[1])
    figure = panelled(panel, order, columns=across)
    lines = notes(frame, by, subtitle, over, order)
    drawable = int((frame[STEP].list.len() > 0).sum())
    if len(table) < drawable:
        lines.append(f"{len(table):,} of {drawable:,} runs shown")
    return unroll(figure, log_x=log_x).properties(title=heading(title, lines))


def _panels(frame: pl.DataFrame, by: list[str]) -> tuple[pl.DataFrame, list[str], int]:
    """The label of every combination, the labels in order, and the number of panels per row."""
    groups = frame.group_by(keys(frame, by), maintain_order=True).agg()
    ranks, words = [], []
    innermost = 1  # values of the last column that has several: a row of panels runs through them
    for column in by:
        found, order = labels(groups, column)
        ranks.append([order.index(label) for label in found])
        words.append([phrase(groups, column, label, init="") for label in found])
        innermost = len(order) if len(order) > 1 else innermost
    panels = [", ".join(parts) for parts in zip(*words, strict=True)]
    ordered = [panel for _, panel in sorted(zip(zip(*ranks, strict=True), panels, strict=True))]
    fits = innermost <= ACROSS and len(panels) % innermost == 0
    across = innermost if fits else min(ACROSS, len(panels))
    return groups.with_columns(pl.Series("panel", panels, pl.String)), ordered, across
