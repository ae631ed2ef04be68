"""Figures of trained models: distances to the strategies over the phases, and losses beside the levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.levels import curves_and_levels
from glassware.charts.phases import shaded_curves
from glassware.charts.theme import CATEGORIES, MUTED, SPARSE
from glassware.studies.induction.shared.levels import STRATEGIES, row_levels
from glassware.studies.induction.shared.phases import phases
from glassware.studies.lanes import Row

COLOURS = dict(zip(STRATEGIES, (MUTED, SPARSE, *CATEGORIES[2:4]), strict=True))  # the same in every figure

Panelled = Sequence[tuple[str, Row]]  # runs with the panels that they belong to
Setting = Callable[[Panelled], str]  # what runs have in common, for a subtitle


def distance_chart(
    runs: Panelled, title: str, setting: Setting, *, x_title: str = "training step", columns: int = 3
) -> alt.TopLevelMixin | None:
    """KL(strategy || model) along training, over the phases; nothing where there are no runs."""
    if not runs:
        return None
    curves = distance_curves(runs)
    measured = set(curves["kind"])
    return shaded_curves(
        curves, phase_spans(runs), title=title, x_title=x_title, y_title="mean KL(strategy || model), nats",
        colours={name: hue for name, hue in COLOURS.items() if name in measured}, columns=columns,
        subtitle=f"{setting(runs)}; background: nearest strategy of most seeds",
    )  # fmt: skip


def loss_chart(
    runs: Panelled,
    title: str,
    setting: Setting,
    *,
    measured: str = "transformer",
    x_title: str = "training step",
    columns: int = 3,
    y_domain: tuple[float, float] | None = None,
    more: pl.DataFrame | None = None,
    colours: Mapping[str, str] | None = None,
) -> alt.TopLevelMixin | None:
    """KL(truth || model) along training, beside the levels of the strategies and ``more`` levels, in their colours."""
    if not runs:
        return None
    curves, levels = loss_curves(runs)
    return curves_and_levels(
        curves, levels if more is None else pl.concat([levels, more]), title=title, x_title=x_title,
        y_title="mean KL(truth || model), nats", subtitle=f"{setting(runs)}; levels on the same held-out chains",
        measured=measured, columns=columns, y_domain=y_domain,
        colours={**(colours or {}), **{f"{name} strategy": hue for name, hue in COLOURS.items()}},
    )  # fmt: skip


def distance_curves(runs: Panelled) -> pl.DataFrame:
    """KL(strategy || model) of each run: columns panel, run, kind, x, y."""
    return pl.concat(
        pl.DataFrame({"x": row["curve_step"], "y": row[f"curve_distance_{name}"]}, schema=["x", "y"]).select(
            pl.all().cast(pl.Float64), panel=pl.lit(panel), run=pl.lit(str(row["id"])), kind=pl.lit(name)
        )
        for panel, row in runs
        for name in STRATEGIES
        if row.get(f"curve_distance_{name}") is not None
    )


def phase_spans(runs: Panelled) -> pl.DataFrame:
    """The phase of most runs of a panel, from checkpoint to checkpoint: columns panel, kind, start, end."""
    spans: list[dict[str, object]] = []
    for panel, members in groupby(runs, key=lambda run: run[0]):
        rows = [row for _, row in members]
        steps = rows[0]["curve_step"]
        most = [Counter(names).most_common(1)[0][0] for names in zip(*map(phases, rows), strict=False)]
        starts = [place for place in range(len(most)) if place == 0 or most[place] != most[place - 1]]
        ends = [*starts[1:], len(most) - 1]
        spans += [
            {"panel": panel, "kind": most[start], "start": float(steps[start]), "end": float(steps[end])}
            for start, end in zip(starts, ends, strict=True)
        ]
    return pl.DataFrame(spans)


def loss_curves(runs: Panelled) -> tuple[pl.DataFrame, pl.DataFrame]:
    """KL(truth || model) of each run, and the levels of the strategies on the same chains."""
    curves = pl.concat(
        pl.DataFrame({"x": row["curve_step"], "y": row["curve_truth_distance"]}).select(
            pl.all().cast(pl.Float64), panel=pl.lit(panel), run=pl.lit(str(row["id"]))
        )
        for panel, row in runs
    )
    levels = [
        {"panel": panel, "kind": f"{name} strategy", "level": value}
        for panel, row in dict(runs).items()
        for name, value in row_levels(row).items()
    ]
    return curves, pl.DataFrame(levels)
