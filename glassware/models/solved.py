"""What every model offers that is solved instead of trained: one linear system, in float64 on the host."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import ClassVar, TypeAlias

import numpy as np

from glassware.foundation.arrays import Array, Float, Params
from glassware.foundation.part import Part
from glassware.tasks.task import Task

# Examples as the model sees them and their labels, a block at a time.
Blocks: TypeAlias = Iterable[tuple[Float[np.ndarray, "block seen"], Float[np.ndarray, " block"]]]
Predictor: TypeAlias = Callable[[Float[np.ndarray, "batch seen"]], Float[np.ndarray, " batch"]]


class Solved(Part):
    """A model without steps: it is fitted to m examples at once.

    Attributes:
        drawn: whether it has first weights, drawn as a network's or kept by another run, which then stay.
    """

    name: str

    solved: ClassVar[bool] = True
    drawn: ClassVar[bool] = False
    layered: ClassVar[bool] = False

    @property
    def widths(self) -> tuple[int, ...]:
        """Hidden layer sizes of the network behind it; empty where there is none."""
        return ()

    def sees(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, "*batch seen"]:
        """What it makes of inputs before anything is fitted (traced): the inputs themselves, or features of them."""
        return x

    @abstractmethod
    def solve(self, blocks: Blocks) -> Predictor:
        """Fit these examples; outputs are then a function of what it sees."""

    @abstractmethod
    def solve_flops(self, task: Task, m: int, test: int) -> float:
        """Work of fitting m examples and examining them and ``test`` more."""

    def held_bytes(self, task: Task, m: int) -> int:
        """Memory that fitting m examples surely takes; 0 where that is not known."""
        return 0

    def check(self, task: Task, m: int, scheme: str) -> None:
        """Raise a ValueError of one sentence if it does not fit this task, so many examples or this init scheme."""
