"""The random words of ``glassware.foundation.draws``, compiled: one pair at a time, as a part of whatever calls it."""

from __future__ import annotations

import numba
import numpy as np

from glassware.foundation.draws import PARITY_CONSTANT, ROTATIONS

LEFT = tuple(np.uint32(distance) for rotations in ROTATIONS for distance in rotations)
RIGHT = tuple(np.uint32(32 - int(distance)) for distance in LEFT)
CONSTANT = np.uint32(PARITY_CONSTANT)


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]  # not kept on disk: its callers are
def threefry(k0: np.uint32, k1: np.uint32, x0: np.uint32, x1: np.uint32) -> tuple[np.uint32, np.uint32]:
    """Two random words for a key and a counter, of two words each."""
    keys = (k0, k1, np.uint32(k0 ^ k1 ^ CONSTANT))
    x0, x1 = np.uint32(x0 + k0), np.uint32(x1 + k1)
    for block in range(5):
        for i in range(4):
            turn = 4 * (block % 2) + i
            x0 = np.uint32(x0 + x1)
            x1 = np.uint32(((x1 << LEFT[turn]) | (x1 >> RIGHT[turn])) ^ x0)
        x0 = np.uint32(x0 + keys[(block + 1) % 3])
        x1 = np.uint32(x1 + keys[(block + 2) % 3] + np.uint32(block + 1))
    return x0, x1
