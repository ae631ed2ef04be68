"""Slices of the success frontier: success and steps against sample size, one curve per width (Figure 2, Section 4.1).

The frontier's heat map cut along m, on a finer grid of sample sizes near the edge of what can be learned. On the left
the share of runs that reach 10% test error, on the right the median number of steps they took; above with dense, below
with 2-sparse initialisation. Width moves the curves left (data), up (luck) and down (time). Near the edge few examples
are paid for with many steps. For narrow networks more data can mean slower or failing runs again.

Grids
    paper   n = 200, k = 3, widths 100, 1,000 and 10,000, 24 sample sizes from 1,000 to 82,540, dense and 2-sparse
            initialisation, 50 runs per cell, T = 100,000, 10,000 held-out examples: 7,200 runs.
    laptop  n = 30, k = 3, widths 30 and 300, m in {250, 350, 500, 700, 1,000, 2,000}, both initialisations, 25 runs a
            cell, T = 8,000, examined every 200 steps on 1,000 held-out examples: 600 runs.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    It names neither (n, k) nor the widths and sample sizes of this figure: we take n = 200, k = 3 (its tuning cell, and
    the one it points to for non-monotone rows), three decades of width, and twelve sample sizes per decade.
    Its text claims the benefit of sparse initialisation for wide networks; we also ask about each width by itself.
    Median steps: a run that fails counts as infinitely slow, so the curve exists where more than half succeed.
    The 50% sample size: where the success rate first reaches one half, interpolated in log m between grid points.
    A curve has an interior minimum when its median time rises to at least 1.5 times its minimum at some larger m,
    where "rises" includes that most runs fail again; the paper shows the effect and gives no number.
    Loss, weight decay, minibatches, evaluation: as in ``success_frontier``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import polars as pl

from glassware import charts
from glassware.foundation.statistics import Estimate, bootstrap, difference, median, median_ratio, ratio
from glassware.models import MLP, Init
from glassware.studies.cells import counts, pooled, times, where
from glassware.studies.claim import Claim, Scale
from glassware.studies.crossing import half_success
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding
from glassware.sweeps import grid
from glassware.tasks import Parity
from glassware.training import Evaluation, Run

INITS = ("dense", "sparse")
NARROW, WIDE = 30, 300  # laptop
SAMPLES = [250, 350, 500, 700, 1000, 2000]
EDGE, PLENTY = 500, 2000
PAPER_WIDTHS = [100, 1000, 10_000]
PAPER_SAMPLES = [round(1000 * 10 ** (i / 12)) for i in range(24)]
RISE = 1.5


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Every width and sample size, dense and 2-sparse."""
    inits = [Init(), Init(scheme="sparse", s=2)]
    if scale == "smoke":
        base = Run(task=Parity(n=12, k=2), model=MLP(width=5), steps=600, evaluation=Evaluation(test=500))
        return grid(base, {"model.width": [5, 30], "m": [50, 300], "init": inits}, seeds=seeds or 3)
    if scale == "laptop":
        base = Run(
            task=Parity(n=30, k=3), model=MLP(width=NARROW), steps=8000, evaluation=Evaluation(every=200, test=1000)
        )
        return grid(base, {"model.width": [NARROW, WIDE], "m": SAMPLES, "init": inits}, seeds=seeds or 25)
    base = Run(task=Parity(n=200, k=3), model=MLP(width=100), steps=100_000)
    widths = {"model.width": PAPER_WIDTHS, "evaluation.every": [100 if r <= 1000 else 500 for r in PAPER_WIDTHS]}
    return grid(base, {"m": PAPER_SAMPLES, "init": inits}, zips=[widths], seeds=seeds or 50)


# -- claims at laptop scale -------------------------------------------------------------------------------------------


def width_buys_luck(frame: pl.DataFrame) -> Finding:
    """Smaller of the two inits' gains from r = 30 to r = 300 at m = 500; the mean over all m must rise too."""
    gains, overall = [], []
    for init in INITS:
        wide, narrow = (_column(frame, init, width, SAMPLES) for width in (WIDE, NARROW))
        if not wide or not narrow:
            return NOT_ENOUGH
        at = SAMPLES.index(EDGE)
        gains.append(difference(*wide[at], *narrow[at]))
        overall.append(_mean_rate(wide) - _mean_rate(narrow))
    least = min(gains, key=lambda e: e.value)
    detail = "; ".join(
        f"{init} {gain.value:+.0%} (mean over m {mean:+.0%})"
        for init, gain, mean in zip(INITS, gains, overall, strict=True)
    )
    return Finding(least, least.value >= 0.3 and min(overall) > 0, "points", detail)


def width_buys_time(frame: pl.DataFrame) -> Finding:
    """Median steps at r = 30 over those at r = 300, m = 2,000: the smaller of the two inits' ratios."""
    return _smallest_ratio(
        [
            (init, times(frame, init=init, width=NARROW, m=PLENTY), times(frame, init=init, width=WIDE, m=PLENTY))
            for init in INITS
        ],
        above=1.0,
    )


def data_or_time(frame: pl.DataFrame) -> Finding:
    """Median steps at the smallest m with at least 50% success over those at m = 2,000, r = 300."""
    pairs = []
    for init in INITS:
        cells = _column(frame, init, WIDE, SAMPLES)
        if not cells:
            return NOT_ENOUGH
        smallest = next((m for m, (won, trials) in zip(SAMPLES, cells, strict=True) if won >= trials / 2), PLENTY)
        fewest, plenty = (times(frame, init=init, width=WIDE, m=m) for m in (smallest, PLENTY))
        pairs.append((f"{init} m = {smallest}", fewest, plenty))
    return _smallest_ratio(pairs, at_least=2.0)


def sparse_buys_luck(frame: pl.DataFrame) -> Finding:
    """2-sparse minus dense success over all m, r = 300."""
    return _sparse_gain(frame, [WIDE])


def sparse_buys_luck_at_each_width(frame: pl.DataFrame) -> Finding:
    """2-sparse minus dense success over all m: the smaller of the two widths' differences."""
    return _sparse_gain(frame, [NARROW, WIDE])


def _sparse_gain(frame: pl.DataFrame, widths: list[int]) -> Finding:
    gains = []
    for width in widths:
        sparse, dense = (_column(frame, init, width, SAMPLES) for init in ("sparse", "dense"))
        if not sparse or not dense:
            return NOT_ENOUGH
        gains.append((width, difference(*pooled(sparse), *pooled(dense)), pooled(sparse), pooled(dense)))
    least = min((gain for _, gain, _, _ in gains), key=lambda e: e.value)
    detail = "; ".join(f"r = {r} {e.value:+.0%} ({a[0]}/{a[1]} against {b[0]}/{b[1]})" for r, e, a, b in gains)
    return Finding(least, least.value >= 0, "points", detail)


# -- claims at paper scale --------------------------------------------------------------------------------------------


def width_buys_data(frame: pl.DataFrame) -> Finding:
    """Largest factor by which the 50% sample size changes from a width to the next: below 1 if it always falls."""
    found = [
        (f"{init} {narrow} to {wide}", half_success_ratio(frame, PAPER_SAMPLES, (init, wide), (init, narrow)))
        for init in INITS
        for narrow, wide in pairwise(PAPER_WIDTHS)
    ]
    ratios = [(place, ratio) for place, ratio in found if ratio is not None]
    if len(ratios) < len(found):
        return NOT_ENOUGH
    # Where neither width gets there the ratio is not a number: no fall was seen, which is the worst case.
    worst = max((ratio for _, ratio in ratios), key=lambda e: math.inf if math.isnan(e.value) else e.value)
    return Finding(worst, worst.value < 1, "times", "; ".join(f"{place} {e.value:.2g}×" for place, e in ratios))


def sparse_buys_data(frame: pl.DataFrame) -> Finding:
    """50% sample size with 2-sparse initialisation over the one with dense, widest network."""
    widest = PAPER_WIDTHS[-1]
    ratio = half_success_ratio(frame, PAPER_SAMPLES, ("sparse", widest), ("dense", widest))
    return NOT_ENOUGH if ratio is None else Finding(ratio, ratio.value < 1, "times")


def more_data_slows_narrow_networks(frame: pl.DataFrame) -> Finding:
    """Rise of the median time after its minimum, as m grows: narrowest network (larger init), then widest."""
    rises = {}
    for init in INITS:
        for width in (PAPER_WIDTHS[0], PAPER_WIDTHS[-1]):
            column = [times(frame, init=init, width=width, m=m) for m in PAPER_SAMPLES]
            if not all(column):
                return NOT_ENOUGH
            rises[init, width] = bootstrap(lambda *cells: rise_after_minimum([median(cell) for cell in cells]), *column)
    narrow = max((rises[init, PAPER_WIDTHS[0]] for init in INITS), key=lambda e: e.value)
    wide = max(rises[init, PAPER_WIDTHS[-1]].value for init in INITS)
    detail = "; ".join(f"{init} r = {width} {e.value:.2g}×" for (init, width), e in rises.items())
    return Finding(narrow, narrow.value >= RISE and wide < RISE, "times", detail)


# -- helpers ----------------------------------------------------------------------------------------------------------


def half_success_ratio(
    frame: pl.DataFrame, samples: Sequence[int], above: tuple[str, int], below: tuple[str, int]
) -> Estimate | None:
    """50% sample size of one (init, width) over another's, resampling runs; None where a cell has no run."""
    curves = [
        [where(frame, init=init, width=width, m=m)["success"].cast(pl.Float64).to_list() for m in samples]
        for init, width in (above, below)
    ]
    if not all(cell for curve in curves for cell in curve):
        return None

    def edges(*cells: Sequence[float]) -> float:
        means = [sum(cell) / len(cell) for cell in cells]
        return ratio(half_success(samples, means[: len(samples)]), half_success(samples, means[len(samples) :]))

    return bootstrap(edges, *curves[0], *curves[1])


def rise_after_minimum(medians: Sequence[float]) -> float:
    """Largest later median over the smallest one; 1 where nothing rises, or where the first is the smallest already."""
    lowest = min(medians)
    at = list(medians).index(lowest)
    return 1.0 if math.isinf(lowest) or at == 0 else max(medians[at:]) / lowest


def _column(frame: pl.DataFrame, init: str, width: int, samples: Sequence[int]) -> list[tuple[int, int]]:
    """Successes and trials at every sample size; nothing where one of them has no run."""
    cells = [counts(frame, init=init, width=width, m=m) for m in samples]
    return cells if all(trials for _, trials in cells) else []


def _mean_rate(cells: list[tuple[int, int]]) -> float:
    return sum(won / trials for won, trials in cells) / len(cells)


def _smallest_ratio(
    pairs: list[tuple[str, list[float], list[float]]], *, above: float = 0.0, at_least: float = 0.0
) -> Finding:
    """The smallest ratio of two cells' median times. Where both cells mostly fail it does not hold."""
    if any(not slow or not quick for _, slow, quick in pairs):
        return NOT_ENOUGH
    ratios = [(place, bootstrap(median_ratio, slow, quick)) for place, slow, quick in pairs]
    least = min((ratio for _, ratio in ratios), key=lambda e: -math.inf if math.isnan(e.value) else e.value)
    holds = least.value > above and least.value >= at_least
    return Finding(least, holds, "times", "; ".join(f"{place} {ratio.value:.2g}×" for place, ratio in ratios))


CLAIMS = (
    Claim(
        "2-width-luck",
        "Width buys luck and data: near the edge more runs of a wider network succeed",
        "Figure 2, centre; Section 4.1, finding 2",
        "r = 300 beats r = 30 by ≥ 30 points at m = 500 and on average over m, both inits",
        width_buys_luck,
        ("laptop",),
    ),
    Claim(
        "2-width-time",
        "Width buys time: a wider network needs fewer steps",
        "Figure 2, right; Section 4.1, finding 2",
        "median steps fall from r = 30 to r = 300 at m = 2,000, both inits",
        width_buys_time,
        ("laptop",),
    ),
    Claim(
        "2-width-data",
        "Width buys data: the sample size at which half the runs succeed falls with width",
        "Figure 2, centre; Section 4.1, finding 2",
        "it falls from each width to the next, both inits",
        width_buys_data,
        ("paper",),
    ),
    Claim(
        "3-sparse-luck",
        "Sparse initialisation of a wide network buys luck",
        "Figure 2, lower row; Section 4.1, finding 3",
        "mean success over m at least that of dense, r = 300",
        sparse_buys_luck,
        ("laptop",),
    ),
    Claim(
        "3-sparse-luck-each",
        "Sparse initialisation buys luck at each width",
        "Figure 2, lower row",
        "mean success over m at least that of dense, r = 30 and r = 300",
        sparse_buys_luck_at_each_width,
        ("laptop",),
    ),
    Claim(
        "3-sparse-data",
        "Sparse initialisation buys data",
        "Figure 2, lower row; Section 4.1, finding 3",
        "50% sample size below that of dense at r = 10,000",
        sparse_buys_data,
        ("paper",),
    ),
    Claim(
        "4-data-or-time",
        "At the edge of feasibility fewer examples are paid for with more steps",
        "Figure 2, right; Section 4.1, finding 4",
        "≥ 2 times the steps at the smallest learnable m as at m = 2,000, r = 300, both inits",
        data_or_time,
        ("laptop",),
    ),
    Claim(
        "4-more-data-slower",
        "With more data a narrow network can be slower again, a wide one is not",
        "Figure 2, right; Section 4.1, finding 4",
        "median time rises ≥ 1.5 times after its minimum at r = 100, at r = 10,000 it does not",
        more_data_slows_narrow_networks,
        ("paper",),
    ),
)

STUDY = Study(
    name="pareto/slices",
    title="Success and steps against sample size, by width: data, time and luck",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={
        "slices": lambda frame: charts.slices(
            frame,
            colour="width",
            title="Slices of the success frontier",
            subtitle="share of runs that learn the parity, and the median steps they took, against sample size",
        ),
    },
)
