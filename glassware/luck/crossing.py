"""Where success crosses a level along the values of a grid, read on the line between neighbouring values.

The rates of two neighbours p_i, p_j put the crossing at the share (level - p_i) / (p_j - p_i) of the way between them,
in the logarithm of the axis. Nothing is assumed of the curve's shape, only that it crosses the level once: values below
the crossing have rates of at most the level, values above it of at least the level. The interval is that of the profile
likelihood: for each place the likeliest rates that put the crossing there. An outcome multiplies this likelihood in the
same way whoever chose the cell and whoever decided to stop, so adaptive choices do not bias it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from glassware.foundation.statistics import Estimate
from glassware.luck.curve import DROP, Cell, log_likelihood, outermost

BETWEEN = np.linspace(0, 1, 49)  # places between two neighbours
# How far the two rates lie apart, as a share of the most that a place allows; dense near 1, where steep edges are.
APART = np.concatenate([np.linspace(0.02, 0.94, 24), [0.96, 0.975, 0.985, 0.993, 1.0]])
EQUAL = 1e-6  # in log-likelihood


def crossing(cells: Sequence[Cell], level: float = 0.5, drop: float = DROP) -> Estimate:
    """The value at which success crosses the level, with its interval.

    Args:
        cells: every value of the grid, in order; those without trials say nothing.
        level: the success rate asked for.
        drop: in log-likelihood, from the best place to the ends of the interval.

    Returns:
        0 or infinity where the edge more likely lies below or above the grid; an end is 0 or infinite where the trials
        do not exclude that. A grid that lies wholly on one side has its outermost value as the other end.

    >>> from glassware.luck.crossing import crossing
    >>> value, low, high = crossing([Cell(100, 0, 9), Cell(200, 3, 12), Cell(400, 9, 12), Cell(800, 9, 9)])
    >>> round(value), low < 200 < 400 < high
    (283, True)
    """
    return _crossing(tuple(cells), level, drop)


@lru_cache(maxsize=65536)  # a round of a search changes few lines
def _crossing(cells: tuple[Cell, ...], level: float, drop: float) -> Estimate:
    below, between, above = _profile(cells, level)
    x = np.log([cell.value for cell in cells])
    places, inside = (x[:-1, None] + np.diff(x)[:, None] * BETWEEN).ravel(), between.ravel()
    best = max(below, above, float(inside.max()))
    if inside.max() < best - EQUAL:
        value = 0.0 if below > above else math.inf
    else:
        value = _most_likely(cells, level, places, inside)
    if inside.max() <= best - drop:
        return Estimate(value, cells[-1].value, math.inf) if above > below else Estimate(value, 0.0, cells[0].value)
    low, high = (math.exp(end) for end in outermost(places, inside - best + drop))
    return Estimate(
        value,
        0.0 if below > best - drop else max(low, cells[0].value),
        math.inf if above > best - drop else min(high, cells[-1].value),
    )


def _profile(cells: Sequence[Cell], level: float) -> tuple[float, np.ndarray, float]:
    """The log-likelihood of an edge below the grid, at each place between each two neighbours, and above the grid."""
    _, won, trials = (np.array(column, float) for column in zip(*cells, strict=True))
    rate = np.where(trials > 0, won / np.maximum(trials, 1), level)
    failing = np.concatenate([[0.0], np.cumsum(log_likelihood(np.minimum(rate, level), won, trials))])
    succeeding = log_likelihood(np.maximum(rate, level), won, trials)
    succeeding = np.concatenate([np.cumsum(succeeding[::-1])[::-1], [0.0]])
    with np.errstate(divide="ignore"):
        most = np.minimum(level / BETWEEN, (1 - level) / (1 - BETWEEN))
    apart = most[:, None] * APART
    lower, upper = level - apart * BETWEEN[:, None], level + apart * (1 - BETWEEN)[:, None]
    place = (slice(None, -1), None, None), (slice(1, None), None, None)
    pair = log_likelihood(lower, won[place[0]], trials[place[0]])
    pair = pair + log_likelihood(upper, won[place[1]], trials[place[1]])
    between = pair.max(-1) + (failing[: len(cells) - 1] + succeeding[2:])[:, None]
    return float(succeeding[0]), between, float(failing[-1])


def _most_likely(cells: Sequence[Cell], level: float, places: np.ndarray, inside: np.ndarray) -> float:
    """The middle of all equally likely places; between two rates on either side of the level, the place itself."""
    top = np.flatnonzero(inside > inside.max() - EQUAL)
    first, last = divmod(int(top[0]), len(BETWEEN)), divmod(int(top[-1]), len(BETWEEN))
    lower, upper = cells[first[0]], cells[first[0] + 1]
    if first[0] == last[0] and lower.trials and upper.trials:
        low, high = lower.won / lower.trials, upper.won / upper.trials
        if low < level < high:
            return lower.value * (upper.value / lower.value) ** ((level - low) / (high - low))
    return math.exp((places[top[0]] + places[top[-1]]) / 2)
