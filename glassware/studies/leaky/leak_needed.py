"""How much leak the network needs: the share of leaking inputs from none to all.

The first step sees the relevant bits through the leak: a share p of leaking inputs correlates each of them with the
label by p. Without any the problem is the plain uniform parity, whose first step shows nothing. With all inputs leaking
the label is a single bit and the parity is never seen. In between one step and a linear readout learn the parity, as in
``network_against_linear``.

Stages: the first step, a run that keeps its weights; then the readout of its hidden units, solved on the same examples.

Grids (each a share, a sample size, a seed)
    paper   n = 51, k = 5, q = 200, shares down to 0.005, samples of 10,000, 100,000 and 1,000,000, 10 seeds.
    laptop  n = 51, k = 5, q = 200, 30,000 examples, shares 0, .05, .1, .25, .5, .75, .95, 1, 10 seeds.
    smoke   n = 15, k = 3, q = 60, 4,000 examples, shares 0, .5 and 1.

Decisions where the paper is silent
    It has the fair mixture only. Verdicts rest on means over seeds. Threshold share of a sample size: interpolated in
    log p where the mean accuracy on D1 first passes 95%.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import polars as pl

from glassware import charts
from glassware.foundation.statistics import difference_of_means, mean_share, power_law_exponent
from glassware.studies.cells import where
from glassware.studies.claim import Claim, Scale
from glassware.studies.crossing import crossing
from glassware.studies.leaky.runs import first_step, fits, readout, repeats
from glassware.studies.resampled import resampled
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, at_least, below, between
from glassware.training import Run

SHARES = [0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.95, 1.0]
SIZES: dict[Scale, tuple[int, int, int, list[int], list[float]]] = {  # n, k, q, samples, shares
    "smoke": (15, 3, 60, [4000], [0.0, 0.5, 1.0]),
    "laptop": (51, 5, 200, [30_000], SHARES),
    "paper": (51, 5, 200, [10_000, 100_000, 1_000_000], [0.0, 0.005, 0.01, 0.02, 0.03, *SHARES[1:]]),
}
REPEATS: dict[Scale, int] = {"smoke": 1, "laptop": 10, "paper": 10}


def first_steps(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """One step for every share, sample size and seed."""
    n, k, q, samples, shares = SIZES[scale]
    return [
        first_step(n, k, q, m, seed, leak=leak, pairing=f"leak needed {m} {leak}")
        for m in samples
        for leak in shares
        for seed in repeats(seeds or REPEATS[scale])
    ]


def readouts(scale: Scale, seeds: int | None, rows: pl.DataFrame) -> list[Run]:
    """What can be read off each of them."""
    return [readout(first) for first in first_steps(scale, seeds, rows)]


# -- claims -----------------------------------------------------------------------------------------------------------


def no_leak(frame: pl.DataFrame) -> Finding:
    """Mean D1 accuracy without any leak, where the fair mixture is learned."""
    none, half = (_levels(frame, leak) for leak in (0.0, 0.5))
    if not none or not half:
        return NOT_ENOUGH
    fair = mean_share(half)
    text = f"{len(none)} runs; share .5: {fair.value:.3f}"
    return all_of([
        Finding(mean_share(none), between(0.45, 0.55), "points", text),
        Finding(fair, at_least(0.99), "points", "at share .5"),
    ])  # fmt: skip


def enough_leak(frame: pl.DataFrame) -> Finding:
    """Lowest mean D1 accuracy at shares .25, .5 and .75."""
    found = [_levels(frame, leak) for leak in (0.25, 0.5, 0.75)]
    if not all(found):
        return NOT_ENOUGH
    worst_first = sorted((mean_share(levels) for levels in found), key=lambda level: level.value)
    return all_of([Finding(level, at_least(0.99), "points", f"{len(found[0])} runs each") for level in worst_first])


def little_leak(frame: pl.DataFrame) -> Finding:
    """Mean D1 accuracy at a share of .1 minus that at .05."""
    more, less = (_levels(frame, leak) for leak in (0.1, 0.05))
    if not more or not less:
        return NOT_ENOUGH
    text = f".05: {np.mean(less):.3f}, .1: {np.mean(more):.3f}"
    return Finding(difference_of_means(more, less), above(0), "points", text)


def too_much_leak(frame: pl.DataFrame) -> Finding:
    """Mean D1 accuracy at a share of .5 minus that at .95."""
    fair, most = (_levels(frame, leak) for leak in (0.5, 0.95))
    if not fair or not most:
        return NOT_ENOUGH
    text = f".5: {np.mean(fair):.3f}, .95: {np.mean(most):.3f}"
    return Finding(difference_of_means(fair, most), at_least(0.1), "points", text)


def threshold_falls(frame: pl.DataFrame) -> Finding:
    """Exponent of the threshold share in the sample size."""
    exponent, rise = (resampled(fits(frame), ["m", "leak"], statistic) for statistic in (_exponent, _largest_rise))
    if math.isnan(exponent.value):
        return NOT_ENOUGH
    text = ", ".join(f"m = {m}: {p:.4f}" for m, p in _thresholds(fits(frame)))
    return all_of([
        Finding(exponent, between(-0.7, -0.3), "", text),
        Finding(rise, below(1), "times", f"largest ratio of a threshold to the one before; {text}"),
    ])  # fmt: skip


def _levels(frame: pl.DataFrame, leak: float) -> list[float]:
    return where(fits(frame), leak=leak)["uniform"].to_list()


def _thresholds(frame: pl.DataFrame) -> list[tuple[int, float]]:
    """The share at which the mean D1 accuracy first passes 95%, for the sample sizes where it does."""
    found = []
    for m in sorted(frame["m"].unique()):
        levels = where(frame, m=m).filter(pl.col("leak") > 0).group_by("leak").agg(pl.col("uniform").mean())
        levels = levels.sort("leak")
        found.append((m, crossing(levels["leak"], levels["uniform"], 0.95)))
    return [(m, p) for m, p in found if p is not None]


def _exponent(frame: pl.DataFrame) -> float | None:
    known = _thresholds(frame)
    return power_law_exponent(*zip(*known, strict=True)) if len(known) >= 3 else None


def _largest_rise(frame: pl.DataFrame) -> float | None:
    known = _thresholds(frame)
    return max(after / before for (_, before), (_, after) in pairwise(known)) if len(known) >= 3 else None


CLAIMS = (
    Claim("no-leak", "Without a leak one step learns nothing of the uniform parity", "Section 1; our control",
          "D1 between 45% and 55% at share 0, ≥ 99% at share .5", no_leak, ("laptop", "paper"), source="ours",
          note="sharpened: guessing at every share would pass the first half"),
    Claim("enough", "A quarter to three quarters of leaking inputs suffice", "Theorem 2, beyond the fair mixture",
          "mean D1 ≥ 99% at .25, .5 and .75", enough_leak, ("laptop",), source="ours"),
    Claim("little", "Below that more leak helps", "our remark on Theorem 2",
          "mean D1 at .05 below that at .1", little_leak, ("laptop",), source="ours"),
    Claim("too-much", "With almost only leaking inputs the readout hardly sees the parity", "our remark on Theorem 2",
          "mean D1 at .95 ≥ 10 points below that at .5", too_much_leak, ("laptop",), source="ours",
          note="was: D1 < 90% at .95, which guessing passes; the fair mixture reaches 100%, so the limit is the same"),
    Claim("threshold", "The share needed falls as one over the root of the sample", "our remark on Theorem 2",
          "falls with m; exponent between -0.7 and -0.3", threshold_falls, ("paper",), source="ours"),
)  # fmt: skip


def _drawn(frame: pl.DataFrame) -> pl.DataFrame:
    parts = [
        frame.select("leak", "m", value=pl.col(column), part=pl.lit(part))
        for column, part in (("uniform", "uniform inputs, D1"), ("leaking", "leaking inputs, D2"))
    ]
    cells = pl.concat(parts).group_by("leak", "m", "part", maintain_order=True)
    return cells.agg(pl.col("value").mean(), low=pl.col("value").min(), high=pl.col("value").max()).sort("leak", "m")


STUDY = Study(
    name="leaky/leak-needed",
    title="How much of the label must leak",
    about=__doc__ or "",
    stages=(first_steps, readouts),
    claims=CLAIMS,
    figures={
        "leak": lambda frame: charts.dots(
            _drawn(fits(frame).filter(pl.col("m") == pl.col("m").max())),
            x="leak",
            y="value",
            low="low",
            high="high",
            colour="part",
            title="One step and a linear readout against the share of inputs that leak",
            subtitle="accuracy, mean and range over seeds; 50% is chance",
            x_title="share of leaking inputs",
            y_title="accuracy",
            percent=True,
        ),
    },
)
