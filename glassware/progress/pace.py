"""How much of a sweep's work is done, and when it may end.

rich.progress extrapolates from counts; here runs stop early, differ a thousandfold in cost, and a forecast is known.
"""

from __future__ import annotations

from collections import Counter

from glassware.engine import Chunk, evaluation_flops, solve_flops, step_flops
from glassware.sweeps import Plan
from glassware.training import Run

SMALLEST_STEP = 1e5  # flops; a smaller step is all overhead and takes as long as this one
TRUSTED = 0.25  # share of the work after which only the speed so far counts


class Pace:
    """The work of a sweep. A run that stops early counts its remaining steps as done.

    Args:
        plan: the sweep's plan.
        limit: seconds it takes at most, if known: the answer until there is a speed to go by.
    """

    def __init__(self, plan: Plan, limit: float | None = None) -> None:
        self.limit = limit
        self._todo, self._all_steps = plan.todo, plan.steps
        self._full = self._taken = 0  # steps of finished runs: all they were allowed, and those they took
        self._flying = 0  # steps of runs still on their lanes
        # Work, not steps: the engine takes the cheap shapes first.
        self._waiting = Counter(_step_work(run) for run in plan.todo.values() if not run.model.solved)
        self._all_work, self._work = sum(_work(run) for run in plan.todo.values()), 0.0

    def on_chunk(self, chunk: Chunk) -> None:
        self._flying += chunk.steps

    def on_row(self, row: dict[str, object]) -> None:
        run = self._todo[str(row["id"])]
        self._work += _work(run)
        if not run.model.solved:
            taken = int(str(row["steps_taken"]))
            self._full, self._taken = self._full + run.steps, self._taken + taken
            self._flying = max(0, self._flying - taken)
            self._waiting -= Counter([_step_work(run)])

    @property
    def steps(self) -> int:
        """Steps that are done, or that early stops have spared."""
        return min(self._all_steps, self._full + self._flying)

    @property
    def rests_on_limit(self) -> bool:
        """Whether the time left depends more on the limit, which few runs need, than on the speed so far."""
        return self._trust() < 0.5

    def seconds_left(self, elapsed: float) -> float | None:
        """Seconds left if the speed and the share of early stops stay as they are; None while too little is known.

        Early on the limit, less the share of steps that early stops save, counts for more than the speed so far: the
        first seconds go into compiling and into the cheapest shapes.
        """
        if not self._all_work:
            return None
        done = self._done()
        if self.limit is None:
            return elapsed * (1 - done) / done if elapsed >= 3 and done >= 0.01 else None
        taken = (self._taken + self._flying) / (self._full + self._flying) if self._full else 1.0
        trust = self._trust()
        total = (1 - trust) * self.limit * taken + (trust * elapsed / done if done else 0.0)
        return total * (1 - done)

    def _done(self) -> float:
        """Share of all work that is done."""
        flying = self._flying * min(self._waiting, default=0.0)
        return min(1.0, (self._work + flying) / self._all_work) if self._all_work else 0.0

    def _trust(self) -> float:
        """How much the speed so far counts against the limit, from 0 to 1."""
        return 1.0 if self.limit is None else min(1.0, (self._done() / TRUSTED) ** 2)


def _work(run: Run) -> float:
    """Floating-point operations of a run that does not stop early."""
    return solve_flops(run) if run.model.solved else run.steps * _step_work(run)


def _step_work(run: Run) -> float:
    """Floating-point operations per step, with its share of an evaluation: the same for all runs of a shape."""
    return max(step_flops(run), SMALLEST_STEP) + evaluation_flops(run) / run.evaluation.every
