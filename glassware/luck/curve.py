"""Where success becomes likely along an axis: a rising curve fitted to counts of trials, and the value at a level.

P(success at x) = (1 - lapse) logistic((ln x - ln x_q) / width + c), with c such that P(x_q) = q, the level. The lapse
is the share of trials that fail however large x is. The interval of x_q is that of its likelihood, which stays valid
where the values were chosen in view of earlier trials: an outcome multiplies the likelihood in the same way, whoever
chose the place. The first value with a share above the level has no such interval, and is biased.

Width and lapse are averaged over, not maximised: with 60 trials, placed by ``design.py``, the interval then contains
the truth in 91.5 to 96.5% of cases, and in 88 to 90% where the likeliest width is taken for the true one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.special import expit, logsumexp, xlog1py, xlogy

from glassware.foundation.errors import GlasswareError
from glassware.foundation.statistics import Estimate

DROP = 1.920729  # in log-likelihood: a 95% interval of one parameter (half the 95% point of chi-squared with 1 degree)
WIDTHS = np.geomspace(0.04, 1.2, 10)  # from all but a step to a curve that takes a factor of 14 from 25% to 75%
LAPSES = np.array([0.0, 0.03, 0.1])
REACH = 2.0  # beyond the values tried, in log x: a threshold further out is called unknown
FLAT = 0.05  # in log-likelihood
COARSE, FINE = 81, 61  # points of the two grids


class Cell(NamedTuple):
    """A value of the axis, and how many of its trials succeeded; a fraction where that is only expected."""

    value: float
    won: float
    trials: int


@dataclass(frozen=True)
class Fit:
    """A curve fitted to counts.

    Attributes:
        level: the success rate asked for.
        at: the value of the axis that has it, with its interval. An end is 0 or infinite where the trials do not bound
            it, and the value is unknown where the best curve lies beyond all that was tried.
        width, lapse: of the most likely curve.
    """

    level: float
    at: Estimate
    width: float
    lapse: float

    @classmethod
    def of(cls, cells: Iterable[Cell], level: float = 0.8) -> Self:
        """The curve through these cells.

        >>> from glassware.luck.curve import Cell, Fit
        >>> value, low, high = Fit.of([Cell(50, 2, 20), Cell(70, 12, 20), Cell(100, 19, 20)]).at
        >>> 70 < low < value < high < 100
        True
        """
        if not 0.05 <= level <= 0.95:
            raise GlasswareError(f"level must be between 0.05 and 0.95, not {level:g}")
        counts = [cell for cell in cells if cell.trials]
        if not counts:
            return cls(level, Estimate(math.nan, 0.0, math.inf), math.nan, math.nan)
        tried = np.log([cell.value for cell in counts])
        ends = float(tried.min()) - REACH, float(tried.max()) + REACH
        centres = np.linspace(*ends, COARSE)
        coarse, _ = likelihood(counts, level, centres)
        low, high = outermost(centres, coarse - coarse.max() + DROP)
        # Once more between the ends of the interval, a little beyond each: it may be narrow.
        step = centres[1] - centres[0]
        centres = np.linspace(max(low, ends[0]) - step, min(high, ends[1]) + step, FINE)
        likely, best = likelihood(counts, level, centres)
        near = outermost(centres, likely - likely.max() + DROP)
        low, high = (there if math.isinf(there) else here for there, here in zip((low, high), near, strict=True))
        top = int(np.argmax(likely))
        # As likely beyond everything tried as at its best: only a bound is known.
        unknown = likely[top] - max(coarse[0], coarse[-1]) < FLAT
        value = math.nan if unknown else float(np.exp(centres[top]))
        width, lapse = np.unravel_index(best[top], (len(WIDTHS), len(lapses(level))))
        at = Estimate(value, float(np.exp(low)), float(np.exp(high)))
        return cls(level, at, float(WIDTHS[width]), float(LAPSES[lapse]))


def lapses(level: float) -> np.ndarray:
    """Shares of hopeless trials that leave room for the level."""
    return LAPSES[level < 0.99 * (1 - LAPSES)]


def offset(level: float, lapse: np.ndarray | float) -> np.ndarray:
    """The c for which the curve has the level at x_q."""
    share = level / (1 - np.asarray(lapse, float))
    return np.log(share / (1 - share))


def log_likelihood(p: np.ndarray, won: np.ndarray, trials: np.ndarray) -> np.ndarray:
    """Of binomial counts, up to a constant; probabilities keep a hair's breadth from 0 and 1."""
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return xlogy(won, p) + xlog1py(trials - won, -p)


def likelihood(cells: Sequence[Cell], level: float, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each ln x_q the log-likelihood, averaged over widths and lapses, and the place of the likeliest pair.

    Three numbers and a bounded grid: a whole table of curves is one array operation, and no search can end in the
    wrong place.
    """
    x, won, trials = (np.array(column, float) for column in zip(*cells, strict=True))
    lapse = lapses(level)
    steep = (np.log(x) - centres[:, None])[:, None, :] / WIDTHS[:, None]
    p = (1 - lapse)[:, None] * expit(steep[:, :, None, :] + offset(level, lapse)[:, None])
    likely = log_likelihood(p, won, trials).sum(-1).reshape(len(centres), -1)
    return logsumexp(likely, axis=1), likely.argmax(1)


def outermost(places: np.ndarray, short: np.ndarray) -> tuple[float, float]:
    """The ends of an interval: ``short`` is positive within; infinite where the places stop first."""
    inside = np.flatnonzero(short >= 0)
    first, last = int(inside[0]), int(inside[-1])

    def crossing(out: int, within: int) -> float:
        share = short[within] / (short[within] - short[out])
        return float(places[within] + share * (places[out] - places[within]))

    low = crossing(first - 1, first) if first else -math.inf
    high = crossing(last + 1, last) if last + 1 < len(places) else math.inf
    return low, high
