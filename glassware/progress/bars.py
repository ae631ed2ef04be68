"""Bars for the runs and steps of a sweep, and the line below them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn
from rich.table import Column
from rich.text import Text

from glassware.engine import Chunk
from glassware.foundation.quantities import clock_text, runs_text, short
from glassware.progress.edge import Edge
from glassware.progress.pace import Pace
from glassware.sweeps import Plan

BAR = 60  # columns of a bar; less where the terminal is narrow
LONG = 1_000_000  # counts from here on are shortened


class Counts(ProgressColumn):
    """``1,203/4,000`` or ``12.3M/40M``."""

    def render(self, task: Task) -> Text:
        total = task.total or 0
        show = "{:,.0f}".format if total < LONG else short
        return Text(f"{show(task.completed)}/{show(total)}")


class Bars(Progress):
    """Counts a sweep's runs and steps, and draws them if there is a terminal.

    Args:
        plan: the sweep's plan.
        limit: seconds it takes at most, if known.
        console: where to draw.
        disable: count only.
        clock: seconds that never go back.
    """

    def __init__(
        self,
        plan: Plan,
        limit: float | None,
        console: Console | None = None,
        *,
        disable: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        right = Column(no_wrap=True, justify="right")
        super().__init__(
            TextColumn("{task.description}", table_column=Column(no_wrap=True)),
            BarColumn(BAR),
            Counts(right),
            TaskProgressColumn(table_column=right),
            console=console,
            refresh_per_second=5,  # by a thread of its own: the clock goes on while the device computes
            transient=True,
            get_time=clock,
            disable=disable,
        )
        self.pace, self.edge, self.successes, self.diverged = Pace(plan, limit), Edge(), 0, 0
        self.add_task("runs", total=len(plan.todo))
        self.add_task("steps", total=plan.steps, visible=plan.steps > 0)  # models that are solved take none
        self.runs, self.steps = self.tasks

    def on_chunk(self, chunk: Chunk) -> None:
        self.pace.on_chunk(chunk)
        self.update(self.steps.id, completed=self.pace.steps)

    def on_row(self, row: dict[str, object]) -> None:
        self.pace.on_row(row)
        self.edge.on_row(row)
        self.successes += bool(row["success"])
        self.diverged += row["diverged_step"] is not None
        self.update(self.runs.id, advance=1)
        self.update(self.steps.id, completed=self.pace.steps)

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        if self.tasks:  # rich asks once before there are any
            # Not a column: padded to the terminal's edge, the ^C that a terminal echoes would break the line.
            yield Text(self.facts())

    def facts(self) -> str:
        """What the bars do not show: speed, successes and time, in one line."""
        elapsed, parts = self.runs.elapsed or 0.0, []
        if self.runs.completed:
            # All runs over all seconds: they finish in bursts, which make rich's speed of the last ones jump.
            parts += [f"{self.runs.completed / max(elapsed, 1e-9):.3g} runs/s", f"{self.successes:,} succeeded"]
        if self.diverged:
            parts.append(f"{self.diverged:,} diverged")
        parts += filter(None, [self.edge.words()])
        parts.append(f"{clock_text(elapsed)} elapsed")
        left = self.pace.seconds_left(elapsed)
        if left is not None and self.runs.remaining:
            parts.append(f"{'at most ' if self.pace.rests_on_limit else ''}about {clock_text(left)} left")
        return " · ".join(parts)

    def line(self) -> str:
        """Everything, in one line."""
        steps = f"{self.steps.percentage:.0f}% of steps · " if self.steps.visible else ""
        return f"{self.runs.completed:,.0f} of {self._all_runs} · {steps}{self.facts()}"

    def outcome(self) -> str:
        """What was trained, in one line."""
        part = f"{self.runs.completed:,.0f} of " if self.runs.remaining else ""
        diverged = f", {self.diverged:,} diverged" if self.diverged else ""
        spent = clock_text(self.runs.elapsed or 0.0)
        return f"trained {part}{self._all_runs} in {spent}: {self.successes:,} succeeded{diverged}"

    @property
    def _all_runs(self) -> str:
        return runs_text(int(self.runs.total or 0))
