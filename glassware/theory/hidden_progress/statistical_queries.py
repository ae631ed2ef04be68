"""Why parities are hard: statistical queries, and random search as the uninformed baseline.

A query is a bounded function q(x, y) = a(x) + y b(x). Its mean under the parity S is E[a] plus the Fourier coefficient
of b at S, and Parseval lets only 1 / tau^2 coefficients exceed tau: an answer E[a] is within tau for all other S.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats, chi, cube, index, walsh_hadamard


def query_lower_bound(n: int, k: int, tau: float) -> float:
    """Queries of tolerance tau that any learner of (n, k)-parities needs, up to a constant: tau^2 C(n, k)."""
    return tau**2 * math.comb(n, k)


def query_mean(a: Floats, b: Floats, subset: tuple[int, ...]) -> float:
    """The mean of a(x) + y b(x) under the parity S, for functions given by their 2**n values."""
    n = len(a).bit_length() - 1
    return float(np.mean(np.asarray(a, np.float64) + chi(cube(n), subset) * b))


def heavy_subsets(b: Floats, tau: float) -> int:
    """How many subsets have a coefficient of b above tau in size; at most E[b^2] / tau^2 by Parseval."""
    return int(np.sum(np.abs(walsh_hadamard(b)) > tau))


class AdversarialOracle:
    """Answers every query with E[a], which is true to within tau for every parity not yet ruled out.

    ``candidates`` are the parities of size k consistent with all answers so far. A learner is done when one is left.
    """

    def __init__(self, n: int, k: int, tau: float) -> None:
        if not 0.0 < tau < 1.0:
            raise GlasswareError(f"tau is {tau}; a tolerance lies between 0 and 1")
        self.tau = tau
        self.queries = 0
        self.candidates = list(combinations(range(n), k))

    def answer(self, a: Floats, b: Floats) -> float:
        """E[a]; parities for which that is off by more than tau cease to be candidates."""
        self.queries += 1
        spectrum = walsh_hadamard(b)
        self.candidates = [S for S in self.candidates if abs(spectrum[index(S)]) <= self.tau]
        return float(np.mean(a))


def exhaustive_learner(oracle: AdversarialOracle, n: int) -> int:
    """Query one parity after another until one candidate is left; returns the number of queries."""
    x = cube(n)
    silent = np.zeros(2**n)
    for S in list(oracle.candidates):
        if len(oracle.candidates) == 1:
            break
        oracle.answer(silent, chi(x, S))
    return oracle.queries


def random_search_success(n: int, k: int, copies: int = 1) -> float:
    """Probability that one round of guessing succeeds: each copy tries one of the C(n, k) subsets."""
    return -math.expm1(copies * math.log1p(-1.0 / math.comb(n, k))) if math.comb(n, k) > 1 else 1.0


def random_search_mean(n: int, k: int, copies: int = 1) -> float:
    """Mean number of rounds of random search, about C(n, k) / copies: parallel copies divide the time."""
    return 1.0 / random_search_success(n, k, copies)


def random_search_cdf(rounds: float, n: int, k: int, copies: int = 1) -> float:
    """Probability that random search succeeds within ``rounds``: the geometric law, whose mode is the first round."""
    p = random_search_success(n, k, copies)
    return 1.0 - (1.0 - p) ** math.floor(max(rounds, 0.0))


def random_search_times(n: int, k: int, runs: int, rng: np.random.Generator, copies: int = 1) -> Floats:
    """Rounds until success of ``runs`` independent random searches."""
    return rng.geometric(random_search_success(n, k, copies), runs).astype(np.float64)
