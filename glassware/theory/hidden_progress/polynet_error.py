"""The error of a disjoint-PolyNet: exact values and bounds.

The network is prod_i w_i . x_{P_i} over k blocks of n' coordinates; the parity is on the first coordinate of each
block. With v_i the relevant weight and u_i the others, block i has the right sign unless u_i . z outweighs v_i.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import bdtr, erf

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats, cube

BERRY_ESSEEN = 0.56


def exact_error(w: Floats) -> Floats:
    """Probability that the sign of networks w (..., k, n') is not the parity, by enumeration; a zero counts as wrong.

    Blocks are independent: the mean of sign times parity is prod (p_+ - p_-), and the output is not zero with
    probability prod (1 - p_0).
    """
    w = np.asarray(w, np.float64)
    # A block's input times its relevant coordinate is uniform with that coordinate +1.
    sums = w[..., :1] + w[..., 1:] @ cube(w.shape[-1] - 1).T
    lean = np.sign(sums).mean(-1).prod(-1)
    nonzero = (sums != 0).mean(-1).prod(-1)
    return (nonzero - lean) / 2 + 1 - nonzero


def inside_enumerated(u: Floats, v: Floats) -> Floats:
    """P(|u.z| <= |v|) for random signs z, by enumeration; u is (..., m) and v (...)."""
    u = np.asarray(u, np.float64)
    return (np.abs(u @ cube(u.shape[-1]).T) <= np.abs(v)[..., None]).mean(-1)


def inside_binomial(m: int, v: Floats) -> Floats:
    """P(|z_1 + ... + z_m| <= |v|) for random signs z: the case of irrelevant weights +-1, at any m."""
    below = np.ceil((m - np.abs(np.asarray(v, np.float64))) / 2) - 1  # the most minus signs that are still too few
    return np.where(below >= 0, 1.0 - 2.0 * bdtr(np.maximum(below, 0), m, 0.5), 1.0)


def inside_gaussian(norm: Floats | float, v: Floats) -> Floats:
    """The normal approximation of the same probability: erf(|v| / (sqrt 2 ||u||))."""
    return np.asarray(erf(np.abs(v) / (math.sqrt(2) * np.asarray(norm, np.float64))))


def error_without_ties(inside: Floats) -> Floats:
    """The error of a network with prod v_i > 0 and no ties, from P(|u_i.z| <= |v_i|) of its blocks (..., k)."""
    return 0.5 - 0.5 * np.prod(inside, axis=-1)


def error_bounds(v: Floats, u: Floats, printed: bool = False) -> tuple[float, float]:
    """Lower and upper bound on the error of one network with prod v_i > 0 (Lemma 6); v is (k,) and u (k, n' - 1).

    The paper's upper bound lacks a 2 in Hoeffding's exponent, and its Berry-Esseen term has the wrong norms and counts
    one side only; ``printed`` gives these, which both fail.
    """
    v, u = np.abs(np.asarray(v, np.float64)), np.abs(np.asarray(u, np.float64))
    if v.ndim != 1 or u.ndim != 2 or len(u) != len(v):
        raise GlasswareError(f"v and u have shapes {v.shape} and {u.shape}; they are (k,) and (k, n' - 1)")
    norm = np.sqrt(np.sum(u**2, axis=-1))
    if printed:
        inside = inside_gaussian(norm, v) + BERRY_ESSEEN * u.max(-1) / norm**3
        return float(error_without_ties(inside)), float(2.0 * np.exp(-(v**2) / norm**2).sum())
    off = 2.0 * BERRY_ESSEEN * np.sum(u**3, axis=-1) / norm**3
    inside = np.minimum(inside_gaussian(norm, v) + off, 1.0)
    return float(error_without_ties(inside)), float(2.0 * np.exp(-(v**2) / (2.0 * norm**2)).sum())
