"""What a sparsely initialised ReLU neuron sees of a parity before training: its population gradient, in closed form.

For a neuron relu(<w, x> + b) and the label chi_S, xi_i = E[1[<w, x> + b > 0] x_i chi_S(x)]. The hinge loss of a network
whose output is 0 has the gradient -u xi, so xi is the direction the neuron moves in at the first step.
(Pareto Frontiers, Lemmas 8, 9 and 18 to 20.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats, chi, cube
from glassware.theory.half import half, level_weight_limit, majority


@cache
def gate_coefficient(s: int, level: int, bias: float = 0.0) -> float:
    """Fourier coefficient of 1[x_1 + ... + x_s + bias > 0] on sets of ``level`` coordinates, by counting."""
    total = 0
    for inside in range(level + 1):  # coordinates of the set that are -1
        for outside in range(s - level + 1):
            if s - 2 * (inside + outside) + bias > 0:
                total += (-1) ** inside * math.comb(level, inside) * math.comb(s - level, outside)
    return total / 2**s


def sparse_gradient(n: int, support: Iterable[int], ones: Iterable[int], bias: float = 0.0) -> Floats:
    """xi (n,) of a neuron whose weights are 1 on ``ones`` and 0 elsewhere, any number of ones, any bias.

    The gate depends on ``ones`` alone, so coordinate i gets a signal only if S with i added or removed lies inside.
    """
    relevant, active = set(support), frozenset(ones)
    gradient = np.zeros(n)
    for i in range(n):
        left = relevant ^ {i}
        if left <= active:
            gradient[i] = gate_coefficient(len(active), len(left), bias)
    return gradient


def perturbed_gradient(n: int, support: Iterable[int], ones: Iterable[int]) -> Floats:
    """xi (n,) of a neuron whose weights are 1 on ``ones`` and a small eps < 1/(n - s) elsewhere; s < k, both even.

    The ones decide the gate unless they cancel (Half of s bits); then all other coordinates vote (Majority of n - s).
    A bias smaller than eps changes nothing: it decides ties of the vote alone, which odd levels do not see.
    """
    relevant, active = set(support), set(ones)
    s, k = len(active), len(relevant)
    if not s < k or s % 2 or k % 2:
        raise GlasswareError(f"the closed form holds for s < k, both even, not for s = {s}, k = {k}")
    gradient = np.zeros(n)
    for i in range(n):
        left = relevant ^ {i}
        gradient[i] = half(s, len(left & active)) * majority(n - s, len(left - active)) / 2
    return gradient


def enumerated_gradient(weights: Floats, bias: float, support: Iterable[int]) -> Floats:
    """xi (n,) by its definition, over all 2**n inputs. Sums are rounded so that ties are exact."""
    x = cube(len(weights))
    gate = np.round(x @ weights + bias, 9) > 0
    return np.mean(gate[:, None] * x * chi(x, support)[:, None], axis=0)


class Signal(NamedTuple):
    """The two values in a good neuron's gradient."""

    relevant: float
    irrelevant: float

    @property
    def ratio(self) -> float:
        """|relevant / irrelevant|."""
        return abs(self.relevant / self.irrelevant)


def over_sparse_signal(k: int, s: int) -> Signal:
    """C and c of Lemma 8: what a neuron with S among its s ones gets on S and on its other ones; k even, s odd."""
    return Signal(majority(s, k - 1) / 2, majority(s, k + 1) / 2)


def under_sparse_signal(n: int, k: int, s: int) -> Signal:
    """What a neuron with its s ones inside S gets on the rest of S and outside of S (Lemma 20); s < k, both even."""
    return Signal(half(s, s) * majority(n - s, k - s - 1) / 2, half(s, s) * majority(n - s, k - s + 1) / 2)


def over_sparse_ratio(k: int, s: int) -> float:
    """|C / c| = (s - k) / (k - 1), exactly."""
    return (s - k) / (k - 1)


def over_sparse_ratio_bound(k: int, s: int, printed: bool = False) -> float:
    """The bound on |c / C| in the proof of Lemma 8.

    Args:
        k: relevant coordinates.
        s: ones of the neuron.
        printed: the ratio with its binomials upside down, as displayed; it exceeds 1 and bounds nothing.
    """
    up, down = math.comb(s, k - 1), math.comb(s, k + 1)
    return math.sqrt(2 * (down / up if printed else up / down))


def under_sparse_ratio(n: int, k: int, s: int, printed: bool = False) -> float:
    """|xi_S / xi_N| = (n - k) / (k - s - 1) for odd n - s, and one more in the numerator for even n - s.

    Args:
        n: inputs.
        k: relevant coordinates.
        s: ones of the neuron.
        printed: the ratio of Theorem 21's proof, with n - s in place of n - k.
    """
    votes = n - s + (n - s + 1) % 2  # an even number of votes has the odd levels of the next larger number
    return (n - s if printed else votes + s - k) / (k - s - 1)


def signal_floor(k: int, s: int) -> float:
    """Lower bound on |C|: kappa_k / sqrt(C(s, k - 1)) with kappa_k = sqrt(rho(k - 1)) / 2 (Lemma 8)."""
    return kappa(k) / math.sqrt(math.comb(s, k - 1))


def kappa(k: int) -> float:
    """The constant of Lemma 8 that depends on k alone."""
    return math.sqrt(level_weight_limit(k - 1)) / 2
