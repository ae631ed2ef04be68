"""From good neurons to the parity, and what Theorem 2 promises (Learning Parities, Lemmas 8 to 14).

After the first step a good neuron is relu6(alpha u t / n + b), t the sum of the relevant bits: a hinge in t with its
kink where u puts it. The parity of k bits is a combination of k + 1 hinges, so enough random u contain all of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats
from glassware.theory.leaky.distributions import LeakyParity
from glassware.theory.leaky.network import Network, relu6


def kinks(k: int) -> Floats:
    """r = -k, -k+2, ..., k."""
    return np.arange(-k, k + 1, 2, dtype=np.float64)


def hinge(r: float, t: Floats, printed: bool = False) -> Floats:
    """phi_r(t) = relu(|r| - sign(r) t). Printed with relu6, which clips it from k = 5 on (its values reach 2k)."""
    value = abs(r) - math.copysign(1.0, r) * t
    return relu6(value) if printed else np.maximum(value, 0.0)


def parity_coefficients(k: int, printed: bool = False) -> Floats:
    """a_r, in the order of ``kinks``, with sum_r a_r phi_r(t) = parity of k bits whose sum is t; k odd.

    Args:
        k: number of bits.
        printed: the coefficients of Lemma 10, which give something else.
    """
    if k < 3 or k % 2 == 0:
        raise GlasswareError(f"the identity holds for odd k >= 3, not for {k}")
    r = kinks(k)
    size = np.abs(r)
    if printed:
        values = np.where(size == k, 1.0, np.where(size == 1, 2.5, 2.0))
        return np.where((k - r) / 2 % 2 == 1, -values, values)
    values = np.where(size == k, 1.5 if k % 4 == 3 else 0.5, 2.0)
    return -np.sign(r) * np.where((k - size) / 2 % 2 == 1, -values, values)


def matching_readin(r: float, n: int, alpha: float, bias: float) -> float:
    """u*(r) = -b n / (alpha r): the initial u for which (|r|/b) relu6(alpha u t / n + b) is phi_r(t)."""
    return -bias * n / (alpha * r)


def matching_probability(r: float, alpha: float, bias: float, eps: float) -> float:
    """Lemma 8: probability b eps / (alpha |r|) that a random u is close enough for an error of eps on |t| <= k."""
    return bias * eps / (alpha * abs(r))


def build_readout(
    network: Network, task: LeakyParity, each: int = 1, margin: float = 1.0, printed: bool = False
) -> Floats:
    """Readout weights (2q,) that compute the parity from a network after the first step.

    For each r the neurons whose slope in t is nearest to -b/r share the weight a_r |r| / b. Only neurons that are
    functions of t alone (weights equal on A, small off A) are considered.

    Args:
        network: after the first step.
        task: the distribution, whose support tells good neurons.
        each: neurons a kink.
        margin: factor on all weights. Exact hinges give outputs +-margin; Lemma 10 lets them be off by margin/2, so a
            margin of at least 1 takes margin 2.
        printed: the coefficients of Lemma 10.
    """
    relevant = np.isin(np.arange(task.n), task.support)
    slope = network.w[:, relevant].mean(axis=1) / math.sqrt(task.n)
    rough = np.abs(network.w[:, relevant] / math.sqrt(task.n) - slope[:, None]).sum(axis=1)
    rough += np.abs(network.w[:, ~relevant]).sum(axis=1) / math.sqrt(task.n)
    unclipped = (network.b > 0) & (network.b * (1 + task.k) <= 6)  # a hinge opens towards its kink and stays below 6
    usable = np.flatnonzero((rough <= 0.05 * np.abs(slope)) & unclipped)
    if len(usable) < each:
        raise GlasswareError(f"only {len(usable)} neurons are functions of the relevant sum; take a larger q")
    readout = np.zeros(len(network.u))
    for r, a in zip(kinks(task.k), parity_coefficients(task.k, printed), strict=True):
        near = usable[np.argsort(np.abs(slope[usable] + network.b[usable] / r))[:each]]
        readout[near] += margin * a * abs(r) / (network.b[near] * each)
    return readout


class Lemma10(NamedTuple):
    """What Lemma 10 needs for a readout that separates."""

    eps: float  # accuracy of a hinge
    probability: float  # that a neuron is one, for a given kink
    neurons: float  # q


def lemma10(k: int, delta: float) -> Lemma10:
    """eps = 1/10k, p = 1/(1120 k^3.5), q = 2 (1120)^2 k^7 log((k+1)/delta)."""
    return Lemma10(1 / (10 * k), 1 / (1120 * k**3.5), 2 * 1120**2 * k**7 * math.log((k + 1) / delta))


def theorem2_bound(k: int, q: float, n: float, steps: float, constant: float = 1.0) -> float:
    """The promised error of the best iterate, up to a constant: k^10/q + k^8/sqrt(q) + q k/sqrt(n) + k^2 sqrt(q)/T."""
    return constant * (k**10 / q + k**8 / math.sqrt(q) + q * k / math.sqrt(n) + k**2 * math.sqrt(q) / steps)


class Drift(NamedTuple):
    """Bounds on |u|, on how far w moved (2-norm of a neuron) and on how far b moved since the first step."""

    u: float
    w: float
    b: float


def drift_bounds(t: int, eta: float, lam: float, n: int, k: int, printed: bool = False) -> Drift:
    """Lemma 13: how far anything can be after step t of rate eta and regularisation lam, the big step being step 1.

    Args:
        t: steps.
        eta: rate.
        lam: regularisation.
        n: inputs.
        k: relevant inputs.
        printed: the bound on w as displayed, in which a lost plus sign multiplies two of its terms.
    """
    quadratic, linear, decay = 6 * eta**2 * t**2, eta * t * k / math.sqrt(n), 2 * eta * t * lam * n / k
    w = quadratic + linear * decay * t if printed else quadratic + linear + decay
    return Drift(6 * eta * t + k / math.sqrt(n), w, quadratic + linear)


def online_bound(losses_at_best: Floats, best: Floats, start: Floats, norms: Floats, eta: float) -> float:
    """Theorem 11: what the mean loss of online descent cannot exceed.

    Args:
        losses_at_best: f_t(theta*) of every round.
        best: theta*.
        start: theta_1.
        norms: sizes of the gradients met.
        eta: rate.
    """
    rounds = len(norms)
    regret = best @ best / (2 * eta * rounds) + np.linalg.norm(start) * np.mean(norms) + eta * np.mean(norms**2)
    return float(np.mean(losses_at_best) + regret)
