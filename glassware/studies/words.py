"""Counts and times in words, as the details of a claim show them: shared by the studies."""

from __future__ import annotations

import math
from collections.abc import Iterable


def counts_in_words(cells: Iterable[tuple[str, tuple[int, int]]]) -> str:
    """Successes of the trials of each named cell: ``dense 3/40; sparse 38/40``."""
    return "; ".join(f"{name} {successes}/{trials}" for name, (successes, trials) in cells)


def time_in_words(time: float) -> str:
    """A number of steps; ``never`` for a run that failed."""
    return "never" if math.isinf(time) else f"{time:.0f}"
