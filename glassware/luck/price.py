"""What luck costs: the price of one success in every cell of a table of runs."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from pydantic import ValidationError

from glassware.engine import evaluation_flops, step_flops
from glassware.luck.lives import Lives
from glassware.luck.restart import Restart, optimal_restart
from glassware.part import dotted
from glassware.statistics import Estimate
from glassware.training import Run

COLUMNS = ["spec", "steps_to_success", "diverged_step", "steps_taken"]

# What may differ between runs of one cell. How a run is examined may not: evaluations cost, and they find successes.
FREE = {"seed", "steps", "probes"}
NAMED = {"m", "model.width", "init.scheme", "init.s", "steps"}  # what a cell is called by, and its cut-off


@dataclass(frozen=True, eq=False)
class Cell:
    """Runs that differ in their luck alone, and the price of a success among them.

    Work is counted as in the results table: the step's operations, and a whole evaluation every ``evaluation.every``
    steps and before the first one.

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
        return self.run.m if self.run.m is not None else self.restart.cutoff * self.run.batch

    @property
    def attempt(self) -> Run:
        """A try as a run: it stops when it succeeds, and at the cut-off."""
        every = self.run.evaluation.every
        evaluation = self.run.evaluation.model_copy(update={"stop": True})
        steps = math.ceil(self.restart.cutoff / every) * every
        return self.run.model_copy(update={"steps": steps, "evaluation": evaluation, "probes": (), "seed": 0})

    def apart_from(self, other: Cell) -> dict[str, Any]:
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

    Kernel machines are solved, not trained, and a rewound lottery ticket owes its luck to the network it is part of:
    both are left out.
    """
    return known_cells(frame)[0]


def known_cells(frame: pl.DataFrame) -> tuple[list[Cell], int]:
    """The cells, and how many more there are of which nothing is known here.

    Those have a model or an activation that only the process that trained them had registered (docs/extending.md).
    """
    groups: dict[str, list[tuple[int | None, bool, int]]] = defaultdict(list)
    largest: dict[str, tuple[int, str]] = {}
    for spec, success, diverged, taken in frame.select(COLUMNS).iter_rows():
        key, budget = _key(json.loads(spec))
        groups[key].append((success, diverged is not None, taken))
        largest[key] = max(largest.get(key, (0, "")), (budget, spec))
    found, unknown = [], 0
    for key, ended in groups.items():
        try:
            run = Run.model_validate_json(largest[key][1])
        except ValidationError:
            unknown += 1
            continue
        if not run.model.solved and run.init.neurons is None:
            found.append(_cell(run, ended))
    return found, unknown


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
    return pl.DataFrame([_row(cell) for cell in found], schema=PRICES, orient="row")


def pareto_front(prices: pl.DataFrame) -> pl.DataFrame:
    """The rows of ``price`` that no other of the same n and k beats in both data and compute, by examples.

    Compute is compared at the upper ends: otherwise a cell that one lucky run makes look cheap would hide the others.
    """
    known = prices.filter(pl.col("tells") == "price").sort("n", "k", "examples", "flops_high")
    best_before = pl.col("flops_high").cum_min().shift(1).over("n", "k").fill_null(math.inf)
    return known.filter(pl.col("flops_high") < best_before)


PRICES: dict[str, Any] = {
    "n": pl.Int32,
    "k": pl.Int32,
    "m": pl.Int64,  # null: online
    "width": pl.Int64,
    "init": pl.String,
    "s": pl.Int32,
    "optimiser": pl.String,
    "lr": pl.Float64,
    "batch": pl.Int32,
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


def _key(plain: dict[str, Any]) -> tuple[str, int]:
    """What makes a cell, as text, and the budget of steps; of a specification as it is stored."""
    kept = {field: value for field, value in plain.items() if field not in FREE}
    kept["evaluation"] = {f: v for f, v in kept.get("evaluation", {}).items() if f != "stop"}
    return json.dumps(kept, sort_keys=True), plain.get("steps", Run.model_fields["steps"].default)


def _cell(run: Run, ended: list[tuple[int | None, bool, int]]) -> Cell:
    start = evaluation_flops(run)
    step = step_flops(run) + start / run.evaluation.every
    times = [math.inf if success is None else float(success) for success, _, _ in ended]
    lasted, diverged = [taken for _, _, taken in ended], [lost for _, lost, _ in ended]
    restart = optimal_restart(times, lasted, diverged=diverged, start=start / step)
    return Cell(run, Lives.of(times, lasted, diverged), restart, step, start)


def _row(cell: Cell) -> dict[str, Any]:
    run, restart, flops = cell.run, cell.restart, cell.flops
    known = restart.tells == "price"
    found = {
        "n": run.task.n,
        "k": run.task.k,
        "m": run.m,
        "width": run.model.widths[0] if run.model.widths else None,
        "init": run.init.scheme,
        "s": run.init.s,
        "optimiser": run.optimiser.name,
        "lr": run.optimiser.lr,
        "batch": run.batch,
        "loss": run.loss,
        "runs": restart.runs,
        "successes": restart.successes,
        "tells": restart.tells,
        "flops_low": flops.low if restart.tells != "too few runs" else None,
    }
    if known:
        found |= {
            "cutoff": int(restart.cutoff),
            "success_probability": restart.success_probability.value,
            "tries": restart.tries,
            "examples": int(cell.examples),
            "flops": flops.value,
            "flops_high": flops.high,
        }
    return {**dict.fromkeys(PRICES), **found}
