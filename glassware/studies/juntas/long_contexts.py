"""Log T or a small power of T: the examples needed over a wide range of contexts (beyond Figure 4.2).

The text's grid spans a factor of 11 in T. A law fitted to it can tell log T from T^0.3 only if success turns sharply
with m; a wider range of T says more about an exponent than more trials do. Here T goes from 25 to 6,400, a factor of
256.

Grids
    paper   T = 25, 50, .., 6,400; a pilot finds m_80 and the width of the transition at each T, then six sample sizes
            m_80 exp(width {-2.7, -1.9, -1.1, -0.3, 0.5, 1.3}), 40 trials each of up to 5 runs: 2,160 trials. Trained as
            at the paper scale of ``sample_complexity``.
    laptop  T = 25, 100, 400, 6 trials per sample size of up to 2 runs, trained as at its laptop scale: a rehearsal,
            on which nothing is judged.
    smoke   AND of 1 of 12 bits, a tiny network.

Decisions where the text is silent
    The text has no such experiment. The pilot is a search of 26 trials of one run each, at other seeds; its trials are
    not judged, for they have fewer tries. With up to five runs less data is needed, so the pilot's m_80 may be too
    large: where all six sample sizes lie on one side of a rate of 0.5, six more beyond them are tried, once. Of a T
    whose trials all succeed, or all fail, the likelihood makes what it can.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl

from glassware.luck.design import Design
from glassware.luck.growth import Trials
from glassware.luck.threshold import Search
from glassware.studies.claim import Claim, Scale
from glassware.studies.juntas.shared import growth
from glassware.studies.juntas.shared.protocol import SMOKE, base, reached, tried_again
from glassware.studies.juntas.shared.training import ACCURATE
from glassware.studies.study import Rounds, Study
from glassware.sweeps import grid
from glassware.training import Run

LENGTHS: dict[Scale, list[int]] = {
    "smoke": [12],
    "laptop": [25, 100, 400],
    "paper": [25 * 2**k for k in range(9)],
}
OFFSETS = (-2.7, -1.9, -1.1, -0.3, 0.5, 1.3)
TRIALS: dict[Scale, tuple[int, int]] = {"smoke": (1, 2), "laptop": (6, 2), "paper": (40, 5)}  # per m, runs of each
FURTHER = 1.6  # that they span at least, where they are shifted: the pilot's width was too small then
JUDGED = 5000  # seeds from here on are those of trials after the pilot


def pilot(length: int, scale: Scale) -> Search:
    """A coarse search for m_80; below its range next to no sample has a single AND that agrees with it."""
    if scale == "smoke":
        return Search(base(length, scale), "m", Design(*SMOKE, budget=5, trials=1))
    low = 20 + 4 * max(0, round(math.log2(length / 200)))
    return Search(base(length, scale), "m", Design(low, 256, budget=26, trials=2))


def runs(scale: Scale, seeds: int | None, rows: pl.DataFrame) -> list[Run]:
    """The next round of each pilot; after it six sample sizes and their failures again, at most twice."""
    found: list[Run] = []
    for length in LENGTHS[scale]:
        search = pilot(length, scale)
        ahead, judged = (
            (rows.filter(pl.col("length") == length, late) for late in _phases()) if len(rows) else [rows] * 2
        )
        found += search.next(ahead) or _judged(search, length, scale, seeds, ahead, judged)
    return found


def _judged(
    search: Search, length: int, scale: Scale, seeds: int | None, ahead: pl.DataFrame, rows: pl.DataFrame
) -> list[Run]:
    """Trials of six sample sizes, then their failures again; once those are done, the same around a new centre."""
    trials, tries = TRIALS[scale]
    first = six(search, ahead)
    for sizes in (first, recentred(search.design, first, rows)):
        cells = {(length, run.m or 0): run for run in grid(search.base, {"m": sizes})} if sizes else {}
        mine = rows.filter(pl.col("m").is_in(sizes)) if len(rows) else rows
        if not len(mine):
            later = range(JUDGED, JUDGED + (seeds or trials))
            return [run.model_copy(update={"seed": seed}) for run in cells.values() for seed in later]
        if again := list(tried_again(reached(mine, search.base.evaluation.success), tries, cells)):
            return again
    return []


def _phases() -> tuple[pl.Expr, pl.Expr]:
    return pl.col("seed") < JUDGED, pl.col("seed") >= JUDGED


def six(search: Search, rows: pl.DataFrame) -> list[int]:
    """Sample sizes around m_80 as the pilot has it."""
    fit, design = search.fit(rows), search.design
    low, high = max(fit.at.low, design.low), min(fit.at.high, design.high)
    middle = fit.at.value if math.isfinite(fit.at.value) else math.sqrt(low * high)
    near = (round(middle * math.exp(fit.width * offset)) for offset in OFFSETS)
    return sorted({min(max(m, round(design.low)), round(design.high)) for m in near})


def recentred(design: Design, sizes: list[int], rows: pl.DataFrame) -> list[int]:
    """Six more, beyond the end towards which m_80 must lie if all of these lie on one side of a rate of 0.5."""
    here = rows.filter(pl.col("m").is_in(sizes)) if len(rows) else rows
    rates = [cell.won / cell.trials for cell in growth.trials(reached(here, ACCURATE))] if len(here) else []
    if not rates or min(rates) <= 0.5 <= max(rates):
        return []
    low, high = min(sizes), max(sizes)
    factor = max(high / low, FURTHER)
    reach = np.geomspace(low / factor, low, 7)[:-1] if rates[0] > 0.5 else np.geomspace(high, high * factor, 7)[1:]
    new = {min(max(round(m), round(design.low)), round(design.high)) for m in reach}
    return sorted(new - set(sizes))


def trials(frame: pl.DataFrame) -> list[Trials]:
    """Counts of every T and m after the pilot, at an accuracy above 0.99."""
    if "curve_test_error" not in frame.columns:
        return []
    return growth.trials(reached(frame.filter(pl.col("seed") >= JUDGED), ACCURATE))


WHERE = "Figure 4.2, over a wider range"
CLAIMS = (
    Claim(
        "sublinear",
        "Over a wide range of contexts the examples needed grow more slowly than T",
        WHERE,
        "the slope of the law is positive and its exponent below 1",
        growth.sublinear(trials),
        ("paper",),
    ),
    Claim(
        "log",
        "Over a wide range of contexts the examples needed grow like log T",
        WHERE,
        "the slope of the law is positive and its exponent within ±0.25",
        growth.exponent_is(-growth.BAND, growth.BAND, trials),
        ("paper",),
        note="a band, for at finite T no curve is exactly a logarithm; it was chosen knowing what the control gives",
    ),
    Claim(
        "grows",
        "Longer contexts need more examples",
        WHERE,
        "the slope of the law is positive",
        growth.grows(trials),
        ("paper",),
    ),
)


def needed(frame: pl.DataFrame) -> Any:
    """m_80 against T, with the fitted law."""
    from glassware.charts.thresholds import thresholds

    counts = trials(frame)
    return thresholds(
        growth.points(counts, "80% of trials succeed"),
        growth.curve(counts, "80% of trials succeed"),
        title="Examples needed over a wide range of contexts",
        subtitle="Transformer, AND of 3 of T bits; accuracy above 0.99 in a run of the trial; 95% intervals, law",
        x_title="bits, T",
        y_title="examples, m",
        log_y=False,
    )


STUDY = Study(
    name="juntas/long-contexts",
    title="Examples needed over a wide range of contexts: log T, or a small power of T",
    about=__doc__ or "",
    stages=(Rounds(runs),),
    claims=CLAIMS,
    figures={"needed": needed},
)
