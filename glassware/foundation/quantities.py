"""Counts and durations as people read them."""

from __future__ import annotations

import math


def runs_text(count: int) -> str:
    """``1 run``, ``2,020 runs``."""
    return f"{count:,} run" if count == 1 else f"{count:,} runs"


def clock_text(seconds: float) -> str:
    """``1:05`` or ``2:03:04``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def about(seconds: float) -> str:
    """A duration in one unit, rounded up: ``40 s``, ``3 min``, ``5 h``, ``4 days``."""
    for unit, length, most in (("s", 1, 90), ("min", 60, 90), ("h", 3600, 48)):
        if seconds <= most * length:
            return f"{max(1, math.ceil(seconds / length))} {unit}"
    return f"{math.ceil(seconds / 86400)} days"


def short(number: float) -> str:
    """``950``, ``12.3k``, ``4.56M``."""
    for suffix, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if number >= 0.9995 * size:
            return f"{number / size:.3g}{suffix}"
    return f"{number:.0f}"


def bytes_text(count: int) -> str:
    """``950 B``, ``12.3 kB``, ``4.56 GB``."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= 0.9995 * size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"
