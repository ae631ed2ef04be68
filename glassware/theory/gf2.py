"""Parities as linear equations: Gaussian elimination over GF(2) on packed 64-bit words.

The one algorithm that escapes the statistical-query bound: n + O(1) examples and n^3 / 64 word operations find any
parity, sparse or not. A few flipped labels break it, which is why noise-tolerant learners are compared with search.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from glassware.theory.pareto.search import Signs, pack

Verdict = Literal["solved", "underdetermined", "inconsistent", "not sparse"]

SENTENCES: dict[Verdict, str] = {
    "solved": "one parity explains every example",
    "underdetermined": "several parities explain every example: more independent examples are needed",
    "inconsistent": "no parity explains every example: some labels are wrong",
    "not sparse": "one parity explains every example, but not one of k coordinates: some labels are wrong",
}


class Elimination(NamedTuple):
    """The result of elimination. The support is given if it is the only solution, whatever the verdict."""

    verdict: Verdict
    support: tuple[int, ...] | None
    rank: int

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        return SENTENCES[self.verdict]


def eliminate(x: Signs, y: Signs, k: int | None = None) -> Elimination:
    """Solve chi_S(x) = y for S.

    Args:
        x: inputs +-1, (m, n).
        y: labels +-1, (m,).
        k: the size S must have; None accepts any parity.
    """
    n = x.shape[1]
    rows = pack(np.concatenate([x, y[:, None]], axis=1).T)  # (m, words): one equation per row, its label in bit n
    rank = 0
    pivots: list[int] = []
    for column in range(n):
        word, bit = divmod(column, 64)
        has = (rows[:, word] >> np.uint64(bit)) & np.uint64(1) != 0
        below = np.flatnonzero(has[rank:])
        if not below.size:
            continue
        pivot = rank + int(below[0])
        has[[rank, pivot]] = has[[pivot, rank]]
        rows[[rank, pivot]] = rows[[pivot, rank]]
        has[rank] = False  # eliminate it from all other equations, so that the labels are the solution
        rows[has] ^= rows[rank]
        pivots.append(column)
        rank += 1
    word, bit = divmod(n, 64)
    label = (rows[:, word] >> np.uint64(bit)) & np.uint64(1) != 0
    if np.any(label[rank:]):
        return Elimination("inconsistent", None, rank)
    if rank < n:
        return Elimination("underdetermined", None, rank)
    support = tuple(column for column, value in zip(pivots, label[:rank], strict=True) if value)
    return Elimination("solved" if k is None or len(support) == k else "not sparse", support, rank)


def full_rank_probability(n: int, m: int) -> float:
    """Probability that m random examples determine all n unknowns: the product of 1 - 2**-i over i = m-n+1 .. m."""
    return math.prod(1 - 0.5**i for i in range(m - n + 1, m + 1)) if m >= n else 0.0


def clean_probability(m: int, noise: float) -> float:
    """Probability that none of m labels is flipped: how often elimination survives noise."""
    return (1 - noise) ** m
