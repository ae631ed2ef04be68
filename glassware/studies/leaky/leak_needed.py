"""How much leak the network needs: the share of leaking inputs from none to all.

The first step sees the relevant bits through the leak: a share p of leaking inputs correlates each of them with the
label by p. Without any the problem is the plain uniform parity, whose first step shows nothing. With all inputs leaking
the label is a single bit and the parity is never seen. In between one step and a linear readout learn the parity, as in
``network_against_linear``.

Grids (each row: a share, a sample size, a seed)
    paper   n = 51, k = 5, q = 200, shares down to 0.005, samples of 10,000, 100,000 and 1,000,000, 10 seeds.
    laptop  n = 51, k = 5, q = 200, 30,000 examples, shares 0, .05, .1, .25, .5, .75, .95, 1, 3 seeds.
    smoke   n = 15, k = 3, q = 60, 4,000 examples, shares 0, .5 and 1.

Decisions where the paper is silent
    One gradient and one linear system per row: no steps to train, so rows are computed, not runs.
    It has the fair mixture only. Verdicts rest on means over seeds. Threshold share of a sample size: interpolated in
    log p where the mean accuracy on D1 first passes 95%.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl

from glassware import charts
from glassware.foundation.statistics import Estimate, difference_of_means, mean_share, power_law_exponent
from glassware.studies.cells import where
from glassware.studies.claim import Claim, Scale
from glassware.studies.crossing import crossing
from glassware.studies.leaky.fit import FIRST_SEED, hidden, marks, readout, stepped
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding
from glassware.theory.leaky.distributions import LeakyParity
from glassware.theory.leaky.network import initialise

SHARES = [0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.95, 1.0]
SIZES: dict[Scale, tuple[int, int, int, list[int], list[float]]] = {  # n, k, q, samples, shares
    "smoke": (15, 3, 60, [4000], [0.0, 0.5, 1.0]),
    "laptop": (51, 5, 200, [30_000], SHARES),
    "paper": (51, 5, 200, [10_000, 100_000, 1_000_000], [0.0, 0.005, 0.01, 0.02, 0.03, *SHARES[1:]]),
}
REPEATS: dict[Scale, int] = {"smoke": 1, "laptop": 3, "paper": 10}


def compute(scale: Scale, seeds: int | None) -> pl.DataFrame:
    """One row per share, sample size and seed."""
    n, k, q, samples, shares = SIZES[scale]
    rows = []
    for m in samples:
        for leak in shares:
            for seed in range(FIRST_SEED, FIRST_SEED + (seeds or REPEATS[scale])):
                rng = np.random.default_rng([seed, n, k, q])
                task, data = LeakyParity.draw(n, k, rng, leak), [seed, n, k, m, round(1000 * leak)]
                network = stepped(initialise(n, k, q, rng), task, m, data)
                found = marks(readout(hidden(network), task, m, data), task, data)
                rows.append({"n": n, "k": k, "q": q, "m": m, "leak": leak, "seed": seed, **found})
    return pl.DataFrame(rows)


# -- claims -----------------------------------------------------------------------------------------------------------


def no_leak(frame: pl.DataFrame) -> Finding:
    """Mean D1 accuracy without any leak."""
    found = where(frame, leak=0.0)["uniform"].to_list()
    if not found:
        return NOT_ENOUGH
    level = mean_share(found)
    return Finding(level, 0.45 <= level.value <= 0.55, "points", f"{len(found)} runs")


def enough_leak(frame: pl.DataFrame) -> Finding:
    """Lowest mean D1 accuracy at shares .25, .5 and .75."""
    levels = [_level(frame, leak) for leak in (0.25, 0.5, 0.75)]
    if None in levels:
        return NOT_ENOUGH
    worst = min((level for level in levels if level is not None), key=lambda e: e.value)
    return Finding(worst, worst.value >= 0.99, "points")


def little_leak(frame: pl.DataFrame) -> Finding:
    """Mean D1 accuracy at a share of .1 minus that at .05."""
    more, less = (where(frame, leak=leak)["uniform"].to_list() for leak in (0.1, 0.05))
    if not more or not less:
        return NOT_ENOUGH
    gain = difference_of_means(more, less)
    return Finding(gain, gain.value > 0, "points", f".05: {np.mean(less):.3f}, .1: {np.mean(more):.3f}")


def too_much_leak(frame: pl.DataFrame) -> Finding:
    """Mean D1 accuracy at a share of .95."""
    level = _level(frame, 0.95)
    return NOT_ENOUGH if level is None else Finding(level, level.value < 0.9, "points")


def threshold_falls(frame: pl.DataFrame) -> Finding:
    """Exponent of the threshold share in the sample size."""
    found = [(m, _threshold(where(frame, m=m))) for m in sorted(frame["m"].unique())]
    known = [(m, p) for m, p in found if p is not None]
    if len(known) < 3:
        return NOT_ENOUGH
    exponent = power_law_exponent(*zip(*known, strict=True))
    falling = all(a > b for (_, a), (_, b) in pairwise(known))
    text = ", ".join(f"m = {m}: {p:.4f}" for m, p in known)
    return Finding(Estimate(exponent), falling and -0.7 <= exponent <= -0.3, "", text)


def _level(frame: pl.DataFrame, leak: float) -> Estimate | None:
    found = where(frame, leak=leak)["uniform"].to_list()
    return mean_share(found) if found else None


def _threshold(frame: pl.DataFrame) -> float | None:
    """The share at which the mean D1 accuracy first passes 95%."""
    levels = frame.filter(pl.col("leak") > 0).group_by("leak").agg(pl.col("uniform").mean()).sort("leak")
    return crossing(levels["leak"], levels["uniform"], 0.95)


CLAIMS = (
    Claim("no-leak", "Without a leak one step learns nothing of the uniform parity", "Section 1; our control",
          "D1 between 45% and 55% at share 0", no_leak, ("laptop", "paper")),
    Claim("enough", "A quarter to three quarters of leaking inputs suffice", "Theorem 2, beyond the fair mixture",
          "D1 ≥ 99% at .25, .5 and .75", enough_leak, ("laptop",)),
    Claim("little", "Below that more leak helps", "our remark on Theorem 2",
          "D1 at .05 below D1 at .1", little_leak, ("laptop",)),
    Claim("too-much", "With almost only leaking inputs the readout hardly sees the parity", "our remark on Theorem 2",
          "D1 < 90% at .95", too_much_leak, ("laptop",)),
    Claim("threshold", "The share needed falls as one over the root of the sample", "our remark on Theorem 2",
          "falls with m; exponent between -0.7 and -0.3", threshold_falls, ("paper",)),
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
    stages=(),
    claims=CLAIMS,
    figures={
        "leak": lambda frame: charts.dots(
            _drawn(frame.filter(pl.col("m") == pl.col("m").max())),
            x="leak",
            y="value",
            low="low",
            high="high",
            colour="part",
            title="One step and a linear readout against the share of inputs that leak",
            subtitle="accuracy, mean and range over seeds; 0.5 is chance",
            x_title="share of leaking inputs",
            y_title="accuracy",
        ),
    },
    compute=compute,
)
