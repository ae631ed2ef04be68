"""Theorem 5 (21) of Pareto Frontiers: one truncated step turns a neuron whose ones lie inside S into the sum over S.

s < k, both even. Weights start at 1 on s coordinates and eps elsewhere, biases at odd multiples of eps / 2k. One step
keeps eps/2k on the ones, lifts the missing coordinates of S to the same height and leaves eps^2/2k elsewhere. Then k
neurons with the k different biases compute the parity. Steps on samples are runs: see the study
``theory/under-sparse``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats
from glassware.theory.pareto.sparse_gradients import perturbed_gradient, under_sparse_signal


class Step(NamedTuple):
    """Hyperparameters of the one step, for first-layer weights; nothing else moves."""

    eta: float
    keep: float  # 1 - lambda
    gamma: float  # gradients of this size or less are set to 0


def step(n: int, k: int, s: int, eps: float, printed: bool = False) -> Step:
    """The step of Theorem 21.

    Args:
        n: inputs.
        k: relevant inputs.
        s: ones of a neuron.
        eps: the other weights, below 1/(n - s).
        printed: the paper's negative step size, which moves the neuron away from S, and its threshold at |xi_N|
            itself, which sampling noise passes. Corrected: a positive size and a threshold halfway to |xi_S|.
    """
    if not 0 < eps < 1 / (n - s):
        raise GlasswareError(f"eps must lie between 0 and 1/(n - s) = {1 / (n - s):.4g}, not {eps}")
    signal = under_sparse_signal(n, k, s)
    size = eps / (2 * k * abs(signal.relevant))
    halfway = (abs(signal.relevant) + abs(signal.irrelevant)) / 2
    # Halfway, |xi_N| itself is below the threshold; at |xi_N| a rounding error could lift it over.
    return Step(-size if printed else size, eps / (2 * k), abs(signal.irrelevant) if printed else halfway)


def precision_claimed(n: int, k: int, s: int, printed: bool = False) -> float:
    """How exact the gradients must be: half the gap between |xi_S| and |xi_N|.

    Args:
        n: inputs.
        k: relevant inputs.
        s: ones of a neuron.
        printed: |xi_N| / 2, smaller by a factor of order n than the order (n - s)^(-(k-s-1)/2) given beside it.
    """
    signal = under_sparse_signal(n, k, s)
    if printed:
        return abs(signal.irrelevant) / 2
    return (abs(signal.relevant) - abs(signal.irrelevant)) / 2


def bias_levels(k: int, eps: float) -> Floats:
    """The k biases eps (2t - k + 1) / 2k, t = 0 .. k-1."""
    return eps * (2 * np.arange(k) - k + 1) / (2 * k)


def bias_probability(k: int, printed: bool = False) -> float:
    """Chance of one given bias: 1/k. Printed: 1/(k + 1), though there are k levels and k neurons suffice."""
    return 1 / (k + 1 if printed else k)


def stepped_weight(k: int, eps: float, missing: bool, relevant: bool, printed: bool = False) -> float:
    """A weight after the population step: on a missing coordinate of S, on one of the ones, or off S.

    Args:
        k: relevant inputs.
        eps: the small weights.
        missing: the coordinate was not among the ones.
        relevant: it belongs to S.
        printed: the paper's eps^2/k off S; the step gives half of it.
    """
    if not relevant:
        return eps * eps / (k if printed else 2 * k)
    return eps / (2 * k) + (eps * eps / (2 * k) if missing and not printed else 0.0)


def truncate(gradient: Floats, gamma: float) -> Floats:
    """Entries of magnitude gamma or less become 0, the others stay."""
    return np.where(np.abs(gradient) > gamma, gradient, 0.0)


def apply_step(ones: Floats, xi: Floats, eps: float, rule: Step, sign: float) -> Floats:
    """Weights (r, n) after the step, for the copies whose outgoing weight is ``sign``: the gradient is -sign xi."""
    initial = np.where(ones == 1, 1.0, eps)
    return rule.keep * initial - rule.eta * truncate(-sign * xi, rule.gamma)


def population_step(
    n: int, support: tuple[int, ...], ones: tuple[int, ...], eps: float, printed: bool = False
) -> Floats:
    """Weights (n,) of the copy with outgoing weight sign(xi_S), after the step on the whole distribution."""
    k, s = len(support), len(ones)
    row = np.isin(np.arange(n), ones).astype(np.float64)[None]
    xi = perturbed_gradient(n, support, ones)[None]
    rule = step(n, k, s, eps, printed)
    if printed:
        rule = rule._replace(gamma=rule.gamma * (1 + 1e-9))  # |xi_N| is to be cut off, whatever its last digit
    return apply_step(row, xi, eps, rule, np.sign(under_sparse_signal(n, k, s).relevant))[0]


def readout(k: int) -> Floats:
    """a_t of parity = 1 + sum_t a_t relu(sum_S x + k - 1 - 2t), t = 0 .. k-1; exact for even k."""
    t = np.arange(k)
    return np.where(t % 2, 1.0, -1.0) * (4 * t + 2)


def subnetwork(w: Floats, k: int, eps: float, x: Floats) -> Floats:
    """Outputs (batch,) of k neurons with weights w (k, n), the k biases and the exact readout."""
    biases = bias_levels(k, eps)[::-1]  # t = 0 has the largest bias
    hidden = np.maximum(x @ w.T + biases, 0.0)
    return 1.0 + hidden @ (readout(k) * 2 * k / eps)
