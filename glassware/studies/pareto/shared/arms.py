"""Ways of training side by side, and where each begins to succeed: the rows of these studies are an adaptive search.

For every arm and width the search looks for m50, the sample size at which half of the runs succeed, and where a study
asks for it for r50, the width at which half of them do with a given sample. It is that of ``glassware frontier``: its
rounds follow one another until every interval is as short as the scale asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

import polars as pl

from glassware.foundation.statistics import Estimate
from glassware.luck.frontier import Frontier, advance, edges, frontiers
from glassware.models import MLP
from glassware.studies.claim import SCALES, Scale
from glassware.sweeps import grid, run_id
from glassware.tasks import Parity
from glassware.training import Evaluation, Run

WITHIN = 1.3  # an edge is known when either end of its interval is at most so many times away
HOW: dict[Scale, dict[str, Any]] = {
    "smoke": {"precision": 2.0, "seeds": 4, "trials": 4},
    "laptop": {"precision": 1.2, "seeds": 400, "trials": 8},
    "paper": {"precision": 1.1, "seeds": 400, "trials": 8},
}
WIDTHS: dict[Scale, tuple[int, ...]] = {
    "smoke": (8,),
    "laptop": (10, 30, 100, 300),
    "paper": (10, 30, 100, 300, 1000, 3000, 10_000),
}
SAMPLES = (100, 125, 160, 200, 250, 315, 400, 500, 630, 800, 1000, 1250, 1600, 2000, 2500, 3150, 4000)  # ten per decade
SMOKE_SAMPLES = (10, 40, 160, 640)

Widths: TypeAlias = Sequence[int | tuple[int, ...]]


@dataclass(frozen=True)
class Arm:
    """One way of training, on a grid of sample sizes and widths.

    Attributes:
        name: what makes it differ from the others.
        base: a run of it.
        samples, widths: where m50 is looked for; a list of widths is one of several layers.
        at: the sample size at which r50 is looked for, among ``widths``; None: it is not.
        across: the field that ``widths`` are values of.
    """

    name: str
    base: Run
    samples: tuple[int, ...] = SAMPLES
    widths: Widths = field(default=WIDTHS["laptop"])
    at: int | None = None
    across: str = "model.width"

    def panels(self, scale: Scale, seeds: int | None) -> list[Frontier]:
        """The search for m50 at each width, and that for r50: width decides little, so its interval may be longer."""
        how = {**HOW[scale], "work": 1.0} | ({} if seeds is None else {"seeds": seeds, "trials": min(seeds, 8)})
        rows = grid(self.base, {"m": self.samples, self.across: self.widths})
        found = frontiers(rows, ("m", self.across), columns=False, **how)
        if self.at is not None:
            column = grid(self.base, {"m": [self.at], self.across: self.widths})
            found += frontiers(column, (self.across, "m"), **how | {"precision": how["precision"] ** 2})
        task = self.base.task
        return [replace(panel, fields={"arm": self.name, "n": getattr(task, "n", None)}) for panel in found]


class Edge(NamedTuple):
    """Where an arm's success crosses one half.

    Attributes:
        arm, n: whose edge it is.
        kind: m50 at a width, or r50 at a sample size.
        at: that width, or that sample size.
        where: the value with its interval; 0 or infinite where the edge lies below or above all that was tried.
        runs: those of its row or column.
        fall: two values of which the larger succeeds significantly less often, in words; None: there are none.
    """

    arm: str
    n: int
    kind: Literal["m50", "r50"]
    at: float
    where: Estimate
    runs: int
    fall: str | None

    @property
    def on_the_grid(self) -> bool:
        """Whether success crosses one half among the values tried."""
        return 0 < self.where.value < float("inf")


@dataclass(frozen=True)
class Comparison:
    """Arms that a study compares, at each scale."""

    arms: Callable[[Scale], Sequence[Arm]]

    def runs(self, scale: Scale, seeds: int | None, rows: pl.DataFrame) -> list[Run]:
        """The next round of all searches."""
        return list({run_id(run): run for run in advance(self.panels(scale, seeds), rows)}.values())

    def panels(self, scale: Scale, seeds: int | None = None) -> list[Frontier]:
        """Every search of a scale."""
        return _panels(self.arms, scale, seeds)

    def panels_of(self, frame: pl.DataFrame) -> list[Frontier]:
        """The searches that these rows belong to: those of the scale that examines on as many examples."""
        tests = set(frame["test_size"]) if len(frame) else set()
        scales = [scale for scale in SCALES if {arm.base.evaluation.test for arm in self.arms(scale)} & tests]
        return [panel for scale in scales for panel in self.panels(scale) if panel.counts(frame)]

    def edges(self, frame: pl.DataFrame) -> list[Edge]:
        """Every edge that the rows have anything to say about."""
        panels = self.panels_of(frame)
        return [_edge(row) for row in edges(panels, frame).iter_rows(named=True)] if panels else []

    def m50(self, frame: pl.DataFrame, arm: str, n: int) -> dict[float, Estimate]:
        """m50 of an arm by width."""
        return {e.at: e.where for e in self.edges(frame) if (e.arm, e.n, e.kind) == (arm, n, "m50")}


def run(scale: Scale, n: int = 30, k: int = 3, laptop_steps: int = 6000, **more: Any) -> Run:
    """The two-layer network of the paper on the (n, k)-parity; the scale says how long it trains."""
    task = more.pop("task", {})
    if scale == "smoke":
        exam = Evaluation(test=500)
        return Run(task=Parity(n=12, k=2, **task), model=MLP(width=8), steps=600, evaluation=exam, **more)
    steps, exam = 100_000, Evaluation(screen=1024)
    if scale == "laptop":
        steps, exam = laptop_steps, Evaluation(test=1000, screen=256)
    return Run(task=Parity(n=n, k=k, **task), model=MLP(width=10), steps=steps, evaluation=exam, **more)


@lru_cache(maxsize=64)
def _panels(arms: Callable[[Scale], Sequence[Arm]], scale: Scale, seeds: int | None) -> list[Frontier]:
    return [panel for arm in arms(scale) for panel in arm.panels(scale, seeds)]


def _edge(row: dict[str, Any]) -> Edge:
    """A line of ``luck.frontier.edges``; ends that it leaves out are open."""
    state, known = row["state"], row["value"] is not None
    value = row["value"] if known else 0.0 if "below" in state else float("inf") if "above" in state else float("nan")
    where = Estimate(value, row["low"] or 0.0, row["high"] or float("inf"))
    kind: Literal["m50", "r50"] = "m50" if row["along"] == "m" else "r50"
    return Edge(row["arm"], row["n"], kind, row["at"], where, row["runs"], row["fall"])
