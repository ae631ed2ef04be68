"""How long runs lived and how they ended: time spent and successes up to any step, from censored lives.

Where every failure was stopped at one budget this is plain counting. Where budgets differ, a run says nothing about
the steps after its own, and the estimates are those of Kaplan and Meier (who is still alive) and of Aalen and Johansen
(who has succeeded by then, when a run may also end by diverging).

Not lifelines: it fits one sample at a time, where a thousand weighted resamples are one array operation here, and it
moves times at random where a success and a divergence fall on the same step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from glassware.foundation.errors import GlasswareError

CENSORED, DIVERGED, SUCCEEDED = 0, 1, 2


@dataclass(frozen=True)
class Lives:
    """Runs in the order of their last steps; among equals those that were censored come last.

    Attributes:
        ends: the last step of each.
        kinds: how each ended.
    """

    ends: np.ndarray
    kinds: np.ndarray

    @classmethod
    def of(cls, times: Sequence[float], budgets: Sequence[float], diverged: Sequence[bool] | None = None) -> Self:
        """Lives from success times (infinite: failure) and the steps after which failures were stopped."""
        if not len(times) == len(budgets) == len(times if diverged is None else diverged):
            raise GlasswareError("success times, budgets and divergences must be as many as there are runs")
        found, stopped = np.asarray(times, float), np.asarray(budgets, float)
        won = np.isfinite(found)
        lost = np.zeros(len(found), bool) if diverged is None else np.asarray(diverged, bool)
        ends = np.where(won, found, stopped)
        if not np.all(np.isfinite(ends) & (ends >= 0)):
            raise GlasswareError("success times and budgets must be numbers of steps, 0 or more")
        return cls._sorted(ends, np.where(won, SUCCEEDED, np.where(lost, DIVERGED, CENSORED)))

    @classmethod
    def _sorted(cls, ends: np.ndarray, kinds: np.ndarray) -> Self:
        order = np.lexsort((kinds == CENSORED, ends))
        return cls(ends[order], kinds[order])

    @property
    def runs(self) -> int:
        return len(self.ends)

    @property
    def successes(self) -> int:
        return int((self.kinds == SUCCEEDED).sum())

    def cutoffs(self) -> np.ndarray:
        """The steps at which some run succeeded; a try takes at least one."""
        return np.unique(np.maximum(self.ends[self.kinds == SUCCEEDED], 1.0))

    def and_one_that_never_succeeds(self) -> Self:
        """These lives and one more, last of all, that its budget ended."""
        last = self.ends.max(initial=0.0)
        return self._sorted(np.append(self.ends, last), np.append(self.kinds, CENSORED))

    def until(self, cutoffs: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean steps spent and share of successes by each cut-off, for each row of positive ``weights`` of the runs."""
        at_risk = np.cumsum(weights[:, ::-1], axis=1)[:, ::-1]
        ending = np.where(self.kinds != CENSORED, weights / at_risk, 0.0)
        # Column i: after the first i ends.
        first = np.zeros((len(weights), 1))
        alive = np.hstack([first + 1, np.cumprod(1 - ending, axis=1)])
        succeeded = np.hstack([first, np.cumsum((self.kinds == SUCCEEDED) * alive[:, :-1] * ending, axis=1)])
        spent = np.hstack([first, np.cumsum(alive[:, :-1] * np.diff(self.ends, prepend=0.0), axis=1)])
        passed = np.searchsorted(self.ends, cutoffs, side="right")
        since = cutoffs - np.append(0.0, self.ends)[passed]
        return spent[:, passed] + alive[:, passed] * since, succeeded[:, passed]
