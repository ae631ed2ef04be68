"""Rows of runs that nobody trained: what became of them is said, everything else is as in a real row."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from glassware.engine import Outcome, evaluation_flops, step_flops
from glassware.sweeps.rows import frame, row
from glassware.training import Run
from tests.helpers import tiny

NEVER = math.inf


def made(times: Sequence[float], *, diverged: Sequence[int] = (), **changes: Any) -> list[dict[str, Any]]:
    """Rows of one cell: runs that succeed at ``times`` (infinite: not within their steps) or diverge at a step."""
    rows = []
    for seed, (time, lost) in enumerate([*((time, None) for time in times), *((NEVER, step) for step in diverged)]):
        run = tiny(seed=seed, **changes)
        taken = min(run.steps, time) if lost is None else lost
        rows.append(row(_outcome(run, None if math.isinf(time) else int(time), lost, int(taken))))
    return rows


def table(*cells: list[dict[str, Any]]) -> pl.DataFrame:
    return frame([row for cell in cells for row in cell])


def _outcome(run: Run, success: int | None, diverged: int | None, taken: int) -> Outcome:
    looked = list(range(0, taken + 1, run.evaluation.every))
    error = np.full(len(looked), 0.5)
    return Outcome(
        run=run,
        steps_taken=taken,
        success_step=success,
        diverged_step=diverged,
        curves={"step": np.array(looked), "test_error": error, "train_error": error, "loss": error},
        final={},
        seconds=0.0,
        flops=taken * step_flops(run) + len(looked) * evaluation_flops(run),
        engine="xla",
    )
