"""Runs in flight: what has been measured of each so far, and what somebody who watches sees of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from glassware.models import Params
from glassware.training import Run


@dataclass(frozen=True)
class Glance:
    """A run in flight, as it is after a chunk.

    Attributes:
        run: which one.
        curves: ``step`` and every measured column so far, one entry per evaluation.
        params: gives the network as it is now; only while the chunk is looked at.
    """

    run: Run
    curves: dict[str, np.ndarray]
    params: Callable[[], Params]


@dataclass
class Chunk:
    """Progress of one advance, for whoever watches; ``look`` shows the runs that took part in it."""

    steps: int
    active: int
    seconds: float
    look: Callable[[], list[Glance]] = list


@dataclass
class Flight:
    """A run on a lane, and its curves so far."""

    run: Run
    steps: list[np.ndarray] = field(default_factory=list)
    curves: list[np.ndarray] = field(default_factory=list)
    seconds: float = 0.0
    taken: int = 0

    def named(self, columns: Mapping[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
        """The curves by column, with the shape of a point."""
        curves = np.concatenate(self.curves)
        named, at = {"step": np.concatenate(self.steps)}, 0
        for name, shape in columns.items():
            named[name] = curves[:, at : at + math.prod(shape)].reshape(-1, *shape)
            at += math.prod(shape)
        return named


def glances(
    flights: Sequence[Flight | None], columns: Mapping[str, tuple[int, ...]], params: Callable[[int], Params]
) -> list[Glance]:
    """The runs in flight, as they are now; ``params`` gives the network of a lane."""
    found = [(lane, flight) for lane, flight in enumerate(flights) if flight is not None]
    return [Glance(flight.run, flight.named(columns), partial(params, lane)) for lane, flight in found]
