"""Sets of columns that say together what none of them says alone, with family-wise control."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from glassware.foundation.arrays import Float
from glassware.tabular.screening.additive import Additive, whitened
from glassware.tabular.screening.codes import Codes
from glassware.tabular.screening.scan import Candidate, Coded
from glassware.tabular.screening.scores import Score, parts_of

LEVEL = 0.01  # of all sets of one size that say nothing, the largest is taken for real with this probability
SIZES = (2, 3, 4)
MOST_SETS = 5  # of one size
MOST_ROWS = 10_000  # that are looked at
ALONE = 0.1  # false discovery rate of columns that say something alone
MOST_ALONE = 100
FEW = 0.25  # of all columns; if as many or fewer surely say something and no set is found, the others may be left out
MOST_NEAR = 100  # pairs of columns that say something alone; with more they are as all others
PERMUTATIONS = 20
PERMUTED_SETS, PERMUTED_EXACT = 1_000_000, 8  # of a size, that are looked at, and looked at exactly, each time
EULER = 0.5772


class Found(NamedTuple):
    """A set, minus the logarithm of its p-value, and the p-value allowing for all sets of its size."""

    columns: tuple[int, ...]
    evidence: float
    p_adjusted: float


@dataclass
class Screen:
    """What statistics say about a table.

    Attributes:
        codes: how columns are cut into bins.
        alone: columns that say something alone.
        sure: those of them that surely do, allowing for all columns.
        sets: found, in the order in which they were found: each says something that those before it do not.
        seen: what sets of each size see of columns.
    """

    codes: Codes
    alone: list[int]
    sure: list[int]
    sets: list[Found]
    seen: dict[int, Codes]

    def readable(self) -> Screen | None:
        """What networks may read instead of all columns: those of found sets and all that say something alone. Without
        a set those that surely say something, if they are few. None: nothing."""
        if self.sets:
            return self
        few = 0 < len(self.sure) <= FEW * len(self.codes.bins)
        return replace(self, alone=self.sure) if few else None


def screen(X: np.ndarray, truth: np.ndarray, weight: np.ndarray, classify: bool) -> Screen:
    """Look through all pairs of columns, then all threes and fours, each time at what is left unexplained.

    Args:
        X: rows.
        truth: targets: of each class, or a number.
        weight: of rows.
        classify: whether targets are classes.
    """
    if len(X) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).permutation(len(X))[:MOST_ROWS])
        X, truth, weight = X[rows], truth[rows], weight[rows]
    codes = Codes.fit(X)
    bins = codes.of(X, np.arange(X.shape[1]))
    model = Additive(truth, weight, classify)
    alone, sure = _alone(Coded(codes, bins), whitened(model.residuals(np.zeros((len(X), 0)))))
    inputs = np.concatenate([np.zeros((len(X), 0)), *(parts_of(codes, X, (column,))[0] for column in alone)], axis=1)
    found, seen = list[Found](), dict[int, Codes]()
    for size in SIZES:
        coded, left = Coded.of_size(codes, bins, size), model.residuals(inputs)
        seen[size] = coded.codes
        near = list(combinations(alone, 2)) if size == 2 and math.comb(len(alone), 2) <= MOST_NEAR else []
        found_by_scan = [one.columns for one in coded.scan(whitened(left), size)]
        candidates = coded.judged(whitened(left), sorted({*found_by_scan, *near}))
        chance = Chance(coded, size, {*near})
        mine = list[Found]()
        while candidates and len(mine) < MOST_SETS:
            best, p = chance.best(candidates, whitened(left))
            if p > LEVEL:
                break
            mine.append(Found(best.columns, best.evidence, p))
            of_set = bins[:, best.columns]
            score = Score.fit(best.columns, seen[size], of_set, left)
            inputs = np.concatenate([inputs, score.of(of_set)], axis=1)
            left = model.residuals(inputs)
            rest = [one.columns for one in candidates if one.columns != best.columns]
            candidates = coded.judged(whitened(left), rest)
        found += mine
    return Screen(codes, alone, sure, found, seen)


class Chance:
    """How strong the best of all sets of a size looks where none says anything: measured on permuted residuals."""

    def __init__(self, coded: Coded, size: int, near: set[tuple[int, ...]]) -> None:
        """
        Args:
            coded: the table.
            size: of sets.
            near: pairs of columns that say something alone: they share one half of the level, all others the other.
        """
        self.coded, self.size, self.near = coded, size, near
        self._all = coded.sets(size)
        self.middle: float | None = None
        self.spread = 1.0

    def best(
        self, candidates: list[Candidate], residuals: Float[np.ndarray, "rows outputs"]
    ) -> tuple[Candidate, float]:
        """The set that chance explains least, and the probability that it does better. Permutations are made only for
        what is clear without them."""
        several = [np.log(2 * (len(self.near) if one.columns in self.near else self._all)) for one in candidates]
        place = int(np.argmax([one.evidence - many for one, many in zip(candidates, several, strict=True)]))
        return candidates[place], self._adjusted(candidates[place].evidence, several[place], residuals)

    def _adjusted(self, evidence: float, several: float, residuals: np.ndarray) -> float:
        p = float(-np.expm1(-np.exp(several - evidence)))
        if p > LEVEL:
            return p
        if self.middle is None:
            self._measure(residuals)
        # The largest of many logarithms of p-values has a Gumbel distribution around the logarithm of their number.
        return float(-np.expm1(-np.exp(-(evidence - several - (self.middle or 0.0)) / self.spread)))

    def _measure(self, residuals: np.ndarray) -> None:
        rng = np.random.default_rng(0)
        part = self.coded.sample(self.size, PERMUTED_SETS, rng)
        largest = []
        for _ in range(PERMUTATIONS):
            found = part.scan(residuals[rng.permutation(len(residuals))], self.size, PERMUTED_EXACT)
            largest.append(found[0].evidence if found else 0.0)
        # Never less strict than if p-values were exact.
        self.spread = max(1.0, float(np.std(largest, ddof=1)) * np.sqrt(6) / np.pi)
        self.middle = max(0.0, float(np.mean(largest)) - np.log(part.sets(self.size)) - EULER * self.spread)


def _alone(coded: Coded, residuals: Float[np.ndarray, "rows outputs"]) -> tuple[list[int], list[int]]:
    """Columns that say something by themselves, by Benjamini and Hochberg's rule, the clearest if there are many; and
    those of them that do by Bonferroni's."""
    evidence = np.array([coded.judge(residuals, (column,)).evidence for column in range(len(coded.codes.bins))])
    order = np.argsort(-evidence, kind="stable")
    allowed = ALONE * np.arange(1, len(order) + 1) / len(order)
    passed = np.flatnonzero(np.exp(-evidence[order]) <= allowed)
    alone = sorted(order[: min(MOST_ALONE, int(passed[-1]) + 1 if len(passed) else 0)].tolist())
    return alone, [column for column in alone if evidence[column] >= np.log(len(order) / LEVEL)]
