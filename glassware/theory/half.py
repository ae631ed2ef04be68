"""Fourier coefficients of Majority and of Half, its derivative: what a sparse ReLU neuron sees of a parity.

Half_N(x) = 1[sum x = 0] and Maj_N(x) = sign(sum x) with sign(0) = -1, the convention of Pareto Frontiers, Appendix B.3.
Both are symmetric, so a coefficient depends on the size of its set (the level) alone. Counts are exact integers until
the last division; above EXACT coordinates, where that takes seconds, they are computed as logarithms.
"""

from __future__ import annotations

import math

from scipy.special import gammaln

from glassware.foundation.errors import GlasswareError

EXACT = 20_000


def log_binomial(n: float, k: float) -> float:
    """Natural logarithm of the binomial coefficient, also for half-integers."""
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def half(n: int, level: int, printed: bool = False) -> float:
    """Coefficient of Half_n on sets of ``level`` elements: 0 on odd sets (Pareto Frontiers, Lemma 17).

    Args:
        n: number of coordinates; Half is identically 0 when it is odd.
        level: size of the set.
        printed: the form in the dissertation, which lacks the factor 2**-n.
    """
    _check(n, level)
    if n % 2 or level % 2:
        return 0.0
    m, j = n // 2, level // 2
    if n > EXACT:
        size = log_binomial(m, j) + log_binomial(n, m) - log_binomial(n, level)
        return (-1.0) ** j * math.exp(size if printed else size - n * math.log(2))
    count = math.comb(m, j) * math.comb(n, m)
    scale = 1 if printed else 2**n
    return (-1) ** j * (count / (math.comb(n, level) * scale))


def majority(n: int, level: int) -> float:
    """Coefficient of Maj_n on sets of ``level`` elements, for either parity of n.

    Ties do not affect odd levels: an even n has the coefficients of n + 1. Even levels depend on the ties alone, which
    count as -1, so their coefficients are those of -Half.
    """
    _check(n, level)
    if level % 2 == 0:
        return 0.0 - half(n, level)  # not -half(..), which would turn 0.0 into -0.0
    return half(n - n % 2, level - 1)


def level_weight(n: int, level: int) -> float:
    """W_v(n): the squared coefficients of Maj_n, summed over all sets of v elements."""
    xi = majority(n, level)
    # In logarithms: the number of sets may overflow a float.
    return 0.0 if xi == 0.0 else math.exp(math.log(math.comb(n, level)) + 2 * math.log(abs(xi)))


def level_weight_limit(level: int, printed: bool = False) -> float:
    """rho(v), the limit of the decreasing W_v(n) for odd n; v odd.

    Args:
        level: v.
        printed: the paper's form, half the limit. Lower bounds on W_v remain true with it; W_v <= 2 rho(v) does not.
    """
    if level < 1 or level % 2 == 0:
        raise GlasswareError(f"Majority of many bits has weight on odd levels only, not on level {level}")
    return (2 if printed else 4) * math.comb(level - 1, level // 2) / (math.pi * level * 2**level)


def _check(n: int, level: int) -> None:
    if not 0 <= level <= n:
        raise GlasswareError(f"level must be between 0 and n = {n}, not {level}")
