"""Watching a sweep: live bars on a terminal, a line every ten seconds anywhere else."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from glassware.engine import Chunk, Engine, evaluation_flops, solve_flops, step_flops
from glassware.sweeps import Forecast, MeasureError, Plan
from glassware.training import Run

SMALLEST_STEP = 1e5  # flops; a smaller step takes as long as this one, it is all overhead
EVERY = 10.0  # seconds between plain lines
TRUSTED = 0.25  # share of the work after which the time left rests on the speed so far alone


class Tally:
    """Where a sweep stands, and when it may end. A run that stops early counts its remaining steps as done.

    Args:
        plan: the sweep's plan.
        limit: seconds it takes at most, if known: the answer until there is something to go by.
        clock: seconds that never go back.
    """

    def __init__(self, plan: Plan, limit: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.todo, self.limit, self.clock = plan.todo, limit, clock
        self.runs = self.successes = self.diverged = 0
        self.all_runs, self.all_steps = len(plan.todo), plan.steps
        self._full = self._taken = 0  # steps of finished runs: had they gone on to the end, and as it was
        self._flying = 0  # steps of runs still on their lanes
        # Runs are weighed by their work, not by their steps: the engine takes the cheap shapes first.
        self._waiting = Counter(_step_work(run) for run in plan.todo.values() if not run.model.solved)
        self._all_work, self._work = sum(_work(run) for run in plan.todo.values()), 0.0
        self._started = clock()

    def on_chunk(self, chunk: Chunk) -> None:
        self._flying += chunk.steps

    def on_row(self, row: dict[str, object]) -> None:
        run = self.todo[str(row["id"])]
        self.runs += 1
        self.successes += bool(row["success"])
        self.diverged += row["diverged_step"] is not None
        self._work += _work(run)
        if not run.model.solved:
            taken = int(str(row["steps_taken"]))
            self._full, self._taken = self._full + run.steps, self._taken + taken
            self._flying = max(0, self._flying - taken)
            self._waiting -= Counter([_step_work(run)])

    @property
    def steps(self) -> int:
        return min(self.all_steps, self._full + self._flying)

    @property
    def elapsed(self) -> float:
        return self.clock() - self._started

    @property
    def speed(self) -> float:
        """Runs a second."""
        return self.runs / max(self.elapsed, 1e-9)

    def remaining(self) -> float | None:
        """Seconds left, if work goes on at its speed so far and as many runs stop early; None when nobody can say.

        Early on the limit, less the share of steps that early stops save, counts for more than the speed so far: the
        first seconds go into compiling and into the cheapest shapes.
        """
        if not self._all_work:
            return None
        done = self._done()
        if self.limit is None:
            return self.elapsed * (1 - done) / done if self.elapsed >= 3 and done >= 0.01 else None
        taken = (self._taken + self._flying) / (self._full + self._flying) if self._full else 1.0
        trust = self._trust()
        total = (1 - trust) * self.limit * taken + (trust * self.elapsed / done if done else 0.0)
        return total * (1 - done)

    def _done(self) -> float:
        """Share of all work that is done."""
        flying = self._flying * min(self._waiting, default=0.0)
        return min(1.0, (self._work + flying) / self._all_work) if self._all_work else 0.0

    def _trust(self) -> float:
        """How much the speed so far counts against the limit, from 0 to 1."""
        return 1.0 if self.limit is None else min(1.0, (self._done() / TRUSTED) ** 2)

    def text(self) -> str:
        """All but the bars, in a line."""
        parts = [f"{self.speed:.3g} runs/s", f"{self.successes:,} succeeded"] if self.runs else []
        if self.diverged:
            parts.append(f"{self.diverged:,} diverged")
        parts.append(f"{clock_text(self.elapsed)} elapsed")
        left = self.remaining()
        if left is not None and self.runs < self.all_runs:
            bound = "at most " if self._trust() < 0.5 else ""  # it rests on the limit still, which few runs need
            parts.append(f"{bound}about {clock_text(left)} left")
        return " · ".join(parts)


class Progress:
    """Prints what a sweep has to do, how far it is, and what it did. A ``Reporter`` (see ``glassware.sweeps``).

    Args:
        console: where to print; standard output unless given.
        title: printed above all else, once there is a plan.
        stages: how many sweeps will follow one another; each is announced when there are several.
        lanes, engine: as given to the sweep, so that the program measured is the one that trains.
    """

    def __init__(
        self,
        console: Console | None = None,
        *,
        title: str = "",
        stages: int = 1,
        lanes: int | None = None,
        engine: Engine = "auto",
    ) -> None:
        self.console = console or Console(force_jupyter=False, highlight=False)
        self.title, self.stages, self.stage = title, stages, 0
        self.lanes, self.engine = lanes, engine
        self.kept = 0  # runs of all stages that are finished: before, or now
        self._tally: Tally | None = None
        self._live: Live | None = None
        self._spoke = 0.0

    def on_plan(self, plan: Plan) -> None:
        self._entitle()
        self.stage += 1
        self.kept += plan.finished
        stage = f"stage {self.stage} of {self.stages}: " if self.stages > 1 else ""
        self._say(f"{stage}{runs_text(len(plan.wanted))}: {plan.finished:,} done before, {len(plan.todo):,} to train")
        if not plan.todo:
            return
        forecast = self._forecast(plan)
        if forecast is not None:
            self._say(_outlook(forecast))
        self._tally = Tally(plan, None if forecast is None else forecast.at_most)
        self._spoke = time.monotonic()
        if self._bars():
            # Drawn by a thread of its own: the clock goes on while the device computes.
            self._live = Live(get_renderable=self._draw, console=self.console, refresh_per_second=5, transient=True)
            self._live.start()

    def on_chunk(self, chunk: Chunk) -> None:
        if self._tally is not None:
            self._tally.on_chunk(chunk)
            self._tick(self._tally)

    def on_row(self, row: dict[str, object]) -> None:
        self.kept += 1
        if self._tally is not None:
            self._tally.on_row(row)
            self._tick(self._tally)

    def on_end(self) -> None:
        if self._live is not None:
            self._live.stop()
        if self._tally is not None:
            tally = self._tally
            part = "" if tally.runs == tally.all_runs else f"{tally.runs:,} of "
            diverged = f", {tally.diverged:,} diverged" if tally.diverged else ""
            trained = f"trained {part}{runs_text(tally.all_runs)} in {clock_text(tally.elapsed)}"
            self._say(f"{trained}: {tally.successes:,} succeeded{diverged}")
        self._live = self._tally = None

    def on_message(self, line: str) -> None:
        self._entitle()
        self._say(line)

    def _entitle(self) -> None:
        if self.title:
            self._say(self.title)
        self.title = ""

    def _forecast(self, plan: Plan) -> Forecast | None:
        """The plan's estimate. Where nothing can be measured (a network too large for the device) training says why."""
        try:
            if self._bars():
                with self.console.status("compiling and measuring this machine") as status:
                    return plan.estimate(self.lanes, self.engine, status.update)
            return plan.estimate(self.lanes, self.engine)
        except MeasureError:
            return None

    def _bars(self) -> bool:
        """Whether to draw. Asks the file itself: FORCE_COLOR makes the console call a log file a terminal."""
        return self.console.file.isatty() and self.console.is_terminal and not self.console.is_dumb_terminal

    def _tick(self, tally: Tally) -> None:
        if self._live is None and time.monotonic() - self._spoke >= EVERY:
            self._spoke = time.monotonic()
            share = f" · {tally.steps / tally.all_steps:.0%} of steps" if tally.all_steps else ""
            self._say(f"{tally.runs:,} of {runs_text(tally.all_runs)}{share} · {tally.text()}")

    def _say(self, line: str) -> None:
        self.console.print(line, markup=False, highlight=False, soft_wrap=not self._bars())

    def _draw(self) -> RenderableType:
        tally = self._tally
        if tally is None:
            return ""
        bars = Table.grid(padding=(0, 1))
        bars.add_column()
        bars.add_column(width=max(10, min(60, self.console.width - 36)))
        bars.add_column(justify="right")
        bars.add_column(justify="right")
        counts: list[tuple[str, int, int, Callable[[int], str]]] = [
            ("runs", tally.runs, tally.all_runs, "{:,}".format),
            ("steps", tally.steps, tally.all_steps, short),
        ]
        for name, done, total, show in counts:
            if total:  # a sweep of solved models has no steps
                bars.add_row(name, ProgressBar(total, done), f"{show(done)}/{show(total)}", f"{done / total:.0%}")
        # Not a row of a table: padded to the terminal's edge, the ^C that a terminal echoes would break the line.
        return Group(bars, Text(tally.text()))


def _outlook(forecast: Forecast) -> str:
    """How long it takes, in a line. What the store knows of early stops counts where it knows any."""
    if forecast.expected > 0.95 * forecast.at_most:
        return f"at most about {about(forecast.at_most)}; less when runs succeed early"
    return f"about {about(forecast.expected)} if runs succeed as in the store; at most about {about(forecast.at_most)}"


def _work(run: Run) -> float:
    """Floating-point operations of a run that does not stop early."""
    return solve_flops(run) if run.model.solved else run.steps * _step_work(run)


def _step_work(run: Run) -> float:
    """Floating-point operations of a step and its share of an evaluation: the same for all runs of a shape."""
    return max(step_flops(run), SMALLEST_STEP) + evaluation_flops(run) / run.evaluation.every


def runs_text(count: int) -> str:
    """``1 run``, ``2,020 runs``."""
    return f"{count:,} run" if count == 1 else f"{count:,} runs"


def clock_text(seconds: float) -> str:
    """``1:05`` or ``2:03:04``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def about(seconds: float) -> str:
    """A duration in one unit, rounded up: ``40 s``, ``3 min``, ``5 h``, ``4 days``."""
    for unit, length, most in (("s", 1, 90), ("min", 60, 90), ("h", 3600, 48)):
        if seconds <= most * length:
            return f"{max(1, math.ceil(seconds / length))} {unit}"
    return f"{math.ceil(seconds / 86400)} days"


def short(number: int) -> str:
    """``950``, ``12.3k``, ``4.56M``."""
    for suffix, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if number >= 0.9995 * size:
            return f"{number / size:.3g}{suffix}"
    return str(number)
