"""The warm-up algorithms of Pareto Frontiers, Section 3.2: try C(n, k) parities one by one, many at once, or only some.

They mark the corners of the frontier: few examples and constant precision, paid for in queries, processors or luck.
A query XORs k columns of packed bits, 64 examples per word, and counts the disagreements with the label.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import numpy as np

from glassware.foundation.arrays import Int64, Num, UInt64
from glassware.foundation.errors import GlasswareError

Words: TypeAlias = UInt64[np.ndarray, "..."]
Integers: TypeAlias = Int64[np.ndarray, "..."]
Signs: TypeAlias = Num[np.ndarray, "..."]  # +-1, any number type

BLOCK = 1 << 15  # queries scored at a time: they fit in the cache


class Found(NamedTuple):
    """The result of a search."""

    support: tuple[int, ...]
    agreement: float  # share of the examples it explains
    unique: bool  # no other parity tried explains as many
    queries: int
    rounds: int  # sequential rounds; the queries of a round run in parallel


class Cost(NamedTuple):
    """What a search will cost, and how likely it is to find S."""

    queries: int
    rounds: int
    samples: int
    success: float


def pack(bits: Signs) -> Words:
    """Signs (examples, columns) as words (columns, words): bit 1 where the sign is -1, the last word filled with 0."""
    columns = np.ascontiguousarray((bits < 0).T)
    bytes_ = np.packbits(columns, axis=1, bitorder="little")
    return np.pad(bytes_, ((0, 0), (0, -bytes_.shape[1] % 8))).view(np.uint64)


def unrank(ranks: Integers, n: int, k: int) -> Integers:
    """Subsets of k coordinates by number, 0 <= rank < C(n, k), rows in increasing order of elements (colex)."""
    left, chosen = ranks.copy(), np.empty((len(ranks), k), np.int64)
    for j in range(k, 0, -1):
        counts = np.array([math.comb(c, j) for c in range(n)])
        chosen[:, j - 1] = np.searchsorted(counts, left, side="right") - 1
        left -= counts[chosen[:, j - 1]]
    return chosen


def exhaustive_search(x: Signs, y: Signs, k: int) -> Found:
    """Try all C(n, k) parities, one per round, and keep the one that explains the most examples."""
    total = math.comb(x.shape[1], k)
    return _best(x, y, k, _blocks(total, BLOCK), rounds=total)


def parallel_search(x: Signs, y: Signs, k: int, processors: int) -> Found:
    """The same with ``processors`` queries per round."""
    if processors < 1:
        raise GlasswareError(f"a parallel search needs at least one processor, not {processors}")
    total = math.comb(x.shape[1], k)
    return _best(x, y, k, _blocks(total, min(processors, BLOCK)), rounds=math.ceil(total / processors))


def random_search(x: Signs, y: Signs, k: int, queries: int, rng: np.random.Generator) -> Found:
    """Try distinct parities drawn at random. It finds S with probability queries / C(n, k)."""
    total = math.comb(x.shape[1], k)
    if not 1 <= queries <= total:
        raise GlasswareError(f"there are {total} parities of {k} among {x.shape[1]} coordinates; cannot try {queries}")
    ranks = rng.choice(total, queries, replace=False)
    return _best(x, y, k, np.array_split(ranks, math.ceil(queries / BLOCK)), rounds=queries)


def samples_needed(n: int, k: int, delta: float, noise: float = 0.0) -> int:
    """Examples after which S stands out among all parities except with probability delta: O(k log n).

    Without noise a wrong parity survives m examples with probability 2**-m. With flipped labels S agrees on a share
    1 - noise, the others on 1/2, and Hoeffding's inequality keeps both on their side of the middle.
    """
    total = math.comb(n, k)
    if noise == 0:
        return math.ceil(math.log2(total / delta))
    gap = (0.5 - noise) / 2
    return math.ceil(math.log(total / delta) / (2 * gap * gap))


def search_cost(n: int, k: int, delta: float, processors: int = 1, queries: int | None = None) -> Cost:
    """Cost of the three searches: exhaustive, parallel (``processors``), random (``queries``)."""
    total = math.comb(n, k)
    asked = total if queries is None else queries
    luck = asked / total * (1 - delta)
    return Cost(asked, math.ceil(asked / processors), samples_needed(n, k, delta), luck)


def _blocks(total: int, size: int) -> Iterable[Integers]:
    for start in range(0, total, size):
        yield np.arange(start, min(start + size, total))


def _best(x: Signs, y: Signs, k: int, blocks: Iterable[Integers], rounds: int) -> Found:
    (m, n), columns, label = x.shape, pack(x), pack(y[:, None])[0]
    support, fewest, ties, queries = np.empty(0, np.int64), m + 1, 0, 0
    for ranks in blocks:
        subsets = unrank(ranks, n, k)
        wrong = np.bitwise_count(np.bitwise_xor.reduce(columns[subsets], axis=1) ^ label).sum(axis=1, dtype=np.int64)
        least = int(wrong.min())
        if least < fewest:
            support, fewest, ties = subsets[wrong.argmin()], least, 0
        ties += int(np.sum(wrong == fewest))
        queries += len(ranks)
    return Found(tuple(int(i) for i in support), 1 - fewest / m, ties == 1, queries, rounds)
