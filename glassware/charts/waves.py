"""Functions on a cycle, neuron by neuron: values with the smooth curve through them, and beside it the spectrum."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from glassware.charts.backend import Figure, alt
from glassware.charts.labels import need
from glassware.charts.theme import CATEGORIES, FAINT, MUTED, heading, inline

WIDTH, NARROW, HEIGHT = 250, 130, 74


def waves(
    values: pl.DataFrame,
    curves: pl.DataFrame,
    spectra: pl.DataFrame,
    *,
    title: str,
    x_title: str,
    y_title: str,
    power_title: str,
    subtitle: str | list[str] = "",
    colours: Mapping[str, str] | None = None,
) -> alt.TopLevelMixin:
    """One row of pictures per neuron, the groups side by side; heights and powers have one scale throughout.

    Args:
        values: columns group, neuron, x, y: the dots.
        curves: the same columns: the line through them.
        spectra: columns group, neuron, frequency, power.
        title, x_title, y_title, power_title, subtitle: words.
        colours: group to colour of dots and bars; a hue each unless given.
    """
    need(values, ["group", "neuron", "x", "y"])
    need(spectra, ["group", "neuron", "frequency", "power"])
    groups = values["group"].unique(maintain_order=True).to_list()
    top = 1.1 * max(float(values["y"].abs().max()), float(curves["y"].abs().max()))  # type: ignore[arg-type]
    columns = []
    for i, group in enumerate(groups):
        hue = (colours or {}).get(group, CATEGORIES[i % len(CATEGORIES)])
        rows = values.filter(group=group)["neuron"].unique(maintain_order=True).to_list()
        views = []
        for neuron in rows:
            dots, line, power = (table.filter(group=group, neuron=neuron) for table in (values, curves, spectra))
            bottom = neuron == rows[-1]
            views.append(
                alt.hconcat(
                    _wave(dots, line, top, hue, x_title if bottom else None, y_title),
                    _spectrum(power, hue, "frequency" if bottom else None, power_title),
                    spacing=12,
                )
            )
        name = alt.TitleParams(group, fontSize=13, anchor="start", offset=4)
        columns.append(alt.vconcat(*views, spacing=6).properties(title=name))
    return alt.hconcat(*columns, spacing=28).properties(title=heading(title, subtitle))  # type: ignore[no-any-return]


def _wave(dots: pl.DataFrame, line: pl.DataFrame, top: float, hue: str, x_title: str | None, y_title: str) -> Figure:
    x = alt.X("x:Q", title=x_title, scale=alt.Scale(nice=False), axis=alt.Axis(tickCount=5, grid=False))
    y = alt.Y("y:Q", title=y_title, scale=alt.Scale(domain=[-top, top], nice=False), axis=alt.Axis(tickCount=3))
    smooth = alt.Chart(inline(_rounded(line))).mark_line(color=MUTED, strokeWidth=1.2, opacity=0.7).encode(x=x, y=y)
    given = alt.Chart(inline(_rounded(dots))).mark_point(filled=True, size=16, opacity=1, color=hue).encode(x=x, y=y)
    return alt.layer(smooth, given).properties(width=WIDTH, height=HEIGHT, view=alt.ViewConfig(stroke=FAINT))


def _spectrum(power: pl.DataFrame, hue: str, x_title: str | None, y_title: str) -> alt.Chart:
    last = int(power["frequency"].max())  # type: ignore[arg-type]
    x = alt.X(
        "frequency:Q",
        title=x_title,
        scale=alt.Scale(domain=[-0.5, last + 0.5], nice=False),
        axis=alt.Axis(tickCount=min(last, 5), tickMinStep=1, grid=False),
    )
    y = alt.Y("power:Q", title=y_title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(values=[0, 0.5, 1], format="%"))
    bars = alt.Chart(inline(power.select("frequency", "power").to_dicts()))
    thick = max(1.5, 0.6 * NARROW / (last + 1))
    return bars.mark_bar(color=hue, size=thick).encode(x=x, y=y).properties(width=NARROW, height=HEIGHT)


def _rounded(table: pl.DataFrame) -> list[dict[str, float]]:
    return table.select(pl.col("x", "y").cast(pl.Float64).round_sig_figs(4)).to_dicts()
