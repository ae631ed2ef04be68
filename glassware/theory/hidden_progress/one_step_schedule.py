"""Widths, batches and times for which one large step and a convex phase learn a parity (Hidden Progress, Theorem 10).

Every quantity has the form that its proof needs. ``printed`` gives the paper's form, which drops squares of the
majority coefficient, a factor in Hoeffding's inequality, one neuron of the read-out and constants of the time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats
from glassware.theory.hidden_progress.majority import coefficient_ratio, majority_coefficient


@dataclass(frozen=True)
class Theorem10:
    """The theorem's parameters for an (n, k)-parity and expected loss eps.

    Attributes:
        inner_eps: share of inputs on which a neuron of the read-out may be off, times k.
        inner_delta: probability that the initialisation or the first step fails.
        tau: error allowed in each entry of the first gradient.
        width: neurons, an even number.
        batch: examples of the first step.
        steps: all steps, including the first.
        smallest_n: the least odd n for which the irrelevant weights are small enough.
        first_rate: learning rate of the first step.
        readout_rate: learning rate of the second layer afterwards.
        relevant_slack: how far relevant weights may be from 1 / (2k) after the first step.
        irrelevant_bound: how large irrelevant weights may be after the first step.
    """

    n: int
    k: int
    eps: float
    inner_eps: float
    inner_delta: float
    tau: float
    width: int
    batch: int
    steps: int
    smallest_n: int
    first_rate: float
    readout_rate: float
    relevant_slack: float
    irrelevant_bound: float


def first_rate(n: int, k: int) -> float:
    """The learning rate 1 / (k |xi_{k-1}|) that takes relevant weights to 1 / (2k) in one step."""
    coefficient_ratio(n, k)
    return 1.0 / (k * abs(majority_coefficient(n, k - 1)))


def readout_rate(n: int, k: int, width: int, steps: int) -> float:
    """The learning rate of the second layer, 4 k^(3/2) / (n sqrt(r (T - 1)))."""
    return 4.0 * k**1.5 / (n * math.sqrt(width * (steps - 1)))


def bias_levels(k: int) -> tuple[float, ...]:
    """The values first-layer biases are drawn from: the 2k - 1 numbers -1 + i / k between -1 and 1."""
    return tuple(-1.0 + i / k for i in range(1, 2 * k))


def exact_irrelevant(n: int, k: int) -> float:
    """Size of every irrelevant weight after a step on the exact gradient: 1 / (2k) times (k - 1) / (n - k)."""
    return 1.0 / (2 * k * coefficient_ratio(n, k))


def neuron_chance(k: int, printed: bool = False) -> float:
    """Probability that a pair of neurons can play a given neuron of the read-out: equal weights on S, the right bias.

    There are 2k - 1 biases; the paper counts half as many.
    """
    return 2.0 ** -(k - 1) / (k if printed else 2 * k - 1)


def _smallest_odd(factor: float, inside: float) -> int:
    """The least odd n above which n >= factor ln(inside n)."""
    n = factor
    for _ in range(200):  # a contraction by factor / n < 1/2: converges in far fewer rounds
        n = factor * math.log(inside * n)
    odd = math.ceil(n)
    return odd if odd % 2 else odd + 1


def theorem10(
    n: int, k: int, eps: float, printed: bool = False, constants: tuple[float, float] = (1.0, 1.0)
) -> Theorem10:
    """All parameters of the theorem for even k and odd n.

    Args:
        n: coordinates; below ``smallest_n`` the theorem says nothing, but the algorithm still runs.
        k: size of the parity.
        eps: the expected loss wanted.
        printed: the paper's formulas instead of the corrected ones.
        constants: c_1 and c_2 of Lemma 1, which the printed formulas use and the paper leaves open.
    """
    if not 0.0 < eps < 0.5:
        raise GlasswareError(f"eps is {eps}; the theorem takes a loss between 0 and 1/2")
    ratio = coefficient_ratio(n, k)
    xi, (c1, c2) = abs(majority_coefficient(n, k - 1)), constants
    inner_eps, inner_delta = eps / (64 * k**2 * n), eps / 8
    logarithm = math.log(2 * k / inner_eps)
    tau = xi / ((16 if printed else 32) * k * math.sqrt(2 * n * logarithm))
    neurons = k * 2.0**k * math.log(k / inner_delta) if printed else 2 * k * 2.0**k * math.log((k + 1) / inner_delta)
    width = 2 * math.ceil(neurons / 2)
    union = math.log(4 * n * width / inner_delta)
    if printed:
        batch = math.ceil(2**8 * k ** (7 / 6) * n * math.comb(n, k - 1) * logarithm * union / c1)
        steps = math.ceil(2**9 * k**3 * width * n**2 / eps**2)
        factor = 2**11 * k**4 * c2**2 / c1**2
    else:
        batch = math.ceil(2.0 / tau**2 * union)
        steps = math.ceil(2**12 * k**3 * width * n**2 / eps**2) + 1
        factor = 128.0 * k**4
    return Theorem10(
        n=n,
        k=k,
        eps=eps,
        inner_eps=inner_eps,
        inner_delta=inner_delta,
        tau=tau,
        width=width,
        batch=batch,
        steps=steps,
        smallest_n=_smallest_odd(factor, 128 * k**3 / eps),
        first_rate=first_rate(n, k),
        readout_rate=readout_rate(n, k, width, steps),
        relevant_slack=tau / xi,
        irrelevant_bound=(1.0 / ratio + 2.0 * tau / xi) / (2 * k),
    )


def parity_readout(k: int, printed: bool = False) -> tuple[Floats, Floats]:
    """Biases and second-layer weights of ReLU neurons, weights 1 / (2k) on S, whose sum is 2 chi_S (Claim 5, k even).

    It takes k + 1 neurons. The paper prints k of them, with opposite signs; no choice of weights makes k suffice.
    """
    if k < 2 or k % 2:
        raise GlasswareError(f"k is {k}; the read-out is built for even k")
    i = np.arange(k + 1, dtype=np.float64)
    u = 8.0 * k * (-1.0) ** i
    u[k - 1 :] = -6.0 * k, 2.0 * k
    biases = -0.5 + (i + 1) / k
    return (biases[1:], -u[1:]) if printed else (biases, u)
