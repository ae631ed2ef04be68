"""When does the minimal model pass by unigrams? Slower second layers, and attention with a softmax (Section 8.3).

The text says that v learns unigrams while W stays near a constant. So the slower W learns, the longer the model must
stay at unigrams: here the rate of W is 1, 1/10 and 1/100 of that of v. With a softmax in both layers instead of raw
counts the model is closer to a transformer; what that changes is drawn and not judged.

Grids
    laptop  k = 2, t = 100, W and v = 0.01 at first; SGD, batches of 64, v at 0.002 and W at 0.002, 0.0002 and 0.00002;
            1,500 steps, 4 seeds. v = 0.03 at first, all at 0.002 (2 seeds). The softmax: W and v at 1, its scale at
            0.03, 3,000 steps (2 seeds). A checkpoint every 20 steps on 1,024 held-out chains.
    paper   10 seeds each, 2,048 held-out chains.
    smoke   seconds, for the tests: one rate, t = 20, 60 steps.

Decisions where the text is silent
    Runs with the same seed and different rates see the same chains. The softmax starts from W = 0.01 I: at W = 0 its
    diagonal can turn either way. A phase is the nearest strategy, and tau* the first checkpoint nearer to bigrams than
    to unigrams, as for the minimal model itself.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.models import MinimalInduction, SoftmaxInduction
from glassware.studies.claim import Claim, Scale
from glassware.studies.induction.shared.figures import Panelled, distance_chart, loss_chart
from glassware.studies.induction.shared.phases import crossing, curve, phases, step_at
from glassware.studies.induction.shared.runs import minimal_run, repeat
from glassware.studies.lanes import Measure, Row, each_lane, lanes
from glassware.studies.study import Study
from glassware.studies.verdict import Finding, Threshold, all_of, at_least, at_most
from glassware.training import SGD, Run

FACTORS = (1.0, 0.1, 0.01)  # the rate of W over that of v
SHARES: dict[float, Threshold] = {1.0: at_most(0.45), 0.1: at_least(0.75), 0.01: at_least(0.75)}
SEEDS = 4


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Three rates of W, another start of v, and the softmax."""
    flat, steep = MinimalInduction(v=0.01, w=0.01), MinimalInduction(v=0.03, w=0.01)
    if scale == "smoke":
        return repeat(minimal_run(2, MinimalInduction(v=0.01), steps=60, length=20, test=256), seeds or 2)
    test, many, few = (1024, SEEDS, 2) if scale == "laptop" else (2048, 10, 10)
    paired = {"pairing": "rates of the minimal model"}
    slower = [
        _with_rates(minimal_run(2, flat, test=test), 2e-3, 1.0, rate).model_copy(update=paired) for rate in FACTORS
    ]
    other = _with_rates(minimal_run(2, steep, test=test), 2e-3, 1.0, 1.0)
    softmax = _with_rates(minimal_run(2, SoftmaxInduction(), steps=3000, test=test), 1.0, 1.0, 1.0, 0.03)
    return [
        *(run for cell in slower for run in repeat(cell, seeds or many)),
        *(run for cell in (other, softmax) for run in repeat(cell, seeds or few)),
    ]


def _with_rates(run: Run, lr: float, *factors: float) -> Run:
    """The run with factors on its learning rate for v, W and, where there is one, the scale."""
    return run.model_copy(update={"optimiser": SGD(lr=lr, weight_decay=0.0, layer_rates=factors)})


# -- checks -----------------------------------------------------------------------------------------------------------


def crosses_later(frame: pl.DataFrame) -> Finding:
    """tau* with W at a tenth of v's rate over tau* with both alike, of the same chains."""
    alike = {row["seed"]: step_at(row, crossing(row)) for row in _at(frame, 1.0)}
    times = Measure(
        "tau* over that at equal rates", lambda row: _tau(row) / alike.get(row["seed"], math.nan), at_least(2)
    )
    return each_lane(_at(frame, 0.1), SEEDS, times)


def never_crosses(frame: pl.DataFrame) -> Finding:
    """Whether there is a tau* with W at a hundredth of v's rate, and how near it comes to unigrams."""
    near = Measure(
        "smallest distance to unigrams / first",
        lambda row: np.min(there := curve(row, "distance_unigram")) / there[0],
        at_most(0.2),
    )
    none = Measure("no tau*", lambda row: crossing(row) is None, at_least(1))
    return each_lane(_at(frame, 0.01), SEEDS, none, near)


def time_at_unigrams(frame: pl.DataFrame) -> Finding:
    """The share of checkpoints nearest to unigrams, at each rate of W."""
    share = lambda row: np.mean(np.array(phases(row)) == "unigram")
    found = {
        factor: each_lane(_at(frame, factor), SEEDS, Measure("share at unigrams", share, meets))
        for factor, meets in SHARES.items()
    }
    said = "; ".join(f"W at {factor:g} of v's rate: {finding.detail}" for factor, finding in found.items())
    return all_of([*found.values()], said)


def _tau(row: Row) -> float:
    """tau*; later than any step where there is none."""
    return math.inf if crossing(row) is None else step_at(row, crossing(row))


def _at(frame: pl.DataFrame, factor: float) -> list[Row]:
    """Runs with this rate of W, and the usual start of v."""
    rows = [row for row in lanes(frame, model="minimal-induction") if row["v"] == 0.01]
    return [row for row in rows if math.isclose(_factor(row), factor, rel_tol=1e-6)]


def _factor(row: Row) -> float:
    """The rate of W over that of v."""
    return 1.0 if row["layer_rates"] is None else float(row["layer_rates"][1])


PILOT = "thresholds were chosen on two pilot runs of another program"
CLAIMS = (
    Claim(
        "x7-later",
        "A slower second layer crosses to bigrams later",
        "Section 8.3",
        "tau* at a tenth of the rate ≥ 2 times that at equal rates, or none within the run, every seed",
        crosses_later,
        note=PILOT,
    ),
    Claim(
        "x7-never",
        "A second layer that hardly moves leaves the model at unigrams",
        "Section 8.3",
        "no tau* at a hundredth of the rate; smallest distance to unigrams ≤ 0.2 of the first, every seed",
        never_crosses,
        note=PILOT,
    ),
    Claim(
        "x7-time",
        "How long the model stays at unigrams follows from how fast the second layer learns",
        "Section 8.3",
        "nearest to unigrams at ≤ 45%, ≥ 75% and ≥ 75% of checkpoints with W at 1, 1/10 and 1/100, every seed",
        time_at_unigrams,
        note=PILOT,
    ),
)


# -- figures ----------------------------------------------------------------------------------------------------------


def distances(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(strategy || model) along training, over the phases."""
    title = "The slower W learns, the longer the minimal model stays at unigrams"
    return distance_chart(_panels(frame), title, _setting)


def loss(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(truth || model) along training without a softmax, beside the levels of the strategies."""
    found = [run for run in _panels(frame) if run[1]["model"] == "minimal-induction"]
    title = "Test loss of the minimal model, by the rate of W"
    return loss_chart(found, title, _setting, measured="minimal model", y_domain=(0.0, 0.32))


def _panels(frame: pl.DataFrame) -> Panelled:
    rows = sorted(lanes(frame), key=lambda row: (row["model"], row["v"] or 0.0, -_factor(row)))
    names = [_name(row) for row in rows]
    seeds = Counter(names)
    return [(f"{name}, {seeds[name]} seeds", row) for name, row in zip(names, rows, strict=True)]


def _name(row: Row) -> str:
    if row["model"] != "minimal-induction":
        return "softmax in both layers"
    start = "" if row["v"] == 0.01 else f", v = {row['v']:g} at first"
    rate = "v's rate" if _factor(row) == 1 else f"{_factor(row):g} of v's rate"
    return f"W at {rate}{start}"


def _setting(found: Panelled) -> str:
    return f"one line per seed; k = 2, t = {found[0][1]['length']}, SGD, batches of 64"


STUDY = Study(
    name="induction/minimal-variants",
    title="Rates of the two layers, and a softmax, in the minimal model",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"distances": distances, "loss": loss},
)
