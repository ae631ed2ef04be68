"""Fourier coefficients of Majority and of Half, its derivative: what a sparse ReLU neuron sees of a parity.

Half_N(x) = 1[sum x = 0] and Maj_N(x) = sign(sum x) with sign(0) = -1, the convention of Pareto Frontiers, Appendix B.3.
Both are symmetric, so a coefficient depends on the size of its set (the level) alone. Counts are exact integers until
the last division.
"""

from __future__ import annotations

import math

from glassware.errors import GlasswareError


def half(n: int, level: int, printed: bool = False) -> float:
    """Coefficient of Half_n on sets of ``level`` elements: 0 on odd sets (Pareto Frontiers, Lemma 17).

    Args:
        n: number of coordinates; Half is identically 0 when it is odd.
        level: size of the set.
        printed: the form in the dissertation, which has lost the factor 2**-n.
    """
    _check(n, level)
    if n % 2 or level % 2:
        return 0.0
    m, j = n // 2, level // 2
    count = math.comb(m, j) * math.comb(n, m)
    scale = 1 if printed else 2**n
    return (-1) ** j * (count / (math.comb(n, level) * scale))


def majority(n: int, level: int) -> float:
    """Coefficient of Maj_n on sets of ``level`` elements, for either parity of n.

    Odd levels do not notice ties: an even n has the coefficients of n + 1. Even levels see nothing but the ties, which
    count as -1, so they are those of -Half.
    """
    _check(n, level)
    if level % 2 == 0:
        return -half(n, level)
    return half(n - n % 2, level - 1)


def level_weight(n: int, level: int) -> float:
    """W_v(n): the squared coefficients of Maj_n, summed over all sets of v elements."""
    return math.comb(n, level) * majority(n, level) ** 2


def level_weight_limit(level: int, printed: bool = False) -> float:
    """rho(v), which W_v(n) decreases to as odd n grows; v odd.

    Args:
        level: v.
        printed: the paper's form, half the limit. Lower bounds on W_v survive it; W_v <= 2 rho(v) does not.
    """
    if level < 1 or level % 2 == 0:
        raise GlasswareError(f"Majority of many bits has weight on odd levels only, not on level {level}")
    return (2 if printed else 4) * math.comb(level - 1, level // 2) / (math.pi * level * 2**level)


def _check(n: int, level: int) -> None:
    if not 0 <= level <= n:
        raise GlasswareError(f"a set of {level} among n = {n} coordinates does not exist; 0 <= level <= n")
