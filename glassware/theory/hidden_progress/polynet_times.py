"""How long gradient flow on a disjoint-PolyNet stays near chance: times to an error, and Corollary 11.

The error along the flow depends on the growth q alone, so the time to an error is found in q and read off the flow.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats
from glassware.theory.hidden_progress.polynet_error import (
    BERRY_ESSEEN,
    error_without_ties,
    inside_binomial,
    inside_gaussian,
)
from glassware.theory.hidden_progress.polynet_flow import flow_time, ones_time, squares


def time_to_error(v0: Floats, alpha: float, inside: Callable[[Floats], Floats]) -> Floats:
    """Time from which on the error is at most alpha > 0, for many initial weights (..., k) at once.

    Args:
        v0: initial relevant weights with a positive product.
        alpha: the error, above 0; for exactly 0 use ``time_to_zero_error``.
        inside: P(|u_i.z| <= |v_i|) as a function of the weights |v| (..., k), e.g. from ``polynet_error``.
    """
    if not 0.0 < alpha < 0.5:
        raise GlasswareError(f"alpha is {alpha}; an error along the flow lies between 0 and 1/2")
    a = squares(v0)
    m = a.min(-1)

    def too_early(s: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        grown = (m * np.expm1(s))[..., None]
        return np.asarray(error_without_ties(inside(np.sqrt(a + grown))) > alpha)

    low, high = np.zeros_like(m), np.ones_like(m)
    while np.any(wait := too_early(high)):
        high = np.where(wait, 2.0 * high, high)
    low = np.where(too_early(low), low, -1.0)  # already there at the start
    high = np.where(low < 0, 0.0, high)
    low = np.maximum(low, 0.0)
    for _ in range(60):
        middle = (low + high) / 2
        wait = too_early(middle)
        low, high = np.where(wait, middle, low), np.where(wait, high, middle)
    return flow_time(v0, m * np.expm1(high))


def time_to_zero_error(v0: Floats, u: Floats) -> Floats:
    """Time at which every |v_i| reaches the sum of its |u_ij|, (..., k, n' - 1): from then on the error is 0."""
    needed = np.abs(u).sum(-1) ** 2 - squares(v0)
    return flow_time(v0, np.maximum(needed.max(-1), 0.0))


def plateau_gaussian(v0: Floats, u: Floats, early: float = 0.49, late: float = 1e-3) -> Floats:
    """Share of the time to a small error that is spent above a large one, by the normal approximation of the error."""
    norm = np.linalg.norm(u, axis=-1)
    law = lambda v: inside_gaussian(norm, v)
    return time_to_error(v0, early, law) / time_to_error(v0, late, law)


def ones_plateau(block: int, k: int, alpha: float = 0.49) -> float:
    """T(alpha) / T(0) from all ones with blocks of n' coordinates, by the exact binomial error; k > 2."""
    v0 = np.ones(k)
    early = time_to_error(v0, alpha, lambda v: inside_binomial(block - 1, v))
    return float(early / ones_time(float(block - 1), k))


def corollary11_reach(block: int, k: int, gamma: float, printed: bool = False) -> float:
    """A size b such that the error is at least 1/2 - gamma while |v_i| <= b, for irrelevant weights +-1.

    The paper's correction is of order n'^(-3/2), from the wrong term of Lemma 6; it is of order n'^(-1/2).
    """
    if printed:
        return math.sqrt(math.pi * block / 2) * (gamma ** (1 / k) - BERRY_ESSEEN * block**-1.5)
    m = block - 1
    return math.sqrt(math.pi * m / 2) * (gamma ** (1 / k) - 2 * BERRY_ESSEEN / math.sqrt(m))


def corollary11_bound(block: int, k: int, gamma: float, printed: bool = False) -> float:
    """A lower bound on T(1/2 - gamma) / T(0) from weights +-1, k > 2: 1 - b^(2-k), and 0 where b is below one."""
    if k < 3:
        raise GlasswareError(f"k is {k}; the corollary is for k > 2")
    b = corollary11_reach(block, k, gamma, printed)
    return 1.0 - b ** (2 - k) if b > 1.0 else 0.0
