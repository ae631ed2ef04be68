"""How many examples single out a conjunction of 3 of T bits: what no learner can do without.

Bits are ones with probability p = 2^(-1/3), so that both labels are equally likely. A conjunction agrees with a sample
if its bits are 1 in every positive row and each negative row has a 0 among them. An irrelevant bit survives the
positive rows with probability p for each; only the few survivors need to be drawn at all, whatever T is.
"""

from __future__ import annotations

import math

import numpy as np

from glassware.foundation.errors import GlasswareError

S = 3
P = 0.5 ** (1 / S)
MOST_ROWS = 63  # a set of negative rows is one 64-bit word
BLOCK = 48  # survivors of which pairs are formed at a time


def expected_others(length: int, m: int, s: int = S) -> float:
    """The expected number of other conjunctions of s of T bits that agree with m examples, exactly.

    One that shares j of its bits with the hidden one agrees with an example with probability 2^(-(s - j)/s).

    >>> round(expected_others(40, 20), 3)
    1.294
    """
    terms = (math.comb(s, j) * math.comb(length - s, s - j) * 2.0 ** (-(s - j) * m / s) for j in range(s))
    return math.fsum(terms)


def other_conjunctions(rng: np.random.Generator, length: int, m: int, most: float = math.inf) -> float:
    """How many other conjunctions of 3 of T bits agree with a random sample of m examples.

    Args:
        rng: random numbers.
        length: T.
        m: examples.
        most: counting ends when so many are found.

    >>> other_conjunctions(np.random.default_rng(0), 10, 60)
    0.0
    """
    if m > MOST_ROWS:
        raise GlasswareError(f"m must be at most {MOST_ROWS}, not {m}")
    relevant = rng.random((m, S)) < P
    negative = relevant[~relevant.all(axis=1)]
    positives = m - len(negative)
    survivors = int(rng.binomial(length - S, P**positives))
    zeros = np.concatenate([~negative, rng.random((len(negative), survivors)) >= P], axis=1)
    words = (zeros * (np.uint64(1) << np.arange(len(negative), dtype=np.uint64))[:, None]).sum(axis=0, dtype=np.uint64)
    return _covers(words, np.uint64((1 << len(negative)) - 1), most + 1) - 1


def _covers(words: np.ndarray, full: np.uint64, most: float) -> float:
    """How many sets of three words have every bit of ``full``, up to ``most``: all triples, block by block."""
    found, count = 0, len(words)
    for first in range(0, count, BLOCK):
        rows = np.arange(first, min(first + BLOCK, count))
        for second in range(first, count, BLOCK):
            columns = np.arange(second, min(second + BLOCK, count))
            ordered = rows[:, None] < columns
            i, j = (places[ordered] for places in np.broadcast_arrays(rows[:, None], columns))
            pairs = words[i] | words[j]
            for third in range(second, count, BLOCK):
                last = np.arange(third, min(third + BLOCK, count))
                closed = (pairs[:, None] | words[last]) == full
                found += int(np.count_nonzero(closed & (j[:, None] < last)))
                if found >= most:
                    return float(most)
    return float(found)
