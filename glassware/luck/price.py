"""What luck costs: the price of one success in every cell of a table of runs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from glassware.engine import evaluation_flops, step_flops
from glassware.foundation.part import dotted
from glassware.foundation.statistics import Estimate
from glassware.luck.groups import COLUMNS, FREE, Columns, Group, known_groups, problem, run_columns
from glassware.luck.lives import Lives
from glassware.luck.restart import Restart, optimal_restart
from glassware.training import Run

NAMED = {"m", "model.width", "init.scheme", "init.s", "steps"}  # what a cell is called by, and its cut-off


@dataclass(frozen=True, eq=False)
class Cell:
    """Runs that differ in their luck alone, and the price of a success among them.

    Work is counted as in the results table: the step's operations, and a whole evaluation whenever the run is examined.

    Attributes:
        run: one of them, with the largest budget of steps.
        lives: how long they lived.
        restart: the cut-off, and the steps to a success.
        step_flops: work of a step, its share of the next evaluation included.
        start_flops: work before the first step.
    """

    run: Run
    lives: Lives
    restart: Restart
    step_flops: float
    start_flops: float

    @property
    def flops(self) -> Estimate:
        """Expected floating-point operations to one success, all tries together."""
        return Estimate(*(steps * self.step_flops for steps in self.restart.expected_steps))

    @property
    def try_flops(self) -> float:
        """Floating-point operations of a try that is given up."""
        return self.start_flops + self.restart.cutoff * self.step_flops

    @property
    def examples(self) -> float:
        """Examples a try needs: its sample, or online as many as it draws until its cut-off."""
        return self.run.sample if self.run.sample is not None else self.restart.cutoff * self.run.batch_size

    @property
    def problem(self) -> Columns:
        """What is to be learnt, and what counts as having learnt it; cells are compared where these are the same."""
        return problem(self.run)

    @property
    def columns(self) -> Columns:
        """What it is, in the words of the results table."""
        return {name: value for name, value in run_columns(self.run).items() if name not in FREE}

    @property
    def attempt(self) -> Run:
        """A try as a run: it stops when it succeeds, and at the cut-off."""
        every = self.run.evaluation.every
        evaluation = self.run.evaluation.model_copy(update={"stop": True})
        steps = math.ceil(self.restart.cutoff / every) * every
        update = {"steps": steps, "evaluation": evaluation, "probes": (), "keep": (), "seed": 0, "pairing": None}
        return self.run.model_copy(update=update)

    def apart_from(self, other: Cell) -> Columns:
        """Dotted fields in which this cell differs from another, beside m, width and initial weights."""
        ours, theirs = (dict(dotted(cell.attempt.model_dump())) for cell in (self, other))
        differ = {field for field in ours if field not in theirs or ours[field] != theirs[field]}
        return {f: ours[f] for f in ours if f in differ - NAMED and (f != "init.eps" or ours[f])}

    def chance(self, budget: float) -> Estimate:
        """Probability of a success within ``budget`` floating-point operations: whole tries, and a shorter last one."""
        if not self.restart.successes:
            return Estimate(0.0, 0.0, 1.0)
        p = self.restart.success_probability
        tries, rest = divmod(budget, self.try_flops)
        steps = min((rest - self.start_flops) / self.step_flops, self.restart.cutoff)
        _, won = self.lives.until(np.array([max(steps, 0.0)]), np.ones((1, self.lives.runs)))
        last = float(won[0, 0]) / p.value if steps >= 0 else 0.0  # of a whole try's chance
        return Estimate(*(1 - (1 - one) ** tries * (1 - one * last) for one in p))


def cells(frame: pl.DataFrame) -> list[Cell]:
    """The cells of a table of runs (``COLUMNS`` of it suffice), in the order in which they appear.

    Kernel machines are solved, not trained, and what starts from the weights of another network (a rewound lottery
    ticket) owes its luck to that one: both are left out.
    """
    return [priced(group) for group in known_groups(frame)[0]]


def priced(group: Group) -> Cell:
    """A group of runs with its price."""
    run, ended = group.run, group.ended
    start = evaluation_flops(run)
    step = step_flops(run) + start * run.evaluation.rounds(run.steps) / run.steps
    times = [math.inf if success is None else float(success) for success, _, _ in ended]
    lasted, diverged = [taken for _, _, taken in ended], [lost for _, lost, _ in ended]
    restart = optimal_restart(times, lasted, diverged=diverged, start=start / step)
    return Cell(run, Lives.of(times, lasted, diverged), restart, step, start)


def price(frame: pl.DataFrame) -> pl.DataFrame:
    """The price of one success in every cell of a table of runs.

    Returns:
        One row per cell: what it is, ``runs``, ``successes``, what they can tell (``tells``), the best ``cutoff``,
        ``success_probability`` of a try, mean ``tries``, ``examples`` a try needs, and ``flops`` to one success from
        ``flops_low`` to ``flops_high`` (null: unknown).
    """
    return price_table(cells(frame))


def price_table(found: Iterable[Cell]) -> pl.DataFrame:
    """Cells as the rows of ``price``."""
    rows = [{**dict.fromkeys(PRICES), **_row(cell)} for cell in found]
    return (
        pl.DataFrame(rows, schema_overrides=PRICES, infer_schema_length=None) if rows else pl.DataFrame(schema=PRICES)
    )


def pareto_front(prices: pl.DataFrame) -> pl.DataFrame:
    """The rows of ``price`` that no other of the same problem beats in both data and compute, by examples.

    Compute is compared at the upper ends: otherwise a cell that one lucky run makes look cheap would hide the others.
    """
    known = prices.filter(pl.col("tells") == "price").sort("problem", "examples", "flops_high")
    best_before = pl.col("flops_high").cum_min().shift(1).over("problem").fill_null(math.inf)
    return known.filter(pl.col("flops_high") < best_before)


# Columns of every table of prices; each part of a specification adds its own (``Run.given_columns``).
PRICES: dict[str, Any] = {
    "problem": pl.String,  # equal for cells that may be compared
    "task": pl.String,
    "m": pl.Int64,  # null: online
    "width": pl.Int64,
    "init": pl.String,
    "s": pl.Int64,
    "optimiser": pl.String,
    "lr": pl.Float64,
    "batch": pl.Int64,
    "loss": pl.String,
    "runs": pl.Int64,
    "successes": pl.Int64,
    "tells": pl.String,
    "cutoff": pl.Int64,
    "success_probability": pl.Float64,
    "tries": pl.Float64,
    "examples": pl.Int64,
    "flops": pl.Float64,
    "flops_low": pl.Float64,
    "flops_high": pl.Float64,
}


def _row(cell: Cell) -> Columns:
    restart, flops = cell.restart, cell.flops
    found = {
        **cell.columns,
        "problem": json.dumps(cell.problem, sort_keys=True),
        "runs": restart.runs,
        "successes": restart.successes,
        "tells": restart.tells,
        "flops_low": flops.low if restart.tells != "too few runs" else None,
    }
    if restart.tells == "price":
        found |= {
            "cutoff": int(restart.cutoff),
            "success_probability": restart.success_probability.value,
            "tries": restart.tries,
            "examples": int(cell.examples),
            "flops": flops.value,
            "flops_high": flops.high,
        }
    return found


__all__ = ["COLUMNS", "Cell", "cells", "pareto_front", "price", "price_table", "priced"]
