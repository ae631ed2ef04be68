"""The resources that Theorem 16 of Pareto Frontiers requires, and the family of trade-offs behind both constructions.

The constants are astronomical; the scaling is the point: width (n/s)^k against data n^2 (s/k)^(k-1), as s varies.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from glassware.theory.pareto.good_neurons import good_per_bias, width_needed
from glassware.theory.pareto.over_sparse_readout import PRINTED_OFFSET, over_sparse_readout
from glassware.theory.pareto.sparse_gradients import kappa, over_sparse_signal


class Resources(NamedTuple):
    """What the end-to-end guarantee needs for a loss of 7 eps with probability 1 - 2 delta."""

    width: int  # r
    good: float  # r': good neurons per bias level
    norm: float  # B_k, of the readout
    precision: float  # tau, of the first gradient
    samples: float  # m
    sparsity: float  # the guarantee needs s to be at least this
    steps: float  # T of the readout


def gradient_samples(n: int, width: int, tau: float, delta: float) -> float:
    """Lemma 10: examples after which all first-layer gradients are tau-close, 4 log(4 n r / delta) / tau^2."""
    return 4 * math.log(4 * n * width / delta) / tau**2


def generalisation_gap(norm: float, size: float, distance: float, m: float, delta: float) -> float:
    """Lemma 13: loss on the distribution minus loss on the sample, for readouts of bounded norm on perturbed features.

    Args:
        norm: B, of the readout.
        size: largest norm of the ideal features psi.
        distance: of the actual features from psi.
        m: examples.
        delta: allowed failure.
    """
    return (2 * norm * size + 1) * math.sqrt(2 * math.log(2 / delta) / m) + 2 * norm * distance


def feature_norm(k: int, good: float) -> float:
    """Lemma 11: the ideal features have norm at most sqrt(8 k r')."""
    return math.sqrt(8 * k * good)


def feature_distance(n: int, k: int, good: float, eta: float, tau: float) -> float:
    """Lemma 11: the actual features are within 4 k r' n eta tau of the ideal ones."""
    return 4 * k * good * n * eta * tau


def ideal_loss(k: int, s: int, good: float, norm: float) -> float:
    """Lemma 11: the exact readout on the features of the population step has a loss of at most sqrt(4 k r' / s) B_k."""
    return math.sqrt(4 * k * good / s) * norm


def theorem_16(n: int, k: int, s: int, eps: float, delta: float, printed: bool = False) -> Resources:
    """All resources at sparsity s.

    Args:
        n: inputs.
        k: relevant inputs, even.
        s: ones of a neuron, odd.
        eps: the loss is at most 7 eps.
        delta: the failure probability is at most 2 delta.
        printed: the paper's constants: offset 1/16, a precision with kappa_k in the denominator where the lemmas need
            it in the numerator, r' from a lower bound, and samples without the factor 1/eps^2 that the proof carries.
    """
    norm = over_sparse_readout(k, PRINTED_OFFSET if printed else 1.0).norm
    width, log = width_needed(n, k, s, delta), math.log(2 * k / delta)
    good = good_per_bias(n, k, s, width, printed)
    if printed:
        tau = eps / (40 * norm * n * kappa(k) * math.sqrt(math.comb(s, k - 1)) * log)
        samples = gradient_samples(n, width, tau, delta) * eps**2
        sparsity, size = 80 * k * norm**2 * log / eps**2, 4 * math.sqrt(10 * k * log)
    else:
        tau = precision_needed(n, k, s, good, norm, eps)
        samples = gradient_samples(n, width, tau, delta)
        sparsity, size = 4 * k * good * norm**2 / eps**2, feature_norm(k, good)
    readout = (4 * math.sqrt(2) * norm * size + 1) ** 2 * math.log(2 / delta) / eps**2
    steps = _invert_t_over_log(100 / eps**2 * (size + 1 / norm) ** 2)
    return Resources(width, good, norm, tau, max(samples, readout), sparsity, steps)


def precision_needed(n: int, k: int, s: int, good: float, norm: float, eps: float) -> float:
    """tau for which Lemma 11 applies and the features are within eps / B_k of the ideal ones."""
    eta = 1 / (2 * k * abs(over_sparse_signal(k, s).relevant))
    return min(eps / (4 * norm * k * good * n * eta), 1 / (16 * eta * k * n))


class Tradeoff(NamedTuple):
    """One member of the family, up to constants and logarithms."""

    s: int
    width: float
    samples: float
    regime: str


def frontier_family(n: int, k: int) -> list[Tradeoff]:
    """(s, r, m) along both constructions.

    Under-sparse (even s < k): r = (n/k)^s, m = (n/k)^(k-s-1), so r m = (n/k)^(k-1) whatever s.
    Over-sparse (odd s > k): r = (n/s)^k, m = n^2 (s/k)^(k-1), so r m = n^(k+2) / (s k^(k-1)).
    """
    under = [Tradeoff(s, (n / k) ** s, (n / k) ** (k - s - 1), "under-sparse") for s in range(0, k, 2)]
    first = k + 1 + k % 2
    over = [Tradeoff(s, (n / s) ** k, n**2 * (s / k) ** (k - 1), "over-sparse") for s in range(first, n + 1, 2)]
    return under + over


def _invert_t_over_log(target: float) -> float:
    """The T with T / log T = target, by the fixed point T = target log T."""
    t = target
    for _ in range(100):
        t = target * math.log(t)
    return t
