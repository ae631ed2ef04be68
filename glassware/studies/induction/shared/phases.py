"""Phases of training: which strategy a model is nearest to, when that changes, and what its weights look like then."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby, pairwise

import numpy as np

from glassware.foundation.arrays import Float
from glassware.foundation.statistics import bootstrap, median
from glassware.studies.induction.shared.levels import STRATEGIES, row_levels
from glassware.studies.lanes import Row

LAST = 3  # checkpoints whose mean is the final loss


def curve(row: Row, name: str) -> Float[np.ndarray, "..."]:
    """A curve of a run."""
    return np.array(row[f"curve_{name}"], float)


def phases(row: Row) -> list[str]:
    """The nearest strategy at every checkpoint; between equals, the simpler one."""
    found = [name for name in STRATEGIES if row.get(f"curve_distance_{name}") is not None]
    nearest = np.argmin([curve(row, f"distance_{name}") for name in found], axis=0)
    return [found[i] for i in nearest]


def phase_list(row: Row) -> list[str]:
    """The phases in their order. A phase of a single checkpoint counts only at the beginning and at the end."""
    runs = [(name, len(list(points))) for name, points in groupby(phases(row))]
    kept = [name for i, (name, length) in enumerate(runs) if length > 1 or i in (0, len(runs) - 1)]
    return [name for name, _ in groupby(kept)]


def crossing(row: Row) -> int | None:
    """tau*: the first checkpoint after step 0 that is nearer to bigrams than to unigrams, as its place in the curves;
    None where there is none."""
    nearer = curve(row, "distance_bigram") < curve(row, "distance_unigram")
    return next((place for place in range(1, len(nearer)) if nearer[place]), None)


def step_at(row: Row, place: int | None) -> float:
    """The step of a checkpoint; NaN for none."""
    return math.nan if place is None else float(row["curve_step"][place])


def median_in_words(times: Sequence[float]) -> str:
    """The median of some times, with its interval where there are enough of them."""
    middle = bootstrap(median, times)
    known = math.isfinite(middle.low) and math.isfinite(middle.high)
    return f"median {middle.value:.0f}" + (f" [{middle.low:.0f}, {middle.high:.0f}]" if known else "")


def first_step(row: Row, name: str, above: float) -> float:
    """The first step at which a curve lies above a number; NaN where it never does."""
    over = np.flatnonzero(curve(row, name) > above)
    return step_at(row, int(over[0]) if len(over) else None)


def crossings(row: Row) -> list[float]:
    """The steps, after step 0, at which a run is first nearer to a strategy than to the one before it: from uniform to
    unigrams, from there to bigrams, and so on. NaN where it never is."""
    found = [curve(row, f"distance_{name}") for name in STRATEGIES if row.get(f"curve_distance_{name}") is not None]
    steps = []
    for before, after in pairwise(found):
        nearer = np.flatnonzero(after[1:] < before[1:])
        steps.append(step_at(row, int(nearer[0]) + 1 if len(nearer) else None))
    return steps


def longest(row: Row, phase: str) -> int:
    """Checkpoints in a row, at most, at which a strategy is the nearest."""
    return max((len([*points]) for name, points in groupby(phases(row)) if name == phase), default=0)


def final(row: Row) -> float:
    """The distance from the truth at the end."""
    return float(curve(row, "truth_distance")[-LAST:].mean())


def final_over(row: Row, strategy: str, less: bool = False) -> float:
    """The distance from the truth at the end over the level of a strategy, or less that level."""
    level = row_levels(row)[strategy]
    return final(row) - level if less else final(row) / level


def final_share(row: Row) -> float:
    """The distance from the truth at the end, over the level of the unigram strategy."""
    return final_over(row, "unigram")


def final_excess(row: Row) -> float:
    """The distance from the truth at the end, beyond the level of the bigram strategy."""
    return float(curve(row, "truth_distance")[-LAST:].mean()) - row_levels(row)["bigram"]


def alternates(v: Float[np.ndarray, " t"], most: int) -> bool:
    """Whether every v_j with even j < ``most`` is larger than both its neighbours."""
    return all(v[j - 1] > max(v[j - 2], v[j]) for j in range(2, most, 2))


def decreases(v: Float[np.ndarray, " t"], most: int) -> bool:
    """Whether v_1 > v_2 > .. > v_most."""
    return all(later < earlier for earlier, later in pairwise(v[:most]))
