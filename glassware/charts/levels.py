"""Curves of runs against levels that theory predicts, as small multiples."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.labels import need
from glassware.charts.theme import CATEGORIES, DENSE, SHORT, heading, inline, panelled

SIZES = {1: (460, 260), 2: (330, 210), 3: (300, 190)}
SMALL = (215, 170)
DASHES = ([1, 0], [6, 4], [2, 3], [8, 3, 2, 3])  # a level is told by its dashes as well as by its colour


def curves_and_levels(
    curves: pl.DataFrame,
    levels: pl.DataFrame,
    *,
    title: str,
    x_title: str,
    y_title: str,
    subtitle: str = "",
    measured: str = "measured",
    columns: int = 4,
    percent: bool = False,
    y_domain: tuple[float, float] | None = None,
    colours: Mapping[str, str] | None = None,
) -> alt.TopLevelMixin:
    """One thin line per run, and a horizontal line for every level of its panel.

    Args:
        curves: columns panel, run, x, y; one row per point. Panels keep the order in which they appear.
        levels: columns panel, kind, level. The first kind is solid, the others are dashed.
        title, x_title, y_title, subtitle: words.
        measured: what the curves are called in the legend.
        columns: panels side by side.
        percent: whether y is a share.
        y_domain: ends of the vertical axis, which all panels share.
        colours: kind of level to colour; a hue each unless given.
    """
    need(curves, ["panel", "run", "x", "y"])
    panels = curves["panel"].unique(maintain_order=True).to_list()
    kinds = levels["kind"].unique(maintain_order=True).to_list()
    hues = [(colours or {}).get(kind, CATEGORIES[1 + i % (len(CATEGORIES) - 1)]) for i, kind in enumerate(kinds)]
    domain = [measured, *kinds]
    legend = alt.Legend(title=None, orient="bottom", direction="horizontal", symbolType="stroke", symbolSize=300,
                        labelLimit=420, columns=2, symbolOpacity=1)  # fmt: skip
    colour = alt.Color("kind:N", scale=alt.Scale(domain=domain, range=[DENSE, *hues]), legend=legend)
    dash = alt.StrokeDash(
        "kind:N", scale=alt.Scale(domain=domain, range=[[1, 0], *DASHES[: len(kinds)]]), legend=legend
    )
    numbers = pl.col("x").cast(pl.Float64), pl.col("y").cast(pl.Float64).round_sig_figs(4).fill_nan(None)
    points = curves.select("panel", pl.col("run").cast(pl.String), *numbers, kind=pl.lit(measured)).to_dicts()
    marks = levels.select("panel", "kind", pl.col("level").cast(pl.Float64)).to_dicts()
    y = alt.Y(
        "y:Q",
        title=y_title,
        scale=alt.Scale(domain=list(y_domain), clamp=True) if y_domain else alt.Scale(zero=False),
        axis=alt.Axis(format="%", tickCount=5) if percent else alt.Axis(tickCount=5),
    )
    x = alt.X(
        "x:Q", title=x_title, scale=alt.Scale(nice=False), axis=alt.Axis(labelExpr=SHORT, tickCount=4, grid=False)
    )
    line = alt.Chart().transform_filter("isValid(datum.x)").mark_line(strokeWidth=1.4, strokeOpacity=0.7)
    rule = alt.Chart().transform_filter("isValid(datum.level)").mark_rule(strokeWidth=1.8)
    across = min(columns, len(panels))
    width, height = SIZES.get(across, SMALL)
    layers = alt.layer(
        line.encode(x=x, y=y, color=colour, strokeDash=dash, detail="run:N"),
        rule.encode(y=alt.Y("level:Q", title=y_title), color=colour, strokeDash=dash),
        data=inline([*points, *marks]),
    ).properties(width=width, height=height)
    return panelled(layers, panels, columns=across).properties(title=heading(title, subtitle))  # type: ignore[no-any-return]
