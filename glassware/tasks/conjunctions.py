"""Which conjunctions of s bits agree with a sample: whether the sample tells the hidden one from all others."""

from __future__ import annotations

import numpy as np

from glassware.foundation.arrays import UInt8


def consistent(x: UInt8[np.ndarray, "m n"], y: UInt8[np.ndarray, " m"], s: int, limit: int = 2) -> set[frozenset[int]]:
    """Sets of s positions whose conjunction is y on every row of x; the search ends when ``limit`` are found.

    A set is consistent if all its positions are 1 in every positive row, and each negative row has a 0 at one of them.
    So it lies among the few positions that no positive row excludes, and is found by branching over the zeros of a
    negative row that is not yet explained.

    >>> import numpy as np
    >>> x = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], np.uint8)
    >>> consistent(x, np.array([1, 0, 0], np.uint8), s=2)
    {frozenset({0, 1})}
    """
    left = np.flatnonzero(x[y == 1].all(axis=0))
    rows = [frozenset(left[row == 0].tolist()) for row in x[y == 0][:, left]]
    found: set[frozenset[int]] = set()
    _extend(frozenset(), sorted(rows, key=len), [int(i) for i in left], s, limit, found)
    return found


def _extend(
    chosen: frozenset[int],
    rows: list[frozenset[int]],
    left: list[int],
    s: int,
    limit: int,
    found: set[frozenset[int]],
) -> None:
    """Add to ``found`` the consistent sets that contain ``chosen``, by way of the zeros of the first open row."""
    if len(found) >= limit:
        return
    open_ = next((row for row in rows if not row & chosen), None)
    if len(chosen) == s:
        if open_ is None:
            found.add(chosen)
        return
    for i in left if open_ is None else sorted(open_):
        if i not in chosen:
            _extend(chosen | {i}, rows, left, s, limit, found)
