"""The Fourier spectrum of majority and of other linear threshold functions.

Majority of an odd number n of bits is symmetric, so a coefficient depends on the size of its subset only. Its spectrum
is what the first gradient of a ReLU neuron with sign weights sees (Hidden Progress, Lemmas 1 and 2). The module
``half`` has the coefficients for every n, and the weights of the levels.
"""

from __future__ import annotations

import math

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats, cube, walsh_hadamard
from glassware.theory.half import majority


def check_odd(n: int) -> None:
    """Majority is defined on an odd number of bits."""
    if n < 1 or n % 2 == 0:
        raise GlasswareError(f"n is {n}; majority needs an odd number of coordinates")


def majority_coefficient(n: int, k: int) -> float:
    """The coefficient xi_k of majority on an odd number n of bits at any subset of k of them."""
    check_odd(n)
    return majority(n, k)


def threshold_coefficient(n: int, k: int) -> float:
    """The coefficient of the indicator 1{x_1 + ... + x_n > 0} = (1 + majority) / 2 at a subset of size k."""
    return 0.5 * (k == 0) + 0.5 * majority_coefficient(n, k)


def coefficient_ratio(n: int, k: int) -> float:
    """|xi_{k-1}| / |xi_{k+1}| for even k, exactly: (n - k) / (k - 1)."""
    check_odd(n)
    if k < 2 or k % 2:
        raise GlasswareError(f"k is {k}; the two neighbouring levels of majority are non-zero for even k only")
    return (n - k) / (k - 1)


def asymptotic_level_weight(k: int, printed: bool = False) -> float:
    """The limit of the level weight for odd k with 1 << k << sqrt(n): (2 / (pi k))^(3/2).

    Lemma 1 of the paper prints the exponent of k as -2/3 for -3/2; ``printed`` gives that form, with the same constant.
    """
    return (2.0 / math.pi) ** 1.5 * k ** (-2.0 / 3.0 if printed else -1.5)


def threshold_spectrum(w: Floats, b: float = 0.0) -> Floats:
    """All 2**n coefficients of the threshold function 1{w.x + b > 0}, by enumeration."""
    w = np.asarray(w, np.float64)
    return walsh_hadamard((cube(w.size) @ w + b > 0).astype(np.float64))
