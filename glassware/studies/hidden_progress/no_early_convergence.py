"""No lucky early successes: the law of convergence times against that of random search (Figure 2, left).

A random search over the C(n, k) subsets hits the right one with the same chance at every step: its time is geometric,
likeliest at the very beginning. If SGD stumbled upon the parity in this way, some runs of many would be done almost at
once. None is. Times have a long upper tail and nothing near zero.

Grids
    paper   (30, 3), B = 32: the PolyNet (xv) at rate 0.1, 1,000,000 runs; the sinusoid neuron (xiv) at 0.1 and the ReLU
            network (i) at 1, 100,000 runs each; T = 100,000, examined every 5 steps: 1,200,000 runs.
    laptop  the same three with 2,000 runs each, T = 20,000: 6,000 runs.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    It names neither network nor task. Early is a quarter of the median or before: a geometric law of any mean has 15.9%
    of its mass there. Long is an upper tail whose 99th percentile is 1.5 times the median or more, a failed run taking
    for ever; a geometric law has 6.6.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from glassware.charts.histogram import histogram
from glassware.foundation.statistics import NEVER, bootstrap, median, wilson
from glassware.studies.cells import pooled
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.shared.findings import each
from glassware.studies.hidden_progress.shared.fits import geometric_share, percentile
from glassware.studies.hidden_progress.shared.rows import times
from glassware.studies.hidden_progress.shared.trials import repeat, trial
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, at_least, below, counted
from glassware.training import Run

N, K = 30, 3
RATES = {"xv": 0.1, "xiv": 0.1, "i": 1.0}
NAMES = {"xv": "PolyNet (xv)", "xiv": "sinusoid neuron (xiv)", "i": "ReLU network of width 10 (i)"}
EARLY = 0.25  # of the median
LONG = 1.5  # times the median
MANY = 1000  # runs
BINS = 60
SHOWN = 0.98  # of the runs: the rest of the tail would squeeze them


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Many runs of few settings."""
    if scale == "smoke":
        some = [trial(s, 12, 2, lr=lr, steps=500, every=5, test=1024) for s, lr in RATES.items() if s != "xiv"]
        return repeat(some, seeds or 10)
    if scale == "laptop":
        return repeat([trial(s, N, K, lr=lr, steps=20_000, every=5) for s, lr in RATES.items()], seeds or 2000)
    return [
        run
        for setting, lr in RATES.items()
        for run in repeat(
            [trial(setting, N, K, lr=lr, every=5)], seeds or (1_000_000 if setting == "xv" else 100_000)
        )
    ]  # fmt: skip


# -- claims -----------------------------------------------------------------------------------------------------------


def _early(frame: pl.DataFrame) -> dict[str, tuple[int, int]]:
    """Runs of each setting that are done by a quarter of the median time, of how many; empty where one has too few."""
    found = {}
    for setting, sample in _samples(frame).items():
        middle = median(sample)
        # Where most runs fail, none is late: nothing was learned.
        early = sum(t <= EARLY * middle for t in sample) if math.isfinite(middle) else len(sample)
        found[setting] = early, len(sample)
    return found


def _samples(frame: pl.DataFrame) -> dict[str, list[float]]:
    """Times of each setting; empty where one of them has too few runs to speak of a law."""
    found = {setting: times(frame, setting=setting, n=N) for setting in RATES}
    return found if all(len(sample) >= MANY for sample in found.values()) else {}


def _in_words(frame: pl.DataFrame) -> str:
    words = [
        f"({setting}) {early} of {total} by a quarter of the median {median(sample):g}, first {min(sample):g}"
        for (setting, sample), (early, total) in zip(
            _samples(frame).items(), _early(frame).values(), strict=True
        )
    ]  # fmt: skip
    return "; ".join([*words, f"a geometric law: {geometric_share(EARLY):.1%}"])


def none_is_early(frame: pl.DataFrame) -> Finding:
    """How many runs of the three settings are not done by a quarter of the median time."""
    found = _early(frame)
    if not found:
        return NOT_ENOUGH
    early, total = pooled(found.values())
    return counted(total - early, total, total, _in_words(frame))


def hardly_any_is_early(frame: pl.DataFrame) -> Finding:
    """Share of runs done by a quarter of the median time, in each of the three settings."""
    found = _early(frame)
    return each((wilson(*cell) for cell in found.values()), below(1e-4), "", _in_words(frame)) if found else NOT_ENOUGH


def upper_tail_is_long(frame: pl.DataFrame) -> Finding:
    """99th percentile over the median, in each of the three settings."""
    tails = {setting: bootstrap(_tail, sample) for setting, sample in _samples(frame).items()}
    detail = "; ".join(f"({setting}) {tail.value:.2f}" for setting, tail in tails.items())
    return each(tails.values(), at_least(LONG), "times", detail)


def _tail(sample: list[float]) -> float:
    middle = median(sample)
    return math.nan if math.isinf(middle) else percentile(sample, 0.99) / middle


SHARPENED = "sharpened: (i) was shown but not judged"

CLAIMS = (
    Claim(
        "2a-none-early",
        "No run converges early, as a lucky search would",
        "Figure 2, left",
        "no run of (xv), (xiv) or (i) is done by a quarter of the median time (geometric law: 15.9%)",
        none_is_early,
        ("laptop",),
        note=SHARPENED,
    ),
    Claim(
        "2a-none-early-paper",
        "No run converges early, as a lucky search would",
        "Figure 2, left",
        "fewer than 1 in 10,000 runs of (xv), of (xiv) and of (i) are done by a quarter of the median time",
        hardly_any_is_early,
        ("paper",),
        note=SHARPENED,
    ),
    Claim(
        "2a-tail",
        "Convergence times have a heavy upper tail",
        "Figure 2, left",
        "99th percentile at least 1.5 times the median in (xv), in (xiv) and in (i)",
        upper_tail_is_long,
        note=SHARPENED,
    ),
)


# -- figure -----------------------------------------------------------------------------------------------------------


def _figure(frame: pl.DataFrame) -> object:
    bars, laws = [], []
    n, k = frame["n"][0], frame["k"][0]
    hit = 1 / math.comb(n, k)
    for setting in RATES:
        sample = times(frame, setting=setting)
        middle = median(sample) if sample else NEVER
        if math.isinf(middle):
            continue
        top = percentile([t for t in sample if t < NEVER], SHOWN)
        every = 5 * max(1, math.ceil(top / BINS / 5))
        # A run examined at a multiple of five belongs to the five steps before it.
        edges = np.arange(0, top + every, every)
        panel = f"{NAMES[setting]}: {len(sample):,} runs"
        counts, _ = np.histogram(np.array(sample) - 1, bins=edges)
        bars += [
            {"panel": panel, "left": float(a), "right": float(b), "share": count / len(sample)}
            for a, b, count in zip(edges, edges[1:], counts, strict=False)
        ]
        for kind, chance in (
            ("geometric law with the same median", 1 - 0.5 ** (1 / middle)),
            (f"random search over the C({n}, {k}) subsets", hit),
        ):
            mass = (1 - chance) ** edges[:-1] - (1 - chance) ** edges[1:]
            laws += [
                {"panel": panel, "kind": kind, "x": float(a) + every / 2, "share": float(p)}
                for a, p in zip(edges, mass, strict=False)
            ]
    return histogram(
        pl.DataFrame(bars),
        pl.DataFrame(laws),
        title="When runs converge",
        subtitle="share of runs in each interval of steps; a search by luck would be likeliest at the very start",
        x_title="steps to converge",
        y_title="share of runs",
    )


STUDY = Study(
    name="hidden-progress/no-early-convergence",
    title="The law of convergence times: a long tail and nothing near zero",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"times": _figure},
    paper_runs=1_200_000,
)
