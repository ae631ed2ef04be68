"""Initial weights, not minibatches, decide when a run converges (Figure 2, centre).

A few initial networks, each trained several times on different streams of examples. Loss curves of one initial network
lie almost on one another; those of different ones do not.

Grids
    paper   (xv), (xiv) on (50, 3), (i), (ii) on (30, 3); 30 initial networks times 30 streams, B = 128, rate 0.01,
            T = 100,000: 3,600 runs.
    laptop  (xv), (xiv) on (50, 3), (i) on (30, 3); 40 initial networks times 8 streams: 960 runs.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    It gives batch size and learning rate, but neither task nor network. The relevant coordinates are the first three in
    every run; the streams are the same for all initial networks. The measure is ours: the intraclass correlation of the
    logarithm of the convergence time, the share of its variance that lies between initial networks. A run that does not
    converge counts with T steps. The interval leaves out one initial network at a time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import polars as pl

from glassware.charts.lines import lines
from glassware.charts.theme import CATEGORIES
from glassware.foundation.statistics import Estimate
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.shared.findings import MORE_RUNS, each
from glassware.studies.hidden_progress.shared.fits import correlation_estimate
from glassware.studies.hidden_progress.shared.rows import rows
from glassware.studies.hidden_progress.shared.trials import FIRST_SEED, trial
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, at_least
from glassware.tasks import Parity
from glassware.training import Run

TASKS = {"xv": 50, "xiv": 50, "i": 30, "ii": 30}  # setting to n; k = 3
NAMES = {"xv": "PolyNet (xv)", "xiv": "sinusoid neuron (xiv)", "i": "ReLU, width 10 (i)", "ii": "ReLU, width 100 (ii)"}
LAPTOP = ("xv", "xiv", "i")
FIRST_INIT = 1000  # seeds of initial weights; no run draws anything else from them
DRAWN = 4  # initial networks in the figure: with more, colours are hard to tell apart


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Every initial network on every stream; ``seeds`` is the number of streams."""
    if scale == "smoke":
        base = [trial(s, 10, 2, lr=0.05, batch=32, steps=300, test=1024) for s in ("xv", "i")]
        return [run for one in base for run in _crossed(one, 3, seeds or 2)]
    settings, inits, streams = (LAPTOP, 40, 8) if scale == "laptop" else (tuple(TASKS), 30, 30)
    base = [trial(s, TASKS[s], 3, lr=0.01, batch=128) for s in settings]
    return [run for one in base for run in _crossed(one, inits, seeds or streams)]


def _crossed(base: Run, inits: int, streams: int) -> list[Run]:
    task = cast(Parity, base.task)
    task = Parity(n=task.n, k=task.k, support=tuple(range(task.k)))
    return [
        base.model_copy(
            update={
                "task": task,
                "init": base.init.model_copy(update={"seed": FIRST_INIT + i}),
                "seed": FIRST_SEED + j,
            }
        )
        for j in range(streams)
        for i in range(inits)
    ]


# -- claims -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spread:
    """What one setting's runs say."""

    correlation: Estimate
    within: float  # factor by which times of one initial network differ, one standard deviation
    between: float
    failed: int

    def text(self) -> str:
        words = f"{self.correlation.value:.2f} [{self.correlation.low:.2f}, {self.correlation.high:.2f}]"
        return f"{words}, spread ×{self.within:.2f} within and ×{self.between:.2f} between, {self.failed} failed"


def spread(frame: pl.DataFrame, setting: str) -> Spread | None:
    """The intraclass correlation of one setting; None unless two initial networks have two streams or more each."""
    found = rows(frame, setting=setting)
    if not len(found):
        return None
    # Log of the time, groups by the seed of the initial weights, which stands in the run's specification.
    stopped = pl.col("steps_to_success").fill_null(pl.col("steps")).clip(1).log()
    grouped = found.select(init_seed(), "seed", time=stopped).group_by("init_seed", maintain_order=True).agg("time")
    groups = grouped["time"].to_list()
    each = min(len(group) for group in groups)
    if len(groups) < 2 or each < 2:
        return None
    groups = [group[:each] for group in groups]
    means = [sum(group) / each for group in groups]
    within = [t - mean for group, mean in zip(groups, means, strict=True) for t in group]
    centre = sum(means) / len(means)
    return Spread(
        correlation_estimate(groups),
        math.exp(_deviation(within, len(within) - len(groups))),
        math.exp(_deviation([mean - centre for mean in means], len(means) - 1)),
        int(found["steps_to_success"].null_count()),
    )


def _deviation(residuals: list[float], freedom: int) -> float:
    return math.sqrt(sum(r * r for r in residuals) / freedom)


def init_seed() -> pl.Expr:
    """The seed of a run's initial weights."""
    return pl.col("spec").str.json_path_match("$.init.seed").cast(pl.Int64).alias("init_seed")


def _each(frame: pl.DataFrame, settings: tuple[str, ...]) -> Finding:
    found = {setting: spread(frame, setting) for setting in settings}
    known = {setting: one for setting, one in found.items() if one is not None}
    if len(known) < len(settings):
        return NOT_ENOUGH
    detail = "; ".join(f"({setting}) {one.text()}" for setting, one in known.items())
    return each((one.correlation for one in known.values()), at_least(0.5), "", detail)


def inits_decide(frame: pl.DataFrame) -> Finding:
    """Intraclass correlation of log time in (xv), (xiv) and (i)."""
    return _each(frame, LAPTOP)


def inits_decide_paper(frame: pl.DataFrame) -> Finding:
    """Intraclass correlation of log time in (xv), (xiv), (i) and (ii)."""
    return _each(frame, tuple(TASKS))


CROSSED = "crossed design: all initial networks see the same streams; the interval leaves out one network at a time"

CLAIMS = (
    Claim(
        "2b-init",
        "When a run converges is decided by its initial weights more than by its minibatches",
        "Figure 2, centre",
        "intraclass correlation of log time ≥ 0.5 in (xv), (xiv) and (i)",
        inits_decide,
        ("laptop",),
        note=f"{CROSSED}; {MORE_RUNS}",
    ),
    Claim(
        "2b-init-paper",
        "When a run converges is decided by its initial weights more than by its minibatches",
        "Figure 2, centre",
        "intraclass correlation of log time ≥ 0.5 in (xv), (xiv), (i) and (ii)",
        inits_decide_paper,
        ("paper",),
        note=CROSSED,
    ),
)


def _figure(frame: pl.DataFrame) -> object:
    known = pl.concat(
        [rows(frame, setting=s).with_columns(pl.lit(f"{NAMES[s]}, n = {n}").alias("panel")) for s, n in TASKS.items()]
    ).with_columns(init_seed())
    known = known.filter(pl.col("init_seed") < FIRST_INIT + DRAWN).with_columns(
        pl.format("initial network {}", pl.col("init_seed") - FIRST_INIT + 1).alias("kind"),
        pl.format("{} {}", "init_seed", "seed").alias("line"),
    )
    points = known.select("panel", "kind", "line", "curve_step", "curve_loss").explode("curve_step", "curve_loss")
    return lines(
        points.filter(pl.col("curve_loss").is_finite()),  # before the first step there is none
        x="curve_step",
        y="curve_loss",
        line="line",
        kind="kind",
        panel="panel",
        colours={f"initial network {i + 1}": CATEGORIES[i] for i in range(DRAWN)},
        title="Runs from a few initial networks, each on several streams",
        subtitle="training loss on different streams of examples; a colour is an initial network",
        x_title="training step",
        y_title="training loss",
        columns=3,
    )


STUDY = Study(
    name="hidden-progress/init-or-batches",
    title="Initial weights or minibatches: what decides when a run converges",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"curves": _figure},
)
