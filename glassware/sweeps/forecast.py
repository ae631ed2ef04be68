"""The answer to "how long will it take": cells, totals, and what they rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from glassware.engine import Engine
from glassware.sweeps.experience import Basis
from glassware.training import Run

# A table is made along a column in which the cells differ: one of these, else a number, else anything.
FIRST = ("width", "m")
NO_AXES = {"seed", "probes", "keep", "pairing"}


@dataclass(frozen=True)
class Amount:
    """Training steps, useful floating-point operations, seconds on this machine."""

    steps: float = 0.0
    flops: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.steps + other.steps, self.flops + other.flops, self.seconds + other.seconds)

    def __mul__(self, count: float) -> Amount:
        return Amount(self.steps * count, self.flops * count, self.seconds * count)


@dataclass(frozen=True)
class Measured:
    """A shape that was timed: the path that trains it, floating-point operations per second, seconds to compile."""

    shape: Run
    engine: Engine
    flops: float
    compiling: float


@dataclass(frozen=True)
class ForecastCell:
    """Runs that differ in their seed alone.

    Attributes:
        run: one of them.
        runs: how many there are.
        todo: how many of them are not finished.
        mean: what one of them is expected to take.
        most: what one of them takes if it does not stop early.
        worst: share of the expected steps that is the whole budget, for lack of runs to judge by.
        basis: what the expectation rests on.
    """

    run: Run
    runs: int
    todo: int
    mean: Amount
    most: Amount
    worst: float
    basis: Basis


@dataclass(frozen=True)
class Total:
    """Several cells together: runs, what they are expected to take, what they take at most."""

    runs: int
    mean: Amount
    most: Amount


@dataclass(frozen=True)
class Forecast:
    """What a grid of runs takes on this machine.

    Attributes:
        cells: the grid.
        compiling: seconds for programs that the measurement did not compile.
        measured: the shapes that were timed.
        later: stages whose runs depend on results that are not there yet; they are not in the cells.
    """

    cells: tuple[ForecastCell, ...]
    compiling: float
    measured: tuple[Measured, ...]
    later: int = 0

    @property
    def whole(self) -> Total:
        """All runs, finished or not."""
        return _total(self.cells, lambda cell: cell.runs)

    @property
    def left(self) -> Total:
        """The runs that are not finished."""
        return _total(self.cells, lambda cell: cell.todo)

    @property
    def at_most(self) -> float:
        """Seconds that what is left takes if no run stops early, compiling included."""
        return self.left.most.seconds + (self.compiling if self.left.runs else 0.0)

    @property
    def expected(self) -> float:
        """Seconds that what is left should take, compiling included."""
        return self.left.mean.seconds + (self.compiling if self.left.runs else 0.0)

    @cached_property
    def _columns(self) -> list[dict[str, Any]]:
        return [cell.run.given_columns() for cell in self.cells]

    @cached_property
    def axis(self) -> str:
        """The column a table is made along."""
        values: dict[str, set[object]] = {}
        for columns in self._columns:
            for name, value in columns.items():
                if name not in NO_AXES and not isinstance(value, list | tuple):
                    values.setdefault(name, set()).add(value)
        varies = [name for name, found in values.items() if len(found) > 1]
        numbers = [name for name in varies if all(value is None or _number(value) for value in values[name])]
        return next((name for name in (*FIRST, *numbers, *varies) if name in varies), FIRST[0])

    def lines(self) -> list[tuple[Any, Total]]:
        """Totals by the value of ``axis``, in order; the sample of online runs is ``online``."""
        groups: dict[Any, list[ForecastCell]] = {}
        for cell, columns in zip(self.cells, self._columns, strict=True):
            value = columns.get(self.axis)
            groups.setdefault("online" if self.axis == "m" and value is None else value, []).append(cell)
        ordered = sorted(groups, key=lambda v: (v is None, isinstance(v, str), v))
        return [(v, _total(groups[v], lambda cell: cell.runs)) for v in ordered]

    def basis(self) -> dict[str, float]:
        """Shares of the expected seconds of all runs by what they rest on; they add up to 1.

        ``cell``: rows of the same cell. ``neighbour``: rows of the nearest cell. ``certain``: runs that never stop
        early. ``worst``: nothing, so that every run is taken to use all its steps.
        """
        shares = dict.fromkeys(("cell", "neighbour", "certain", "worst"), 0.0)
        for cell in self.cells:
            seconds = cell.runs * cell.mean.seconds
            shares["worst"] += seconds * cell.worst
            if cell.basis != "nothing":
                shares[cell.basis] += seconds * (1 - cell.worst)
        whole = sum(shares.values())
        return {name: share / whole if whole else 0.0 for name, share in shares.items()}

    def plain(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "runs": self.whole.runs,
            "todo": self.left.runs,
            "expected": asdict(self.whole.mean),
            "at_most": asdict(self.whole.most),
            "left": {"expected_seconds": self.expected, "at_most_seconds": self.at_most},
            "basis": self.basis(),
            "later_stages": self.later,
            "axis": self.axis,
            "lines": [
                {self.axis: value, "runs": line.runs, "expected": asdict(line.mean), "at_most": asdict(line.most)}
                for value, line in self.lines()
            ],
            "measured": [
                {"shape": one.shape.label(), "engine": one.engine, "flops_per_second": one.flops}
                for one in self.measured
            ],
        }


def _total(cells: Iterable[ForecastCell], count: Callable[[ForecastCell], int]) -> Total:
    runs, mean, most = 0, Amount(), Amount()
    for cell in cells:
        runs, mean, most = runs + count(cell), mean + cell.mean * count(cell), most + cell.most * count(cell)
    return Total(runs, mean, most)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
