"""Altair and vl-convert, imported when something is drawn.

A study names its charts where it is defined, so importing the chart builders must cost nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glassware.foundation.lazy import LazyModule

if TYPE_CHECKING:
    import altair as alt
    import vl_convert as vl_convert
else:
    alt, vl_convert = LazyModule("altair"), LazyModule("vl_convert")

__all__ = ["alt", "vl_convert"]
