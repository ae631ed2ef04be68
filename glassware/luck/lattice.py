"""The edge of success on a grid of two axes: where to train next, and where the edge is, from counts alone.

Every row and every column of the grid is a one-axis search (``design.py``) on its own cells; a run serves both. What a
cell says of others decides only where to look: the estimate of a line, and its interval, come from runs of that line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations, product
from typing import Literal, NamedTuple, TypeAlias

from glassware.foundation.errors import GlasswareError
from glassware.foundation.statistics import Estimate, fisher_exact, wilson
from glassware.luck.curve import Cell
from glassware.luck.design import FIRST, Design
from glassware.luck.design import State as LineState

Place: TypeAlias = tuple[int, int]  # of a cell: which value along x, which along y
State: TypeAlias = LineState | Literal["inferred below the range", "inferred above the range"]
WORTH = 0.03  # of the best cell's gain per unit of work: what a round takes along


class Count(NamedTuple):
    """What a cell's runs have shown, and the work that they took."""

    won: int = 0
    trials: int = 0
    work: float = 0.0


Counts: TypeAlias = Mapping[Place, Count]


class Line(NamedTuple):
    """A row or a column of the grid, and the success rate whose place on it is looked for."""

    along: Literal["x", "y"]
    at: int
    level: float


@dataclass(frozen=True)
class Lattice:
    """How to look for the edge on a grid. It knows counts alone, not what a run is.

    Attributes:
        x, y: the values along the axes, ascending. More of either should not hurt; ``falls`` says where it does.
        levels: success rates whose edges are looked for.
        precision: a line is done when its 99% interval's upper end is at most so many times the lower one,
        seeds: or when every cell that its interval hangs on has had so many runs.
        trials: first runs of a cell.
        work: the search ends when it has taken this share of what ``seeds`` runs in every cell would take.
        columns: whether edges along y are looked for as well as those along x.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    levels: tuple[float, ...] = (0.5,)
    precision: float = 1.1
    seeds: int = 50
    trials: int = 4
    work: float = 0.08
    columns: bool = True

    def __post_init__(self) -> None:
        if not 0 < self.work <= 1:
            raise GlasswareError(f"work must be a share above 0 and at most 1, as 0.1, not {self.work:g}")
        if self.trials < 1 or self.seeds < self.trials:
            raise GlasswareError(f"seeds must allow the first {self.trials} runs of a cell, not {self.seeds}")
        if not self.levels:
            raise GlasswareError("levels must have at least one success rate, as 0.5")
        for line in self.lines:
            self.design(line)  # says what is wrong with level and precision

    @cached_property
    def lines(self) -> list[Line]:
        """Every row, and every column where these are looked for and there are several values of y."""
        found = list[Line]()
        for level in self.levels:
            found += [Line("x", j, level) for j in range(len(self.y))]
            found += [Line("y", i, level) for i in range(len(self.x)) if self.columns and len(self.y) > 1]
        return found

    def design(self, line: Line) -> Design:
        """The search of one line."""
        values = self.x if line.along == "x" else self.y
        budget = max(len(values) * self.seeds, FIRST * self.trials)
        return Design(values[0], values[-1], line.level, self.precision, budget, self.trials, False, values, self.seeds)

    def places(self, line: Line) -> list[Place]:
        if line.along == "x":
            return [(i, line.at) for i in range(len(self.x))]
        return [(line.at, j) for j in range(len(self.y))]

    def cells(self, line: Line, counts: Counts) -> list[Cell]:
        """Successes and trials along a line."""
        values = self.x if line.along == "x" else self.y
        found = (counts.get(place, Count()) for place in self.places(line))
        return [Cell(value, count.won, count.trials) for value, count in zip(values, found, strict=True)]

    def _rising(self, line: Line, counts: Counts) -> tuple[Design, list[Cell]]:
        """The search of a line and its cells; where success ends again, up to where it surely succeeded."""
        design, cells = self.design(line), self.cells(line, counts)
        top = self.turns(line, counts)
        if top is None:
            return design, cells
        until = [cell if cell.value <= top else Cell(cell.value, 0, 0) for cell in cells]
        last = max(1, [cell.value for cell in cells].index(top))  # an edge has two neighbours
        return replace(design, high=design.values[last], values=design.values[: last + 1]), until[: last + 1]

    def edge(self, line: Line, counts: Counts, state: State) -> Estimate:
        """Where success crosses the level on a line, by the line's own runs; inferred lines have the grid's end."""
        design, own = self._rising(line, counts)
        if "below" in state:
            return Estimate(math.nan, 0.0, design.low)
        return Estimate(math.nan, design.high, math.inf) if "above" in state else design.at(own)

    def inferred(self, counts: Counts, level: float) -> dict[Place, bool]:
        """Cells without runs that lie beyond one which surely fails, or surely succeeds, on both axes.

        Where success is seen to fall along a row or a column, nothing is inferred of its cells; where it falls through
        the level, nothing is inferred along that axis at all.
        """
        falling = {place for line in self.lines if self.falls(line, counts) for place in self.places(line)}
        turned = {line.along for line in self.lines if line.level == level and self.turns(line, counts)}

        def beyond(place: Place, known: Place) -> bool:
            (i, j), (a, b) = place, known
            return (i == a if "x" in turned else i >= a) and (j == b if "y" in turned else j >= b)

        sure = {place: _sure(count, level) for place, count in counts.items() if count.trials}
        failing = [place for place, side in sure.items() if side is False]
        succeeding = [place for place, side in sure.items() if side is True]
        found: dict[Place, bool] = {}
        for i, j in product(range(len(self.x)), range(len(self.y))):
            if (i, j) in sure or (i, j) in falling:
                continue
            here = (i, j)
            fails = any(beyond(place, here) for place in failing)
            succeeds = any(beyond(here, place) for place in succeeding)
            # Cells further out must agree: success that is in doubt at the end of an axis may be over before.
            further = (place for place in sure if (beyond(place, here) if succeeds else beyond(here, place)))
            agreed = all(sure[place] is succeeds for place in further)
            if fails != succeeds and agreed:
                found[i, j] = succeeds
        return found

    def next(self, counts: Counts) -> dict[Place, int]:
        """Runs to add in each cell; none when the search is over."""
        return dict(_next(self, tuple(sorted(counts.items()))))

    def _round(self, counts: Counts) -> dict[Place, int]:
        first, worth, more = dict[Place, int](), dict[Place, float](), dict[Place, int]()
        guessed = {level: self.inferred(counts, level) for level in self.levels}
        for line in self.lines:
            places = self.places(line)
            design, own = self._rising(line, counts)
            end = counts.get(places[-1], Count())
            if line.along == "x" and _sure(end, line.level) is None and end.trials < self.seeds:
                # Success should last to the end of the axis: look, until it is sure on which side of the level it is.
                first[places[-1]] = min(max(2 * self.trials, end.trials // 2), self.seeds - end.trials)
            known = self._known(line, counts, guessed[line.level])
            if (state := self._state(line, counts, known)) != "searching":
                if state == "above the range" and (place := self._doubted(line, counts)):
                    had = counts.get(place, Count()).trials
                    first[place] = min(max(self.trials, had // 2), self.seeds - had)
                continue
            at = {cell.value: (place, cell) for cell, place in zip(own, places, strict=False)}
            length = self._length(design, known)
            for value, count in design.between(known):
                place, cell = at[value]
                if not counts.get(place, Count()).trials:
                    first[place] = self.trials
                if not cell.trials:
                    continue
                rate = (cell.won + 0.5) / (cell.trials + 1)
                then = cell._replace(won=cell.won + rate * count, trials=cell.trials + count)
                after = self._length(design, [then if one.value == value else one for one in known])
                worth[place] = worth.get(place, 0.0) + max(length - after, 1e-6)
                more[place] = max(more.get(place, 0), count)
        if first:
            return first
        return self._best(worth, more, counts)

    def states(self, counts: Counts) -> dict[Line, State]:
        """How the search of each line stands; ``budget spent`` where neither seeds nor work are left to narrow it."""
        over, guessed = not self.next(counts), {level: self.inferred(counts, level) for level in self.levels}
        found: dict[Line, State] = {}
        for line in self.lines:
            known = self._known(line, counts, guessed[line.level])
            state = self._state(line, counts, known)
            found[line] = "budget spent" if state == "searching" and over else state
        return found

    def falls(self, line: Line, counts: Counts) -> tuple[float, float] | None:
        """Two values of a line of which the larger succeeds significantly less often (5%, Bonferroni); the worst pair.

        More of an axis should not hurt. Where it does, a line may cross its level more than once.
        """
        cells = [cell for cell in self.cells(line, counts) if cell.trials]
        pairs = [(a, b) for a, b in combinations(cells, 2) if a.won * b.trials > b.won * a.trials]
        tested = [(_chance(a.won, a.trials, b.won, b.trials), a.value, b.value) for a, b in pairs]
        number = len(cells) * (len(cells) - 1) / 2
        worst = min(tested, default=None)
        return None if worst is None or worst[0] * number > 0.05 else worst[1:]

    def turns(self, line: Line, counts: Counts) -> float | None:
        """The first value that surely succeeds, where a larger one surely fails: the edge is the rise before it."""
        sure = {value: _sure(counts[place], line.level) for value, place in self._tried(line, counts)}
        first = next((value for value, side in sure.items() if side), None)
        return first if first and any(side is False and value > first for value, side in sure.items()) else None

    def _tried(self, line: Line, counts: Counts) -> list[tuple[float, Place]]:
        values = self.x if line.along == "x" else self.y
        pairs = zip(values, self.places(line), strict=True)
        return [(value, place) for value, place in pairs if place in counts]

    def _doubted(self, line: Line, counts: Counts) -> Place | None:
        """A cell to be sure of in a row that seems to lie below the level everywhere.

        Success may have a band: the row's own successes tell where, and those of the next rows, middle ones first.
        """
        if line.along == "y":
            return None
        at = lambda place: counts.get(place, Count())
        looked = [place for place in self.places(line) if at(place).won]
        looked.sort(key=lambda place: -counts[place].won / counts[place].trials)
        for j in (line.at - 1, line.at + 1):
            won = [place[0] for place, count in sorted(counts.items()) if place[1] == j and _sure(count, line.level)]
            h = len(won) // 2
            looked += [(i, line.at) for i in won[h : h + 1] + won[h - 1 : h] + won[h + 1 : h + 2]]
        unsure = lambda count: _sure(count, line.level) is None and count.trials < self.seeds
        return next((place for place in looked if unsure(at(place))), None)

    def _known(self, line: Line, counts: Counts, guessed: Mapping[Place, bool]) -> list[Cell]:
        """A line's cells, with first runs as expected in those that others tell of."""
        _, own = self._rising(line, counts)
        pairs = zip(own, self.places(line), strict=False)
        return [
            Cell(cell.value, self.trials * guessed[place], self.trials) if place in guessed else cell
            for cell, place in pairs
        ]

    def _state(self, line: Line, counts: Counts, known: Sequence[Cell]) -> State:
        design, own = self._rising(line, counts)
        if (found := design.state(own)) != "searching":
            return found
        there = design.state(known)
        if there == "below the range":
            return "inferred below the range"
        return "inferred above the range" if there == "above the range" else "searching"

    def _length(self, design: Design, cells: Sequence[Cell]) -> float:
        """Of a line's interval: ln of how many times the precision asked for."""
        _, low, high = design.at(cells)
        return math.log(max(math.log(min(high, design.high) / max(low, design.low)), math.log(design.precision)))

    def _best(self, worth: Mapping[Place, float], more: Mapping[Place, int], counts: Counts) -> dict[Place, int]:
        """The cells that narrow the most intervals for their work, as far as there is work left."""
        price = self.prices(counts)
        left = self.work * self.seeds * sum(price.values()) - sum(count.work for count in counts.values())
        score = {place: worth[place] / max(price[place] * more[place], 1e-300) for place in worth}
        found: dict[Place, int] = {}
        for place in sorted(score, key=lambda one: (-score[one], one)):
            if score[place] < WORTH * max(score.values()) or price[place] * more[place] > left:
                continue
            left -= price[place] * more[place]
            found[place] = more[place]
        return found

    def prices(self, counts: Counts) -> dict[Place, float]:
        """The work of a run in each cell; where none was trained, that of the nearest cell with the same y."""
        mean = {place: count.work / count.trials for place, count in counts.items() if count.trials}
        found: dict[Place, float] = {}
        for i, j in product(range(len(self.x)), range(len(self.y))):
            near = min(mean, key=lambda one: (abs(one[1] - j), abs(one[0] - i), one), default=None)
            found[i, j] = 0.0 if near is None else mean[near] * self.y[j] / self.y[near[1]]
        return found


@lru_cache(maxsize=1024)  # where several searches advance side by side, some are over and asked again
def _next(lattice: Lattice, counts: tuple[tuple[Place, Count], ...]) -> dict[Place, int]:
    return lattice._round(dict(counts))


@lru_cache(maxsize=65536)
def _chance(won: int, trials: int, other_won: int, other_trials: int) -> float:
    """How probable so large a difference is by chance alone."""
    return fisher_exact(won, trials, other_won, other_trials)


def _sure(count: Count, level: float) -> bool | None:
    """Whether a cell's interval lies wholly above the level (true) or below it (false)."""
    _, low, high = wilson(count.won, count.trials)
    return True if low > level else False if high < level else None
