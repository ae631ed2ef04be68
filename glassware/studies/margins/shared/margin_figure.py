"""The margin along training where the maximum margin is also best at finite lambda: on Z_p and on parity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.levels import curves_and_levels
from glassware.charts.theme import INK, SPARSE
from glassware.studies.margins.shared.curves import Row

MAXIMUM, BEST = "γ*", "best at this λ (the same)"


def margin_figure(runs: Sequence[tuple[str, Row]], title: str, settings: str) -> alt.TopLevelMixin | None:
    """The normalised margin over gamma* of each run in its panel; None without runs.

    Args:
        runs: the panel and the row of each.
        title: of the figure.
        settings: how the runs were trained, for the subtitle.
    """
    if not runs:
        return None
    seeds = Counter(panel for panel, _ in runs)
    runs = [(f"{panel}, {seeds[panel]} seeds", row) for panel, row in runs]
    curves = [
        pl.DataFrame({"x": row["curve_step"], "y": row["curve_margin_ratio"]})
        .cast(pl.Float64)
        .with_columns(panel=pl.lit(panel), run=pl.lit(str(row["id"])))
        for panel, row in runs
    ]
    panels = dict.fromkeys(panel for panel, _ in runs)
    levels = [{"panel": panel, "kind": kind, "level": 1.0} for panel in panels for kind in (MAXIMUM, BEST)]
    return curves_and_levels(
        pl.concat(curves), pl.DataFrame(levels), title=title, x_title="training step", y_title="normalised margin / γ*",
        subtitle=f"one line per seed, a negative margin drawn at 0; {settings}", measured="trained", columns=3,
        y_domain=(0.0, 1.05), colours={MAXIMUM: INK, BEST: SPARSE},
    )  # fmt: skip
