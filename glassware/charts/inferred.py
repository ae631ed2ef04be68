"""Pale cells of a heat map: what a search inferred from their neighbours and did not measure."""

from __future__ import annotations

from glassware.charts.backend import alt
from glassware.charts.theme import MUTED

FAINT = 0.32  # opacity of a cell that was inferred


def inferred_layer(base: alt.Chart, left: alt.X, y: alt.Y, colour: alt.Color) -> alt.Chart:
    """Their rectangles, with a dashed outline."""
    pale = base.transform_filter("isValid(datum.known)").mark_rect(
        stroke=MUTED, strokeWidth=0.5, strokeDash=[2, 2], fillOpacity=FAINT
    )
    tooltip = [alt.Tooltip(f"{field}:N") for field in ("x", "y", "known")]
    return pale.encode(x=left, x2="right:Q", y=y, color=colour, tooltip=tooltip)
