"""Training leaves a network that memorises, even if it starts there (Appendix D.4).

Appendix D.4 shows that nothing in the architecture asks for waves: two neurons per pair look every product up, with
vectors of one entry each, whose spectra are flat. The text argues that training does not find such networks, since
their margin is smaller. Here training starts at one: balanced, at the scale that is best for it at this lambda, with or
without noise on its weights.

Grids
    paper   Z_7, two neurons per pair (m = 98), lambda = 0.02 gamma*, full batches, learning rate 5, 10,000 steps;
            relative noise 0 (one lane), 1e-3 and 1e-1 (20 lanes each). The text has no run like it.
    laptop  the same with 5 lanes each.
    smoke   seconds, for the tests: Z_3.

Decisions where the text is silent
    Balance: u, v and w of a neuron have the same norm, which is better than the text's weights of 1/4 (0.439 of its
    margin). Scale: that which minimises cross-entropy + lambda |theta|^3 among multiples of the network. Noise: uniform
    and independent on every weight, relative to the scale. Without noise all lanes are the same, so there is one; only
    rounding tells its neurons apart.
"""

from __future__ import annotations

import polars as pl

from glassware.foundation.statistics import Estimate
from glassware.models import GroupNet
from glassware.studies.claim import Claim, Scale
from glassware.studies.lanes import Measure, each_lane, span
from glassware.studies.margins.shared import figures
from glassware.studies.margins.shared.curves import Row, lanes, last
from glassware.studies.margins.shared.optima import GAMMA, at_step, repeat
from glassware.studies.margins.shared.runs import group_run, portable
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, all_of, at_least, at_most, between
from glassware.theory.margins.finite import finite_lambda_tied
from glassware.theory.margins.groups import named
from glassware.theory.margins.optimum import max_margin, memorising_margin
from glassware.training import SGD, Run

GROUP = "Z_7"
SHARE = 0.02  # lambda over gamma*
NOISES = [0.0, 1e-3, 1e-1]
LANES = 5  # per noise, at laptop scale
PROBES = ("margin", "irrep_mass", "irrep_neurons")


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Every noise; without any, one lane says it all."""
    if scale == "smoke":
        return repeat(_run("Z_3", NOISES[-1], 1000), seeds or 2)
    count = seeds or {"laptop": LANES, "paper": 20}[scale]
    return [run for noise in NOISES for run in repeat(_run(GROUP, noise, 10_000), count if noise else 1)]


def _run(group: str, noise: float, steps: int) -> Run:
    order = named(group).order
    lam = SHARE * max_margin(named(group)).margin
    run = group_run(group, 2 * order**2, lam=lam, steps=steps, at=(1,), probes=PROBES)
    start = GroupNet(width=2 * order**2, begins="memorising", scale=best_scale(group, lam), noise=noise)
    return run.model_copy(update={"model": start, "optimiser": SGD(lr=5.0, weight_decay=0.0)})


def best_scale(group: str, lam: float) -> float:
    """The scale of every weight at which the memorising network has the smallest objective.

    Its wrong labels tie, so its margin gives the best gap; the two neurons of a pair write 4 scale^3.
    """
    order = named(group).order
    return portable((finite_lambda_tied(memorising_margin(order), order, lam).gap / 4) ** (1 / 3))


# -- claims -----------------------------------------------------------------------------------------------------------


def memoriser_is_dense(frame: pl.DataFrame) -> Finding:
    """Before the first step, without noise: error, ratio to gamma* and the largest power of u by mass."""
    found = lanes(frame, group=GROUP, noise=0.0)
    best = _memorising()
    if not found:
        return NOT_ENOUGH
    error, ratio, power = (at_step(found[0], name, 0) for name in ("test_error", "margin_ratio", "weighted_power"))
    conditions = [
        Finding(Estimate.exact(float(ratio)), between(best - 1e-5, best + 1e-5)),
        Finding(Estimate.exact(float(error)), at_most(0)),
        Finding(Estimate.exact(float(power.max())), between(2 / 7 - 1e-5, 2 / 7 + 1e-5)),
    ]
    return all_of(
        conditions, f"ratio to gamma* {float(ratio):.5f}, of theory {best:.5f}; largest power {power.max():.5f}"
    )


def training_leaves_it(frame: pl.DataFrame) -> Finding:
    """Ratio to gamma* and largest power of u by mass at the end, in every lane of every noise."""
    found = lanes(frame, group=GROUP)
    counts = [sum(row["noise"] == noise for row in found) for noise in NOISES]
    if counts[0] < 1 or min(counts[1:]) < LANES:
        return NOT_ENOUGH
    finding = each_lane(
        found,
        LANES,
        Measure("ratio to gamma*", lambda row: last(row, "margin_ratio"), between(0.999, GAMMA)),
        Measure("at the start", _first, at_most(_memorising() + 1e-5)),
        Measure("largest power of u by mass", lambda row: last(row, "weighted_power")[0], at_least(0.999)),
    )
    first = "; ".join(
        f"noise {noise:g}: {span([_first(row) for row in found if row['noise'] == noise])}" for noise in NOISES
    )
    return all_of([finding], f"{finding.detail}; ratios at the start, {first}")


def _memorising() -> float:
    """Ratio to gamma* of the memorising network."""
    return memorising_margin(named(GROUP).order) / max_margin(named(GROUP)).margin


def _first(row: Row) -> float:
    return float(at_step(row, "margin_ratio", 0))


CLAIMS = (
    Claim(
        "d4-dense",
        "A network can learn Z_p without waves: all frequencies of its vectors have the same power",
        "Appendix D.4",
        "no error; ratio to gamma* as in theory and power 2/p in each frequency, to 1e-5",
        memoriser_is_dense,
        note="measured on the first weights of the lane without noise",
    ),
    Claim(
        "d4-left",
        "Training leaves the network that memorises and ends at waves and the largest margin",
        "our test of Appendix D.4",
        "from a ratio to gamma* ≤ 0.458 to one in [0.999, 1] and power by mass ≥ 0.999, every lane",
        training_leaves_it,
        source="ours",
        note="the text says that training does not find such networks; here it starts at one",
    ),
)

STUDY = Study(
    name="margins/memorising-start",
    title="Training that starts at a network that memorises",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"margin": lambda frame: figures.noise_curves(frame, "From a network that memorises to one of waves")},
)
