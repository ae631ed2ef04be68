"""Chains in which both states are equally frequent, a = b (Corollary E.2), and why even coordinates of v grow.

Unigram statistics say nothing there. With lambda = 2a - 1, all first-step gradients are sums of E[lambda^n], which are
0 for odd n: exact rational sums, no quadrature. a is uniform in 1/2 +- spread throughout.
"""

from __future__ import annotations

import numpy as np

from glassware.foundation.arrays import Float
from glassware.theory.boolean import Floats
from glassware.theory.markov.chains import stationary


def eigenvalue_moments(count: int, spread: float = 0.5) -> Float[np.ndarray, " count"]:
    """E[lambda^n] for n = 0 .. count-1: (2 spread)^n / (n+1) for even n, else 0."""
    n = np.arange(count)
    return np.where(n % 2 == 0, (2 * spread) ** n / (n + 1), 0.0)


def even_odd_moment(j: int, spread: float, printed: bool = False) -> float:
    """E[(a - 1/2) lambda^{j-1}], which drives v_j: (2 spread)^j / (2(j+1)) for even j, else 0.

    Args:
        j: coordinate of v.
        spread: epsilon.
        printed: E.57, which integrates over a without the density 1 / (2 epsilon).
    """
    return float(eigenvalue_moments(j + 1, spread)[j]) / 2 * (2 * spread if printed else 1.0)


def equal_signal(t: int, spread: float = 0.5) -> Float[np.ndarray, "t 2 2"]:
    """The tensor K of ``signal`` for these chains: lambda (lambda^n + lambda^{j-1}) / 8 on the diagonal of W and
    lambda (lambda^n - lambda^{j-1}) / 8 off it, summed over n < N with weights N - n."""
    moments, n, N = eigenvalue_moments(t + 1, spread)[1:], np.arange(t), t - np.arange(t)
    after = np.maximum(N[:, None] - n, 0) @ moments
    own = N * (N + 1) / 2 * moments
    diagonal, off = (after + own) / 8, (after - own) / 8
    return np.stack([np.stack([diagonal, off], -1), np.stack([off, diagonal], -1)], -2) / t


def equal_growth_w(t: int, spread: float = 0.5) -> float:
    """Growth of the diagonal of W in the first step, in units of c eta; off the diagonal there is none.

    About (t/8) E[lambda / (1 - lambda)]. For spread 1/2 that is infinite, as E.47 has it, but as t grows only: at any t
    this sum is finite and grows like t log t.
    """
    q = np.arange(2, t + 1)
    return float(((t - q + 1) * (t - q + 2)) @ eigenvalue_moments(t + 1, spread)[2:] / (8 * t))


def equal_growth_v(t: int, spread: float = 0.5, printed: bool = False) -> Float[np.ndarray, " t"]:
    """Growth of v_j in the first step, in units of c eta: about log t, with no quadratic pull to v_1; positive but
    for v_t, which does not move.

    Args:
        t: context length.
        spread: of a around 1/2; 1/2 in the corollary.
        printed: -(t-j+1) / (2t) (E.45, E.49), negative because 2a - 2 stands where lambda = 2a - 1 belongs.
    """
    N = t - np.arange(t)
    if printed:
        return -N / (2 * t)
    moments = eigenvalue_moments(t + 1, spread)[1:]
    return np.cumsum(np.cumsum(moments))[::-1] / (2 * t)


def stationary_spread(matrices: Float[np.ndarray, "chains k k"]) -> Floats:
    """Root mean square over states of k pi_i - 1, per chain: how far pi is from uniform, which it becomes for random
    chains as k grows."""
    k = matrices.shape[-1]
    return np.sqrt(np.mean((k * stationary(matrices) - 1) ** 2, axis=-1))
