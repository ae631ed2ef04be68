"""Statements as printed and corrected, as dots: the figure of both studies of theory."""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.dots import dots
from glassware.studies.computed import part


def printed_figure(frame: pl.DataFrame, title: str) -> alt.TopLevelMixin:
    """Distance of each statement from what it promises, in decimal digits; exactly 0 is drawn at -17."""
    found = part(frame, "printed").with_columns(pl.max_horizontal("gap", pl.lit(1e-17)).log10().alias("digits"))
    return dots(
        found.rename({"name": "statement"}), x="statement", y="digits", low="digits", high="digits", colour="form",
        title=title, x_title="statement", y_title="log10 of the distance",
        subtitle="distance from what is promised; 0, where a limit is kept, is drawn at -17",
    )  # fmt: skip
