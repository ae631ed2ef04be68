"""The reporter that prints: bars on a terminal, one line every ten seconds anywhere else."""

from __future__ import annotations

import time

from rich.console import Console

from glassware.engine import Chunk, Engine
from glassware.foundation.names import printable
from glassware.foundation.quantities import about, runs_text
from glassware.progress.bars import Bars
from glassware.sweeps import Forecast, MeasureError, Plan

EVERY = 10.0  # seconds between plain lines


class Progress:
    """Prints what a sweep has to do, how far it is, and what it did. A ``Reporter`` (see ``glassware.sweeps``).

    Args:
        console: where to print; standard output unless given.
        title: printed above all else, once there is a plan.
        stages: how many sweeps follow one another; each is announced when there are several.
        lanes, engine: as given to the sweep, so that the program measured is the one that trains.
        elsewhere: other machines train, so that the speed of this one says nothing.
    """

    def __init__(
        self,
        console: Console | None = None,
        *,
        title: str = "",
        stages: int = 1,
        lanes: int | None = None,
        engine: Engine = "auto",
        elsewhere: bool = False,
    ) -> None:
        self.console = console or Console(force_jupyter=False, highlight=False)
        self.title, self.stages, self.stage = title, stages, 0
        self.lanes, self.engine, self.elsewhere = lanes, engine, elsewhere
        self.kept = 0  # runs of all stages that are finished: before, or now
        self._bars: Bars | None = None
        self._last_line = 0.0

    def on_plan(self, plan: Plan) -> None:
        self.stage += 1
        self.kept += plan.finished
        stage = f"round {self.stage}: " if self.stage > 1 else ""  # of a search
        stage = f"stage {self.stage} of {self.stages}: " if self.stages > 1 else stage
        counts = f"{plan.finished:,} done before, {len(plan.todo):,} to train"
        self.on_message(f"{stage}{runs_text(len(plan.wanted))}: {counts}")
        if not plan.todo:
            return
        forecast = None if self.elsewhere else self._forecast(plan)
        if forecast is not None:
            self._print(_outlook(forecast))
        limit = None if forecast is None else forecast.at_most
        self._bars = Bars(plan, limit, self.console, disable=not self._draws())
        self._last_line = time.monotonic()
        self._bars.start()

    def on_chunk(self, chunk: Chunk) -> None:
        if self._bars is not None:
            self._bars.on_chunk(chunk)
            self._print_now_and_then(self._bars)

    def on_row(self, row: dict[str, object]) -> None:
        self.kept += 1
        if self._bars is not None:
            self._bars.on_row(row)
            self._print_now_and_then(self._bars)

    def on_end(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._print(self._bars.outcome())
        self._bars = None

    def on_message(self, line: str) -> None:
        if self.title:
            self._print(self.title)
        self.title = ""
        self._print(line)

    def _forecast(self, plan: Plan) -> Forecast | None:
        """The plan's estimate; None if nothing can be measured (a network too large): training will say why."""
        try:
            if self._draws():
                with self.console.status("compiling and measuring this machine") as status:
                    return plan.estimate(self.lanes, self.engine, status.update)
            return plan.estimate(self.lanes, self.engine)
        except MeasureError:
            return None

    def _draws(self) -> bool:
        """Whether to draw. Asks the file itself: FORCE_COLOR makes the console call a log file a terminal."""
        return self.console.file.isatty() and self.console.is_terminal and not self.console.is_dumb_terminal

    def _print_now_and_then(self, bars: Bars) -> None:
        if bars.disable and time.monotonic() - self._last_line >= EVERY:
            self._last_line = time.monotonic()
            self._print(bars.line())

    def _print(self, line: str) -> None:
        self.console.print(printable(line), markup=False, highlight=False, soft_wrap=not self._draws())


def _outlook(forecast: Forecast) -> str:
    """How long it takes, in one line, with the early stops that the store knows of."""
    if forecast.expected > 0.95 * forecast.at_most:
        return f"at most about {about(forecast.at_most)}; less when runs succeed early"
    return f"about {about(forecast.expected)} if runs succeed as in the store; at most about {about(forecast.at_most)}"
