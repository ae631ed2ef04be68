"""Boolean functions of a few bits: their values, the bits that matter, and the bias that balances them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from glassware.foundation.arrays import Float64, UInt8

CELLS = 4096  # of (0, 1) in which a root is looked for: polynomials of degree s have few


def by_count(function: str, s: int, threshold: int | None = None) -> UInt8[np.ndarray, " counts"]:
    """A symmetric function as its values at 0, 1, .., s ones.

    >>> by_count("majority", 3).tolist()
    [0, 0, 1, 1]
    """
    ones = np.arange(s + 1)
    values = {
        "and": ones == s,
        "or": ones > 0,
        "parity": ones % 2 == 1,
        "majority": 2 * ones > s,
        "threshold": ones >= (threshold or 0),
    }
    return values[function].astype(np.uint8)


def irrelevant_bits(table: Sequence[int]) -> list[int]:
    """The bits that a truth table does not depend on; bit i of an entry's number is the value of bit i.

    >>> irrelevant_bits([0, 1, 0, 1])
    [1]
    """
    values, numbers = np.asarray(table), np.arange(len(table))
    bits = range(len(table).bit_length() - 1)
    return [i for i in bits if np.array_equal(values, values[numbers ^ (1 << i)])]


@lru_cache
def balancing(ones: tuple[int, ...]) -> float:
    """The p at which f = 1 with probability 1/2 when bits are Bernoulli(p): of several the nearest to 1/2.

    1/2 where there is none.

    Args:
        ones: how many inputs with 0, 1, .., s ones have f = 1.

    >>> round(balancing((0, 0, 0, 1)), 4)  # AND of three bits
    0.7937
    """
    if math.isclose(probability(ones, 0.5), 0.5, abs_tol=1e-12):
        return 0.5
    ends = np.arange(CELLS + 1) / CELLS
    above = np.array([probability(ones, p) > 0.5 for p in ends])
    crossed = [(ends[i], ends[i + 1]) for i in np.flatnonzero(above[1:] != above[:-1])]
    roots = [_bisect(ones, float(low), float(high)) for low, high in crossed]
    return min(roots, key=lambda p: abs(p - 0.5), default=0.5)


def probability(ones: Sequence[int], p: float) -> float:
    """P(f = 1) when bits are Bernoulli(p), from the number of inputs with 0, 1, .., s ones at which f = 1."""
    s, r = len(ones) - 1, np.arange(len(ones))
    weights: Float64[np.ndarray, " counts"] = np.asarray(ones, float) * p**r * (1 - p) ** (s - r)
    return float(weights.sum())


def _bisect(ones: tuple[int, ...], low: float, high: float) -> float:
    rises = probability(ones, high) > 0.5
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if (probability(ones, middle) > 0.5) == rises else (middle, high)
    return (low + high) / 2
