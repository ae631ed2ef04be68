"""Width buys no parallel speed-up: convergence time against width (Figure 4, left; Figure 14).

If every neuron searched for the parity on its own, a network r times as wide would be done r times as soon. Instead the
time levels off, and what width buys is less spread between runs. A network narrower than the parity cannot be right
everywhere; it still gets better than chance.

Grids
    paper   n in {30, 40, 50}, k = 3, B = 128, rate 0.1, r in {1, .., 10, 30, 100, 300, .., 10^6, 3 10^6}, 1,000 seeds
            from 0, T = 100,000: 63,000 runs.
    laptop  n = 30, r in {1, 2, 3, 4, 6, 10, 30, 100, 300, 1000}, 100 seeds from 100, T = 30,000: 1,000 runs.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    Convergence: no error among 8,192 held-out examples, looked at every 10 steps, 128 of them first. Networks of width
    1 and 2: the first of ten checks in a row with an accuracy of 55% or more, on 2,048 examples every 50 steps (T =
    9,950 at laptop scale, so that every check is kept). A search over subsets draws one per step and neuron: it needs
    C(n, k) / r steps on average.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from glassware.charts.boxes import boxes
from glassware.foundation.statistics import NEVER, bootstrap, difference, median, median_ratio, wilson
from glassware.models import MLP
from glassware.studies import cells as lookup
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.shared.curves import TEST
from glassware.studies.hidden_progress.shared.findings import each, enough
from glassware.studies.hidden_progress.shared.rows import counts, rows, times
from glassware.studies.hidden_progress.shared.trials import repeat, trial
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, at_most, below
from glassware.studies.words import counts_in_words, time_in_words
from glassware.training import Run

K = 3
WIDTHS = (1, 2, 3, 4, 6, 10, 30, 100, 300, 1000)
PAPER_WIDTHS = (*range(1, 11), 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)
TOO_NARROW = (1, 2)
CHECKS, BETTER = 10, 0.45  # ten in a row at an error of 45% or less
SPREAD = (10, 30, 100, 300)  # widths whose spread is listed; the claim compares the first and the last


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Every width."""
    if scale == "smoke":
        return repeat([_run(12, width, 2000) for width in (1, 4, 30)], seeds or 2)
    if scale == "laptop":
        return repeat([_run(30, width, 9950 if width in TOO_NARROW else 30_000) for width in WIDTHS], seeds or 100)
    return repeat([_run(n, width, 100_000) for n in (30, 40, 50) for width in PAPER_WIDTHS], seeds or 1000, 0)


def _run(n: int, width: int, steps: int) -> Run:
    network = MLP(width=width)
    if width in TOO_NARROW:
        return trial(network, n, K, lr=0.1, batch=128, steps=steps, every=50, test=2048, screen=2048)
    return trial(network, n, K, lr=0.1, batch=128, steps=steps)


def convergence(frame: pl.DataFrame, **where: int) -> list[float]:
    """Convergence times by the rule of their width; a failure counts as never."""
    found = rows(frame, **where)
    if not len(found) or where["width"] not in TOO_NARROW:
        return times(found)
    return [better_than_chance(steps, errors) for steps, errors in found.select("curve_step", TEST).iter_rows()]


def better_than_chance(steps: Sequence[float], errors: Sequence[float | None]) -> float:
    """The first of ten checks in a row whose accuracy is 55% or more; never where there are none."""
    good = 0
    for i, error in enumerate(errors):
        good = good + 1 if lookup.at_most(error, BETTER) else 0
        if good == CHECKS:
            return float(steps[i - CHECKS + 1])
    return NEVER


# -- claims -----------------------------------------------------------------------------------------------------------


def no_speed_up(frame: pl.DataFrame) -> Finding:
    """Median time at r = 10 over that at r = 1,000, n = 30."""
    return _speed_up(frame, [30], 10, 1000)


def no_speed_up_at_a_million(frame: pl.DataFrame) -> Finding:
    """Three ratios: median time at r = 1,000 over that at r = 1,000,000, for each n."""
    return _speed_up(frame, [30, 40, 50], 1000, 1_000_000)


def width_reduces_spread(frame: pl.DataFrame) -> Finding:
    """Interquartile range over median at r = 300 minus that at r = 10, n = 30."""
    cells = [convergence(frame, n=30, width=width) for width in SPREAD]
    if not enough(*cells):
        return NOT_ENOUGH
    fall = bootstrap(lambda narrow, wide: spread(wide) - spread(narrow), cells[0], cells[-1])
    detail = "; ".join(f"r={width}: {spread(cell):.2f}" for width, cell in zip(SPREAD, cells, strict=True))
    return Finding(fall, below(0), "", detail)


def narrow_fails_more_often(frame: pl.DataFrame) -> Finding:
    """Success at r = 3 minus that at r = 10, n = 30."""
    narrow, wide = (counts(frame, n=30, width=width) for width in (3, 10))
    if not narrow[1] or not wide[1]:
        return NOT_ENOUGH
    gap = difference(*narrow, *wide)
    return Finding(gap, below(0), "points", counts_in_words([("r=3:", narrow), ("r=10:", wide)]))


def too_narrow_gets_better(frame: pl.DataFrame) -> Finding:
    """Share of runs of width 1 and of width 2 that stay at 55% accuracy or more, over the sizes n there are."""
    shares, words = [], []
    for n in (30, 40, 50):
        for width in TOO_NARROW:
            found = convergence(frame, n=n, width=width)
            if found:
                shares.append(wilson(sum(t < NEVER for t in found), len(found)))
                words.append(f"n={n} r={width}: {shares[-1].value:.0%}, median {time_in_words(median(found))}")
    if len(shares) < 2:
        return NOT_ENOUGH
    return each(shares, above(0.5), "points", "; ".join(words))


def spread(cell: Sequence[float]) -> float:
    """Interquartile range over median; infinite where a quarter of the runs or more fail."""
    low, middle, high = (float(np.quantile(cell, q, method="higher")) for q in (0.25, 0.5, 0.75))
    return math.inf if math.isinf(high) else (high - low) / middle


def _speed_up(frame: pl.DataFrame, sizes: Sequence[int], narrow: int, wide: int) -> Finding:
    cells = {n: [times(frame, n=n, width=width) for width in (narrow, wide)] for n in sizes}
    if not enough(*(sample for pair in cells.values() for sample in pair)):
        return NOT_ENOUGH
    detail = "; ".join(
        f"n={n}: median {time_in_words(median(a))} at r={narrow:,}, {time_in_words(median(b))} at r={wide:,}"
        for n, (a, b) in cells.items()
    )
    ratios = (bootstrap(median_ratio, *pair) for pair in cells.values())
    return each(ratios, at_most(3), "times", f"{detail}; parallel search {wide // narrow}×")


CLAIMS = (
    Claim(
        "4a-no-speed-up",
        "A hundred times the width is not a hundred times as fast: no parallel search",
        "Figure 4, left; Figure 14",
        "median time at r = 10 ≤ 3 times that at r = 1,000, n = 30",
        no_speed_up,
        ("laptop",),
    ),
    Claim(
        "4a-less-spread",
        "Width reduces the spread of convergence times",
        "Figure 4, left; Figure 14",
        "interquartile range over median smaller at r = 300 than at r = 10",
        width_reduces_spread,
        ("laptop",),
    ),
    Claim(
        "4a-narrow-fails",
        "Networks barely wide enough fail more often",
        "Figure 4, left; Figure 14",
        "success at r = 3 below that at r = 10",
        narrow_fails_more_often,
        ("laptop",),
    ),
    Claim(
        "14-too-narrow",
        "Networks too narrow for the parity still get better than chance",
        "Figure 14",
        "more than half of the runs of r = 1 and of r = 2 reach 55% accuracy ten checks in a row",
        too_narrow_gets_better,
    ),
    Claim(
        "14-no-speed-up",
        "Convergence time levels off at large width",
        "Figure 14",
        "median time at r = 1,000 ≤ 3 times that at r = 1,000,000, n = 30, 40, 50",
        no_speed_up_at_a_million,
        ("paper",),
    ),
)


def _figure(frame: pl.DataFrame) -> object:
    cells = []
    for n, width in frame.select("n", "width").unique().sort("n", "width").iter_rows():
        rule = "at least 55% accuracy, ten checks in a row" if width in TOO_NARROW else "no error"
        cells += [(n, width, t, rule, f"n = {n}, k = {K}") for t in convergence(frame, n=n, width=width)]
    table = pl.DataFrame(cells, schema=["n", "width", "t", "rule", "panel"], orient="row")
    table = table.sort(pl.col("rule") != "no error", maintain_order=True)
    smallest = int(table["n"].min())  # type: ignore[arg-type]
    widths = sorted(set(table["width"]))
    search = [(width, math.comb(smallest, K) / width) for width in widths if math.comb(smallest, K) / width >= 1]
    return boxes(
        table, x="width", y="t", kind="rule", panel="panel", baseline=search,
        title="Steps to convergence against width", x_title="width r", y_title="steps to convergence",
        subtitle=f"dashed: C({smallest}, {K}) / r, the mean time of r random searches; above a box: runs that converge",
    )  # fmt: skip


STUDY = Study(
    name="hidden-progress/width",
    title="Convergence time against width: no parallel speed-up, less spread",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"times": _figure},
    paper_runs=63_000,
)
