"""Made rows of Hidden Progress: times of our choice for the runs of a study."""

from collections.abc import Callable, Iterable

import polars as pl

from glassware.training import Run
from tests.helpers import tiny
from tests.studies.made import pretend

Time = Callable[[Run], float | None]  # the convergence time of a run; None: it fails


def timing(runs: Iterable[Run]) -> Callable[[Time], pl.DataFrame]:
    """Rows of these runs as a function of their times."""
    listed = list(runs)
    made = pretend(listed or [tiny()], lambda run: True)[: len(listed)]

    def timed(time: Time) -> pl.DataFrame:
        times = [time(run) for run in listed]
        return made.with_columns(
            pl.Series("success", [t is not None for t in times], pl.Boolean),
            pl.Series("steps_to_success", [None if t is None else round(t) for t in times], pl.Int64),
        )

    return timed


def index(run: Run) -> int:
    """0, 1, .. of a run among those that differ in the seed alone."""
    return run.seed - 100
