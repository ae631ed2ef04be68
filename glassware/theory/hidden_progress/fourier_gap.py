"""The Fourier gap: relevant coordinates stand out in the first gradient (Hidden Progress, section 4).

The gradient of a relevant weight is a coefficient one level below S, that of an irrelevant weight one level above.
If the lower level is larger, the largest entries of one gradient are S.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats, index, walsh_hadamard
from glassware.theory.half import log_binomial
from glassware.theory.hidden_progress.gradients import relevant
from glassware.theory.hidden_progress.majority import coefficient_ratio, majority_coefficient


def _below(spectrum: Floats, support: Sequence[int]) -> float:
    """The smallest absolute coefficient at S without one of its coordinates."""
    return min(abs(spectrum[index(set(support) - {j})]) for j in support)


def gap_two_sided(values: Floats, support: Sequence[int]) -> float:
    """The paper's gap (Definition 1): the largest gamma that bounds both levels, or 0 where there is none.

    Every coefficient just below S must be at least gamma, and every coefficient of size k + 1, anywhere, at most
    gamma / 2.
    """
    spectrum = walsh_hadamard(values)
    n = len(values).bit_length() - 1
    low = _below(spectrum, support)
    high = max((abs(spectrum[index(T)]) for T in combinations(range(n), len(support) + 1)), default=0.0)
    return float(low) if high <= low / 2 else 0.0


def gap_difference(values: Floats, support: Sequence[int]) -> float:
    """The dissertation's gap (Definition 5.4): smallest coefficient just below S minus the largest just above it."""
    spectrum = walsh_hadamard(values)
    n = len(values).bit_length() - 1
    outside = [j for j in range(n) if j not in set(support)]
    high = max((abs(spectrum[index({*support, j})]) for j in outside), default=0.0)
    return float(_below(spectrum, support) - high)


def gradient_gap(gradient: Floats, support: Sequence[int]) -> Floats:
    """Gamma: largest absolute relevant entry minus largest irrelevant one. Gradients are (..., n).

    Positive means that one relevant coordinate stands out, which is less than all of them.
    """
    size, mask = np.abs(gradient), relevant(np.shape(gradient)[-1], support)
    return size[..., mask].max(-1) - size[..., ~mask].max(-1)


def gradient_gap_all(gradient: Floats, support: Sequence[int]) -> Floats:
    """The same with the smallest relevant entry: positive means that all of S stands out."""
    size, mask = np.abs(gradient), relevant(np.shape(gradient)[-1], support)
    return size[..., mask].min(-1) - size[..., ~mask].max(-1)


def majority_gap(n: int, k: int, printed: bool = False) -> float:
    """The difference gap of majority at any S of even size k: |xi_{k-1}| - |xi_{k+1}|.

    The threshold function of a ReLU neuron, and hence its gradient, has half this gap. The dissertation's Lemma B.2
    prints (k - 1)/2 for (k - 2)/2 in the upper binomial of xi_{k-1}; ``printed`` gives that form.
    """
    coefficient_ratio(n, k)
    low, high = abs(majority_coefficient(n, k - 1)), abs(majority_coefficient(n, k + 1))
    if printed:
        half = (n - 1) / 2
        low *= math.exp(log_binomial(half, (k - 1) / 2) - log_binomial(half, (k - 2) / 2))
    return low - high


def majority_gap_bound(n: int, k: int) -> float:
    """A lower bound on the majority gap for even k and n >= 4k (dissertation, Lemma B.2); up to 400 times too small."""
    coefficient_ratio(n, k)
    if n < 4 * k:
        raise GlasswareError(f"n is {n}; the bound holds from n = 4k = {4 * k} on")
    return 0.03 * (n - 1) ** (-(k - 1) / 2)


def majority_two_sided_holds(n: int, k: int) -> bool:
    """Whether the threshold function of majority has the paper's gap |xi_{k-1}| / 2: exactly from n = 3k - 2 on."""
    return coefficient_ratio(n, k) >= 2.0


def recover_by_threshold(gradient: Floats, gamma: float) -> list[int]:
    """S from a gradient within gamma / 4 of the population's, for a two-sided gap gamma (Proposition 5)."""
    return [int(i) for i in np.flatnonzero(np.abs(gradient) >= 0.75 * gamma)]


def recover_largest(gradient: Floats, k: int) -> list[int]:
    """S from a gradient strictly within gamma / 2 of the population's, for a difference gap gamma (B.7): the top k."""
    return sorted(int(i) for i in np.argsort(-np.abs(gradient), kind="stable")[:k])


def recovery_samples(gamma: float, n: int, failure: float, printed: bool = False) -> int:
    """Examples for all n entries of the mean gradient to be within gamma / 2, except with probability ``failure``.

    Hoeffding's inequality for entries in [-1, 1], and a union bound over coordinates. The paper's O(1 / gamma^2) has no
    logarithm of n; ``printed`` leaves it out, which is too few as n grows.
    """
    return math.ceil(8.0 / gamma**2 * (1.0 if printed else math.log(2 * n / failure)))
