"""Altair and vl-convert, imported when something is drawn.

A study names its charts where it is defined, so importing the chart builders must cost nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from glassware.foundation.lazy import LazyModule

if TYPE_CHECKING:
    import altair as alt
    import vl_convert as vl_convert

    Figure: TypeAlias = alt.Chart | alt.LayerChart | alt.FacetChart
else:
    alt, vl_convert = LazyModule("altair"), LazyModule("vl_convert")
    Figure = object

Record: TypeAlias = dict[str, object]  # one data point of a chart
Spec: TypeAlias = dict[str, Any]  # Vega-Lite JSON, or a part of it

__all__ = ["Figure", "Record", "Spec", "alt", "vl_convert"]
