"""Luck in numbers: how likely a random sparse neuron is to be a lottery ticket, and how many of them a width buys.

A neuron with s ones is *good* if its ones contain S (s >= k, Pareto Frontiers, Lemma 7) or lie inside S (s <= k,
Theorem 21). It is *lucky* if its very first population gradient points at a coordinate of S (no eps elsewhere, small
bias): that needs all of S but one coordinate among the ones.
"""

from __future__ import annotations

import math

from glassware.foundation.errors import GlasswareError


def good_probability(n: int, k: int, s: int) -> float:
    """Probability that s ones placed at random contain S, or lie inside it when s < k."""
    _check(n, k, s)
    favourable = math.comb(n - k, s - k) if s >= k else math.comb(k, s)
    return favourable / math.comb(n, s)


def good_probability_bound(n: int, k: int, s: int) -> float:
    """Lemma 7: (s / 2n)^k, below the probability that s ones contain S."""
    return (s / (2 * n)) ** k


def lucky_probability(n: int, k: int, s: int) -> float:
    """Probability that a neuron's first population gradient is not 0, for biases smaller than any sum of its ones.

    Its ones must miss at most one coordinate of S. An odd number of ones and an odd k leave no signal at all: Majority
    of an odd number of bits has no even levels. Two ones suffice for k = 3: when they cancel, the bias decides
    the gate, and whether they cancel depends on both bits.
    """
    _check(n, k, s)
    if s % 2 and k % 2:
        return 0.0
    whole = math.comb(n - k, s - k) if s >= k else 0
    all_but_one = k * math.comb(n - k, s - k + 1) if s >= k - 1 else 0
    return (whole + all_but_one) / math.comb(n, s)


def expected_neurons(probability: float, width: int) -> float:
    """Expected number of such neurons in a network."""
    return probability * width


def chance_of_any(probability: float, width: int) -> float:
    """Probability that a network has at least one: the luck that width buys."""
    return -math.expm1(width * math.log1p(-probability)) if probability < 1 else 1.0


def width_threshold(probability: float, expected: float = 1.0) -> float:
    """Width at which this many are expected. Lucky two-hot neurons for k = 3: n (n - 1) / 6."""
    return expected / probability if probability > 0 else math.inf


def width_needed(n: int, k: int, s: int, delta: float) -> int:
    """Lemma 15: at width 20 k (2n/s)^k log(2k/delta) every bias has good neurons, except with probability delta."""
    return math.ceil(20 * k * (2 * n / s) ** k * math.log(2 * k / delta))


def good_per_bias(n: int, k: int, s: int, width: int, printed: bool = False) -> float:
    """r': expected number of good neurons with one given bias, among width/2 neurons and k/2 biases.

    Args:
        n: inputs.
        k: relevant coordinates.
        s: ones of a neuron, s >= k.
        width: r, both copies counted.
        printed: Lemma 15's value, from the lower bound on the probability. The true number can be 2**(k+1) times as
            large, so "at most 2 r'" fails.
    """
    if printed:
        return width / (2 * k) * good_probability_bound(n, k, s)
    return width / k * good_probability(n, k, s)


def bad_start_bound(expected: float, k: int) -> float:
    """Chernoff's bound on the probability that some bias has fewer than r'/2 or more than 2 r' good neurons.

    Lemma 15's proof prints the two events with their inequality signs swapped; those events are certain.

    Args:
        expected: r'.
        k: relevant coordinates; there are k/2 biases.
    """
    return min(1.0, k / 2 * (math.exp(-expected / 8) + math.exp(-expected / 3)))


def _check(n: int, k: int, s: int) -> None:
    if not (0 < k <= n and 0 < s <= n):
        raise GlasswareError(f"needs 0 < k <= n and 0 < s <= n, not n = {n}, k = {k}, s = {s}")
