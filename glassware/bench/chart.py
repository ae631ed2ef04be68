"""The results as a chart: a dot a peer, a panel a network."""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.theme import DENSE, MUTED, SPARSE, heading, inline

OURS, PEER = "glassware", "peer"


def speed_chart(table: pl.DataFrame) -> alt.TopLevelMixin:
    """Model-steps per second of everybody who was measured, on a logarithmic axis; the bar spans the readings.

    Args:
        table: rows of ``frame``.
    """
    measured = table.filter(pl.col("note").is_null())
    records = [
        {
            "panel": f"{row['device']}, n = {row['n']}, r = {row['r']:,}",
            "who": row["peer"],
            "kind": OURS if row["ours"] else PEER,
            "rate": row["steps_per_second"],
            "low": min(row["readings"]),
            "high": max(row["readings"]),
            "ceiling": f"{row['ceiling_share']:.0%}",
            "text": f"{row['steps_per_second']:,.0f}",
        }
        for row in measured.iter_rows(named=True)
    ]
    panels = list(dict.fromkeys(record["panel"] for record in records))
    order = list(dict.fromkeys(record["who"] for record in records))
    base = alt.Chart().encode(
        y=alt.Y("who:N", sort=order, title=None),
        color=alt.Color("kind:N", scale=alt.Scale(domain=[OURS, PEER], range=[DENSE, SPARSE]), legend=None),
    )
    x = alt.X("rate:Q", title="model-steps per second", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s"))
    tooltip = [
        alt.Tooltip("who:N", title="who"),
        alt.Tooltip("rate:Q", title="model-steps per second", format=",.0f"),
        alt.Tooltip("ceiling:N", title="of the matrix product"),
    ]
    bars = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title="model-steps per second"), x2="high:Q")
    points = base.mark_point(filled=True, size=95, opacity=1).encode(x=x, tooltip=tooltip)
    numbers = base.mark_text(dy=-11, fontSize=11, color=MUTED).encode(x=x, text="text:N", color=alt.value(MUTED))
    layers = alt.layer(bars, points, numbers).properties(width=380, height=alt.Step(34))
    return layers.facet(
        data=inline(records), facet=alt.Facet("panel:N", sort=panels, title=None), columns=2
    ).properties(title=heading("Model-steps per second", "SGD steps of one network, batch 32; bars span the readings"))
