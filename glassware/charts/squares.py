"""Square matrices as coloured cells without text, in rows and columns of panels: attention maps."""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.labels import need
from glassware.charts.theme import FAINT, heading, inline

CELL = 12  # pixels


def squares(
    table: pl.DataFrame,
    *,
    scale: alt.Scale,
    title: str,
    x_title: str,
    y_title: str,
    value_title: str,
    subtitle: str | list[str] = "",
) -> alt.TopLevelMixin:
    """One cell per row of the table, all panels on one colour scale.

    Args:
        table: columns row, column (of panels, in the order of appearance), y, x (places from 1, y downwards), value.
        scale: the colour scale.
        title, x_title, y_title, value_title, subtitle: words.
    """
    need(table, ["row", "column", "y", "x", "value"])
    rows, columns = (table[name].unique(maintain_order=True).to_list() for name in ("row", "column"))
    side = int(table["x"].max())  # type: ignore[arg-type]
    ticks = [1, *range(4, side + 1, 4)]
    place = lambda name, words: {
        "shorthand": f"{name}:O", "title": words, "scale": alt.Scale(domain=[*range(1, side + 1)], padding=0),
        "axis": alt.Axis(values=ticks, labelAngle=0, ticks=False, domain=False),
    }  # fmt: skip
    cells = table.select("row", "column", "y", "x", pl.col("value").cast(pl.Float64).round_sig_figs(3)).to_dicts()
    base = alt.Chart(inline(cells)).mark_rect(stroke="white", strokeWidth=0.5)
    chart = base.encode(
        x=alt.X(**place("x", x_title)),
        y=alt.Y(**place("y", y_title)),
        color=alt.Color("value:Q", scale=scale, legend=alt.Legend(title=value_title, gradientLength=150)),
    ).properties(width=CELL * side, height=CELL * side, view=alt.ViewConfig(stroke=FAINT))
    header = alt.Header(title=None, labelFontSize=13, labelFontWeight="bold")
    figure = chart.facet(
        row=alt.Row("row:N", sort=rows, title=None, header=header),
        column=alt.Column("column:N", sort=columns, title=None, header=header),
        spacing=16,
    )
    return figure.properties(title=heading(title, subtitle))  # type: ignore[no-any-return]
