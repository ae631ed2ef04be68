"""The random words of ``glassware.foundation.draws``, compiled: NumPy would hold the interpreter's lock."""

from __future__ import annotations

from typing import Any

import numpy as np

from glassware.foundation.draws import PARITY_CONSTANT, ROTATIONS
from glassware.tabular.cpu.compiled import compiled


def draw(key: np.ndarray, counter0: np.ndarray, counter1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As ``glassware.foundation.draws.draw``."""
    counters = np.broadcast_arrays(counter0, counter1)
    first, second = (np.array(counter, np.uint32, order="C") for counter in counters)
    _threefry(key[0], key[1], first.reshape(-1), second.reshape(-1))
    return first, second


@compiled
def _threefry(low: Any, high: Any, first: Any, second: Any) -> None:
    """Counters are replaced by words."""
    word = np.uint32
    keys = (low, high, word(low ^ high ^ word(PARITY_CONSTANT)))
    for i in range(len(first)):
        a, b = word(first[i] + low), word(second[i] + high)
        for block in range(5):
            for distance in ROTATIONS[block % 2]:
                a = word(a + b)
                b = word(word(word(b << word(distance)) | word(b >> word(32 - distance))) ^ a)
            a = word(a + keys[(block + 1) % 3])
            b = word(b + keys[(block + 2) % 3] + word(block + 1))
        first[i], second[i] = a, b
