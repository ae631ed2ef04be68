"""Where to try next: values of an axis and numbers of trials, from the counts so far."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.foundation.statistics import Estimate
from glassware.luck.crossing import crossing
from glassware.luck.curve import Cell, Fit

SURE = 3.317  # in log-likelihood: a 99% interval
FIRST = 5  # values of the first round, evenly spaced in their logarithm over the whole range

State: TypeAlias = Literal["searching", "found", "budget spent", "below the range", "above the range"]


@dataclass(frozen=True)
class Design:
    """How to look for the value at which a share of trials succeeds. It knows counts alone, not what a trial is.

    The first round spreads over the range. Each later one goes to the ends of the interval and to the value between
    them: there the rate is neither 0 nor 1, and the answer is what the interval hangs on.

    Attributes:
        low, high: the range searched.
        level: the success rate looked for.
        precision: the search ends when the interval's upper end is at most so many times its lower one; on a grid that
            of 99%.
        budget: trials in all, at most.
        trials: at each value of a round.
        whole: whether values are whole numbers.
        values: of a grid: nothing else is tried, and the edge is read between them (``crossing``); none: any value.
        most: trials at one value of a grid.

    >>> from glassware.luck.design import Design
    >>> Design(10, 160, trials=4).next([])
    [(10, 4), (20, 4), (40, 4), (80, 4), (160, 4)]
    """

    low: float
    high: float
    level: float = 0.8
    precision: float = 1.25
    budget: int = 100
    trials: int = 4
    whole: bool = True
    values: tuple[float, ...] = ()
    most: int = 50

    def __post_init__(self) -> None:
        if not 0 < self.low < self.high < math.inf:
            given = f"{self.low:g} to {self.high:g}"
            raise GlasswareError(f"a range is two positive numbers, the smaller first, not {given}")
        if not 1 < self.precision < math.inf:
            raise GlasswareError(f"precision must be above 1, as 1.25, not {self.precision:g}")
        if not 0.05 <= self.level <= 0.95:
            raise GlasswareError(f"level must be between 0.05 and 0.95, not {self.level:g}")
        if self.trials < 1 or self.budget < FIRST * self.trials:
            first = f"{FIRST} values of {self.trials} trials"
            raise GlasswareError(f"budget must allow the first round, {first}, not {self.budget} trials")

    def state(self, cells: Sequence[Cell]) -> State:
        """How the search stands."""
        if not cells:
            return "searching"
        _, low, high = self.at(cells)
        if high <= self.low:
            return "below the range"
        if low >= self.high:
            return "above the range"
        if self.values:  # stopping as soon as an interval is short favours lucky ones: a wider one must be short
            _, low, high = crossing(cells, self.level, SURE)
        if low > 0 and high <= self.precision * low:
            return "found"
        return "budget spent" if sum(cell.trials for cell in cells) >= self.budget else "searching"

    def at(self, cells: Sequence[Cell]) -> Estimate:
        """Where the level is reached, with its interval."""
        return crossing(cells, self.level) if self.values else Fit.of(cells, self.level).at

    def next(self, cells: Sequence[Cell]) -> list[tuple[float, int]]:
        """Values of the next round with the trials to add at each; none when the search is over."""
        if self.state(cells) != "searching":
            return []
        if self.values:
            return self.between(cells)
        if not cells:
            return [(value, self.trials) for value in self._rounded(np.geomspace(self.low, self.high, FIRST))]
        at = self.at(cells)
        low, high = max(at.low, self.low), min(at.high, self.high)
        # A value outside its own clipped interval, or an unknown one, says only: somewhere in between.
        middle = at.value if low < at.value < high else math.sqrt(low * high)
        values = self._rounded([low, middle, high])
        left = self.budget - sum(cell.trials for cell in cells)
        each = min(self.trials, left // len(values))
        return [(value, each) for value in values] if each else [(values[len(values) // 2], left)]

    def between(self, cells: Sequence[Cell]) -> list[tuple[float, int]]:
        """On a grid: the middle of the untried values that may hold the edge, or else the values around the interval.

        A value gets half as many trials again as it has had: few rounds, and none that is wasted on one outcome.
        """
        _, low, high = self.at(cells)
        first = max((i for i, cell in enumerate(cells) if cell.value <= low), default=0)
        last = min((i for i, cell in enumerate(cells) if cell.value >= high), default=len(cells) - 1)
        near = cells[first : last + 1]
        if untried := [cell for cell in near if not cell.trials]:
            return [(untried[len(untried) // 2].value, min(self.trials, self.most))]
        more = [(cell.value, min(max(self.trials, cell.trials // 2), self.most - cell.trials)) for cell in near]
        return [(value, count) for value, count in more if count > 0]

    def _rounded(self, values: Sequence[float] | np.ndarray) -> list[float]:
        """The values, within the range, without repetition: whole numbers, or three digits."""
        inside = [min(max(float(value), self.low), self.high) for value in values]
        near = [round(value) if self.whole else float(f"{value:.3g}") for value in inside]
        return sorted(set(near))


def explore(design: Design, trial: Callable[[float], bool]) -> list[Cell]:
    """A whole search where a trial is a function of the value: rounds until the design has enough."""
    counts: dict[float, tuple[int, int]] = {}
    found = [Cell(value, 0, 0) for value in design.values]
    while todo := design.next(found):
        for value, more in todo:
            won, trials = counts.get(value, (0, 0))
            counts[value] = won + sum(trial(value) for _ in range(more)), trials + more
        found = [Cell(value, *counts.get(value, (0, 0))) for value in sorted({*design.values, *counts})]
    return found
