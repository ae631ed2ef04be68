"""Looking through all sets of two, three or four columns for those that say most about residuals."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from glassware.engine.choice import reason
from glassware.foundation.arrays import Float, Int
from glassware.tabular.screening import statistics
from glassware.tabular.screening.codes import Codes

EXACT = 40  # sets whose exact statistic is computed, unless fewer are asked for
WORDS = 2.5e10  # words of 64 rows that may be looked at, per output: some seconds of one core
MOST_SIGN_ROWS = 4096
HALVES = {3: 3, 4: 1}  # most ways to divide a column's bins into two, by the size of sets

log = logging.getLogger("glassware")


class Candidate(NamedTuple):
    """A set and minus the logarithm of its p-value, for itself alone."""

    evidence: float
    columns: tuple[int, ...]


class Coded:
    """A table's rows in bins."""

    def __init__(self, codes: Codes, bins: np.ndarray) -> None:
        """
        Args:
            codes: how columns are cut.
            bins: of the rows, (rows, columns).
        """
        self.codes, self.bins = codes, bins
        self.useful = np.flatnonzero(codes.degrees > 0)
        self._features: np.ndarray | None = None
        self._cells = dict[tuple[int, ...], statistics.Cells]()

    @classmethod
    def of_size(cls, codes: Codes, bins: np.ndarray, size: int) -> Coded:
        """What sets of this size see of a table: all bins in pairs; in larger sets, ways to divide bins into two, as
        many as there is time for."""
        if size == 2:
            return cls(codes, bins)
        seen = (cls(codes.halved(most), bins) for most in range(HALVES[size], 0, -1))
        return next((one for one in seen if one.in_time(size)), cls(codes.halved(1), bins))

    def in_time(self, size: int) -> bool:
        """Whether there is time to look through all sets of three or four."""
        words = -(-min(len(self.bins), MOST_SIGN_ROWS) // 64)
        return bool(words * math.comb(int(self.codes.degrees.sum()), size) <= WORDS)

    def sets(self, size: int) -> int:
        """How many sets of this size there are."""
        return math.comb(len(self.useful), size)

    def sample(self, size: int, sets: int, rng: np.random.Generator) -> Coded:
        """The same rows with only so many columns, drawn at random, that there are no more sets than this."""
        count = len(self.useful)
        while count > size and math.comb(count, size) > sets:
            count -= 1 + count // 50
        columns = np.sort(rng.permutation(self.useful)[:count])
        return Coded(self.codes.some(columns), self.bins[:, columns])

    def scan(self, residuals: Float[np.ndarray, "rows outputs"], size: int, top: int = EXACT) -> list[Candidate]:
        """The sets of a size that say most about residuals (uncorrelated, of variance 1), best first: of the ``top``
        that look best by a quick statistic, the exact one."""
        if len(self.useful) < size or (size > 2 and not self.in_time(size)):
            return []
        likely = self._pairs(residuals, top) if size == 2 else self._products(residuals, size, top)
        return self.judged(residuals, likely)

    def judged(self, residuals: Float[np.ndarray, "rows outputs"], sets: Sequence[tuple[int, ...]]) -> list[Candidate]:
        """Sets with their exact statistics, best first."""
        found = [self.judge(residuals, columns) for columns in sets]
        return sorted(found, key=lambda one: (-one.evidence, one.columns))

    def judge(self, residuals: Float[np.ndarray, "rows outputs"], columns: tuple[int, ...]) -> Candidate:
        """The exact statistic of one set."""
        if columns not in self._cells:
            self._cells[columns] = statistics.Cells(self.bins[:, columns], self.codes, np.array(columns))
        return Candidate(self._cells[columns].evidence(residuals), columns)

    def _pairs(self, residuals: np.ndarray, top: int) -> list[tuple[int, ...]]:
        if self._features is None:
            self._features = self.codes.features(self.bins)
        far = statistics.pairs(self._features, residuals, self.codes.degrees)
        count = min(top, len(far))
        best = np.argpartition(-far, count - 1)[:count]
        places = _unravelled(np.sort(best), len(self.codes.degrees))
        return [(i, j) for i, j in places if self.codes.degrees[i] > 0 and self.codes.degrees[j] > 0]

    def _products(self, residuals: np.ndarray, size: int, top: int) -> list[tuple[int, ...]]:
        farthest = _kernel()
        if farthest is None:
            return []
        rng = np.random.default_rng(0)
        rows = rng.permutation(len(residuals))[:MOST_SIGN_ROWS]
        signs, column = self._signs(rows)
        found = dict[tuple[int, ...], float]()
        for residual in residuals[rows].T:
            # Rounded to one bit at random, with the residual as its mean: a sum of bits is unbiased.
            target = rng.random(len(rows)) < 0.5 + 0.5 * residual / np.abs(residual).max()
            places, far = farthest(target, signs, column, size, top)
            for place, how in zip(column[places].tolist(), far.tolist(), strict=True):
                found[tuple(place)] = max(how, found.get(tuple(place), 0.0))
        return sorted(found, key=lambda columns: (-found[columns], columns))[:top]

    def _signs(self, rows: Int[np.ndarray, " some"]) -> tuple[np.ndarray, np.ndarray]:
        """Truth values, and the column of each."""
        found, which = list[np.ndarray](), list[int]()
        for column in self.useful.tolist():
            for upper in self.codes.halves(column)[: self.codes.degrees[column]]:
                found.append(upper[self.bins[rows, column]])
                which.append(column)
        return np.array(found), np.array(which)


@cache
def _kernel() -> Callable[..., tuple[np.ndarray, np.ndarray]] | None:
    """The search through products of signs; None, with a warning, if it cannot be compiled."""
    try:
        # Numba takes a moment to import: only when it is used.
        from glassware.tabular.screening.bits import farthest

        farthest(np.zeros(1, bool), np.zeros((4, 1), bool), np.arange(4), 3, 1)
        farthest(np.zeros(1, bool), np.zeros((4, 1), bool), np.arange(4), 4, 1)
    except Exception as error:  # whatever compiling for an unknown processor may raise
        log.warning("threes and fours of columns are not screened: no kernel (%s)", reason(error))
        return None
    return farthest


def _unravelled(places: np.ndarray, columns: int) -> list[tuple[int, int]]:
    """The pairs at places of the upper triangle."""
    begins = np.concatenate([[0], np.cumsum(np.arange(columns - 1, 0, -1))])
    i = np.searchsorted(begins, places, side="right") - 1
    return list(zip(i.tolist(), (places - begins[i] + i + 1).tolist(), strict=True))
