"""Pareto Frontiers, Proposition 3: parameters x steps x data x luck, and what it implies for one cell of a sweep.

A gradient coordinate sees little of most parities: averaged over the supports S, its squared correlation with chi_S is
at most 1 / C(n, k) (Parseval). So for some S every coordinate of T target-free gradients is tau-close to the true one
except with probability delta, and noise of size tau can hide the target altogether.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats, walsh_hadamard


class Frontier(NamedTuple):
    """The two sides of the bound: learning is impossible for some support when spent <= needed."""

    spent: float
    needed: float

    @property
    def impossible(self) -> bool:
        """Whether the resources stay below the bound."""
        return self.spent <= self.needed

    @property
    def margin(self) -> float:
        """log10(spent / needed): negative inside the impossible region."""
        return math.log10(self.spent / self.needed) if math.isfinite(self.spent) else math.inf


def parameters(n: int, width: int) -> int:
    """Trainable parameters of the two-layer network with biases. The proposition's r counts these, not neurons."""
    return width * (n + 2) + 1


def frontier(n: int, k: int, count: int, steps: int, tau: float, delta: float, printed: bool = False) -> Frontier:
    """P T / (tau^2 delta) against a fraction of C(n, k).

    Args:
        n: inputs.
        k: relevant inputs.
        count: P, the number of parameters.
        steps: T.
        tau: gradient precision; 0 for exact gradients.
        delta: probability, over initial weights, that the gradients reveal the target.
        printed: the paper's fraction 1/2. Markov's inequality at level tau/2 (sampling takes up the other half of tau)
            gives 1/4; with 1/2 the target is revealed with probability up to 2 delta.
    """
    if not (0 < k <= n and count > 0 and steps > 0 and tau >= 0 and 0 <= delta <= 1):
        raise GlasswareError(
            f"no such cell: n={n}, k={k}, parameters={count}, steps={steps}, tau={tau}, delta={delta}; "
            "needs 0 < k <= n, positive parameters and steps, tau >= 0 and delta between 0 and 1"
        )
    scale = tau * tau * delta
    return Frontier(count * steps / scale if scale > 0 else math.inf, math.comb(n, k) / (2 if printed else 4))


def chance_of_a_trace(n: int, k: int, count: int, steps: int, tau: float) -> float:
    """Markov's bound on the probability that some gradient coordinate reveals the target by more than tau/2."""
    return min(1.0, 4 * count * steps / (math.comb(n, k) * tau * tau)) if tau > 0 else 1.0


def cell_luck(n: int, k: int, m: float, width: int, steps: int, printed: bool = False) -> float:
    """The largest success probability that the bound allows a cell, for the hardest support; 1 is no restriction.

    Data enter as precision tau = 1/sqrt(m); a cell with fresh examples (m = inf) has exact gradients in the limit.
    """
    exact = frontier(n, k, parameters(n, width), steps, 1 / math.sqrt(m), 1.0, printed)
    return min(1.0, exact.spent / exact.needed)


def cell_margin(n: int, k: int, m: float, width: int, steps: int, success: float, printed: bool = False) -> float:
    """log10 of spent over needed for a cell with this success rate: how many decades it lies above the bound."""
    return frontier(n, k, parameters(n, width), steps, 1 / math.sqrt(m), success, printed).margin


def cell_verdict(n: int, k: int, m: float, width: int, steps: int, success: float, printed: bool = False) -> str:
    """What the bound says about a cell.

    ``silent``: any success rate is allowed. ``agrees``: the rate is limited and stays within the limit, or no run
    succeeded. ``contradicts``: the cell succeeded where the bound forbids it.
    """
    if cell_luck(n, k, m, width, steps, printed) >= 1:
        return "silent"
    if success > 0 and cell_margin(n, k, m, width, steps, success, printed) <= 0:
        return "contradicts"
    return "agrees"


def mean_square_correlation(values: Floats, k: int) -> float:
    """Average over all S of k coordinates of E[chi_S g]^2, for a function g on the cube given by its 2**n values."""
    n = len(values).bit_length() - 1
    sizes = np.bitwise_count(np.arange(2**n))
    return float(np.mean(walsh_hadamard(values)[sizes == k] ** 2))


class Path(NamedTuple):
    """A descent under adversarial noise."""

    theta: Floats  # last iterate
    free: Floats  # last iterate of the descent that never saw a label
    hidden: int  # steps for which the noise could replace the whole gradient


def adversarial_descent(
    gradient: Callable[[Floats, int], Floats],
    target_free: Callable[[Floats, int], Floats],
    theta: Floats,
    rate: float,
    tau: float,
    steps: int,
) -> Path:
    """Gradient descent whose noise, at most tau per coordinate, pulls every gradient towards the target-free one.

    While the difference stays within tau the noisy gradient *is* the target-free gradient, so both paths agree bit for
    bit and the weights carry no information about the target.
    """
    free, hidden = theta, 0
    for t in range(steps):
        true, blind = gradient(theta, t), target_free(theta, t)
        theta = theta - rate * np.clip(blind, true - tau, true + tau)
        free = free - rate * target_free(free, t)
        hidden += int(hidden == t and np.max(np.abs(blind - true)) <= tau)
    return Path(theta, free, hidden)
