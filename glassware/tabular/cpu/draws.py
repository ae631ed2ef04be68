"""The random words of ``glassware.foundation.draws``, compiled: NumPy would hold the interpreter's lock."""

from __future__ import annotations

import numpy as np

from glassware.engine.threefry import threefry
from glassware.foundation.arrays import UInt32
from glassware.tabular.cpu.compiled import compiled


def draw(
    key: UInt32[np.ndarray, " 2"], counter0: UInt32[np.ndarray, "..."], counter1: UInt32[np.ndarray, "..."]
) -> tuple[UInt32[np.ndarray, "..."], UInt32[np.ndarray, "..."]]:
    """As ``glassware.foundation.draws.draw``."""
    counters = np.broadcast_arrays(counter0, counter1)
    first, second = (np.array(counter, np.uint32, order="C") for counter in counters)
    _replace(key[0], key[1], first.reshape(-1), second.reshape(-1))
    return first, second


@compiled
def _replace(
    low: np.uint32, high: np.uint32, first: UInt32[np.ndarray, " words"], second: UInt32[np.ndarray, " words"]
) -> None:
    """Counters are replaced by words."""
    for i in range(len(first)):
        first[i], second[i] = threefry(low, high, first[i], second[i])
