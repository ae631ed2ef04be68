"""The first gradient step on the whole distribution D_A, in closed form for any n (Learning Parities, Lemmas 3 to 7).

At g = 0 the hinge derivative is -y, so w_i = u_i E[y x gate], u_i = E[y relu6], b_i moves by u_i E[y gate]. With
weights in {-1, 0, 1} these are expectations over sums of signs. A neuron is good if its weights on A cancel: then the
step leaves exactly 0 off A, an unchanged bias, and about u_i / (4 sqrt(n)) on A.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from glassware.theory.boolean import Floats
from glassware.theory.leaky.distributions import Bools, LeakyParity
from glassware.theory.leaky.network import Network, gate, relu6


@cache
def _binomial(count: int) -> Floats:
    """Probabilities of 0 .. count minus signs among ``count`` fair ones; exact integers until the last division."""
    whole, chosen, shares = 2**count, 1, np.empty(count + 1)
    for j in range(count // 2 + 1):
        shares[j] = shares[count - j] = chosen / whole
        chosen = chosen * (count - j) // (j + 1)
    return shares


@cache
def coefficient(count: int, level: int, shift: int, n: int, bias: float, value: bool) -> float:
    """E[f(shift + z_1 + ... + z_count) z_1 ... z_level], f(t) the gate, or relu6, of t / sqrt(n) + bias."""
    function, total = (relu6 if value else gate), 0.0
    rest = count - level
    sums = shift + rest - 2.0 * np.arange(rest + 1)
    for minus in range(level + 1):
        t = (sums + level - 2 * minus) / math.sqrt(n) + bias
        mean = float(np.dot(_binomial(rest), function(np.asarray(t, np.float64))))
        total += (-1) ** minus * math.comb(level, minus) / 2**level * mean
    return total


def good_neurons(w: Floats, support: tuple[int, ...]) -> Bools:
    """Which neurons have weights that cancel on A."""
    return np.asarray(w[:, list(support)].sum(axis=1) == 0)


def good_probability(k: int) -> float:
    """Probability that k weights from {-1, 0, 1} cancel; about sqrt(3 / (4 pi k))."""
    return sum(math.comb(k, 2 * a) * math.comb(2 * a, a) for a in range(k // 2 + 1)) / 3**k


def good_probability_bound(k: int) -> float:
    """The paper's lower bound, 1 / (6 sqrt(k))."""
    return 1 / (6 * math.sqrt(k))


def neuron_step(row: Floats, bias: float, task: LeakyParity) -> tuple[Floats, float, float]:
    """(E[y z gate] (n,), E[y gate], E[y relu6]) of one neuron with weights in {-1, 0, 1}, for odd and even k."""
    n, k, relevant = task.n, task.k, np.array(task.support)
    mask = np.isin(np.arange(n), relevant)
    inner, outer = row[relevant], row[~mask]
    active, outside, total = int(np.sum(row != 0)), int(np.sum(outer != 0)), int(inner.sum())

    def uniform(level: int, value: bool = False) -> float:
        return coefficient(active, level, 0, n, bias, value)

    def leaky(level: int, shift: int, value: bool = False) -> float:
        return coefficient(outside, level, shift, n, bias, value)

    # D1: y z_j is the character of A without j, or A with j; the gate sees it if it has a weight on all of these bits.
    zeros, direction, mean, output = relevant[inner == 0], np.zeros(n), 0.0, 0.0
    if not len(zeros):
        sign = float(np.prod(inner))
        direction[relevant] = sign * inner * uniform(k - 1)
        if outside:
            direction[~mask] = sign * outer * uniform(k + 1)
        mean, output = sign * uniform(k), sign * uniform(k, True)
    elif len(zeros) == 1:
        direction[zeros] = float(np.prod(inner[inner != 0])) * uniform(k - 1)

    # D2: the relevant bits all equal one sign, which shifts the sum by +total or -total. The label is that sign to the
    # power k: the sign itself for odd k, always + for even k. So y times the sign is + for odd k, the sign for even k.
    def over_signs(level: int, times_sign: bool, value: bool = False) -> float:
        plus, minus = leaky(level, total, value), leaky(level, -total, value)
        return (plus - minus) / 2 if times_sign else (plus + minus) / 2

    odd, tilted = k % 2 == 1, np.zeros(n)
    tilted[relevant] = over_signs(0, not odd)
    if outside:
        tilted[~mask] = outer * over_signs(1, odd)
    p = task.leak
    return (
        (1 - p) * direction + p * tilted,
        (1 - p) * mean + p * over_signs(0, odd),
        (1 - p) * output + p * over_signs(0, odd, value=True),
    )


def population_step(network: Network, task: LeakyParity, printed: bool = False) -> Network:
    """The big first step without sampling. Needs the corrected pairing (g = 0).

    Args:
        network: as initialised.
        task: the distribution.
        printed: the signs of the paper's displays, -u E[...]: gradient ascent.
    """
    q = len(network.u) // 2
    parts = [neuron_step(row, float(b), task) for row, b in zip(network.w[:q], network.b[:q], strict=True)]
    direction = np.tile(np.array([d for d, _, _ in parts]), (2, 1)) / math.sqrt(task.n)
    mean, output = (np.tile([part[i] for part in parts], 2) for i in (1, 2))
    sign = -1.0 if printed else 1.0
    w = sign * network.u[:, None] * direction
    return Network(w, network.b + sign * network.u * mean, sign * output)


def alpha(n: int, k: int, active: int, bias: float, printed: bool = False) -> float:
    """sqrt(n) w_j / u on A after the step, for a good neuron with ``active`` non-zero weights off A.

    Half the probability that 0 < S / sqrt(n) + bias < 6, S a sum of ``active`` signs: half, because y z_j is 1 on the
    leaking half of the mixture only. (A neuron with a single zero on A has a small extra term there.)

    Args:
        n: inputs.
        k: relevant inputs.
        active: non-zero weights off A.
        bias: of the neuron.
        printed: the paper's value: phi, the probability of a slightly smaller window, not halved.
    """
    if printed:
        edge = k / math.sqrt(n)
        t = (active - 2 * np.arange(active + 1)) / math.sqrt(n) + bias
        return float(_binomial(active) @ ((t > edge) & (t < 6 - edge)))
    return coefficient(active, 0, 0, n, bias, False) / 2


def measured_alpha(stepped: Network, start: Network, task: LeakyParity) -> Floats:
    """sqrt(n) w_ij / u_i (2q, n) after a step: alpha on A, noise off A."""
    return math.sqrt(task.n) * stepped.w / start.u[:, None]


def irrelevant_mean(n: int, k: int, bias: float) -> float:
    """E over w of |E_D1[y z_j gate]| for j off A, exactly: only neurons with weights on all of A and j contribute."""
    total = 0.0
    for more in range(n - k):
        chance = math.comb(n - k - 1, more) * 2**more / 3 ** (n - k - 1)
        total += chance * abs(coefficient(k + 1 + more, k + 1, 0, n, bias, False))
    return (2 / 3) ** (k + 1) * total


def irrelevant_bound(n: int, k: int) -> float:
    """Lemma 3: the same is at most C(n-1, k)^(-1/2)."""
    return 1 / math.sqrt(math.comb(n - 1, k))


def noise_to_gap(n: int, m: int) -> float:
    """Noise of a sampled first step over the gap between the values of the relevant sum, about 1.4 sqrt(n/m)."""
    return 1.4 * math.sqrt(n / m)
