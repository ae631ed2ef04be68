"""Lots: runs of one shape that a worker trains at once, as many as take it a few seconds.

Large lots spare messages and keep a device full; small ones are even at the end, and little is lost with a worker. So a
lot is sized by the speed that the same kind of worker has shown, and never more than its part of what is left.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict, deque
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from glassware.engine import step_flops
from glassware.training import Run

SECONDS = 15.0  # what a lot should take
FIRST = 4  # runs per device of a first lot, whose speed is unknown
DEATHS = 3  # workers that died of a run before it is given up


@dataclass(frozen=True)
class Kind:
    """What a worker is: workers of one kind are equally fast."""

    device: str  # CPU or GPU
    devices: int  # trained on side by side


@dataclass
class Lot:
    """Runs by id, to be trained at once."""

    shape: Hashable
    runs: dict[str, Run]
    number: int = field(default_factory=itertools.count().__next__)


class Lots:
    """The runs that nobody trains yet."""

    def __init__(self, todo: Mapping[str, Run]) -> None:
        self._left: dict[Hashable, deque[str]] = defaultdict(deque)
        self._runs = dict(todo)
        for key, run in sorted(todo.items(), key=lambda item: -item[1].steps):  # the longest of a shape first
            self._left[_shape(run)].append(key)
        self._rates: dict[tuple[Hashable, Kind], float] = {}  # runs per second
        self._deaths: dict[str, int] = defaultdict(int)
        self._suspects: deque[Lot] = deque()

    def __bool__(self) -> bool:
        return bool(self._suspects) or any(self._left.values())

    @property
    def left(self) -> int:
        """Runs that nobody trains yet."""
        return sum(map(len, self._left.values())) + sum(len(lot.runs) for lot in self._suspects)

    def take(self, kind: Kind, workers: int, known: set[Hashable]) -> Lot | None:
        """The next lot for a worker; None when nothing is left.

        Args:
            workers: how many share the rest.
            known: shapes that it has compiled, which it gets first.
        """
        if self._suspects:
            return self._suspects.popleft()
        waiting = [shape for shape, keys in self._left.items() if keys]
        if not waiting:
            return None
        shape = max(waiting, key=lambda shape: (shape in known, self._work(shape)))
        keys = self._left[shape]
        rate = self._rates.get((shape, kind))
        fair = math.ceil(len(keys) / (2 * workers))
        size = FIRST * kind.devices if rate is None else min(round(rate * SECONDS), fair)
        if kind.device == "GPU" and rate is None:
            size = max(size, fair)  # its lanes step together: a few take as long as thousands
        taken = [keys.popleft() for _ in range(min(len(keys), max(size, kind.devices)))]
        return Lot(shape, {key: self._runs[key] for key in taken})

    def done(self, lot: Lot, kind: Kind, seconds: float, known: bool) -> None:
        """A lot is finished; with a shape the worker had not compiled before the time says little."""
        if known or seconds > SECONDS:
            new, place = len(lot.runs) / max(seconds, 1e-3), (lot.shape, kind)
            self._rates[place] = (self._rates.get(place, new) + new) / 2

    def lost(self, lot: Lot, died: bool) -> list[str]:
        """A lot whose worker is gone comes back; returns the runs that are given up.

        Args:
            died: the worker alone is gone, so that one of these runs may be why: each half is tried by itself.
        """
        if not died:
            self._left[lot.shape].extendleft(lot.runs)
            return []
        keys = list(lot.runs)
        for key in keys:
            self._deaths[key] += 1
        if len(keys) == 1 and self._deaths[keys[0]] >= DEATHS:
            return keys
        half = -(-len(keys) // 2)
        for part in (keys[:half], keys[half:]):
            if part:
                self._suspects.append(Lot(lot.shape, {key: lot.runs[key] for key in part}))
        return []

    def _work(self, shape: Hashable) -> float:
        """Roughly what a shape still takes: the longest first, so that the last lots are short."""
        first = self._runs[self._left[shape][0]]
        return 0.0 if first.model.solved else step_flops(first) * first.steps


def _shape(run: Run) -> Hashable:
    return f"solved {run.model.name}" if run.model.solved else run.shape()
