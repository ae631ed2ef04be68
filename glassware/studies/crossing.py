"""Where a rising curve reaches a level, read between the sizes that were tried: shared by the studies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from glassware.foundation.statistics import NEVER


def crossing(sizes: Iterable[float], values: Iterable[float], level: float = 0.5) -> float | None:
    """The size at which the values first rise to ``level``, interpolated in log size; None where they never do so."""
    for (small, low), (large, high) in pairwise(zip(sizes, values, strict=True)):
        if low < level <= high:
            return float(small * (large / small) ** ((level - low) / (high - low)))
    return None


def half_success(samples: Sequence[float], rates: Sequence[float]) -> float:
    """Sample size at which the success rate first reaches one half; ``NEVER`` if it does not."""
    if rates[0] >= 0.5:
        return float(samples[0])
    return crossing(samples, rates) or NEVER
