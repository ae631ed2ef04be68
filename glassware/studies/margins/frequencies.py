"""Every frequency is used, and used alike (Figure D.1).

A maximum-margin network on Z_p needs all (p - 1)/2 frequencies (Appendix D.6); the network that proves Theorem 7.7 has
eight neurons for each. Figure D.1 counts trained neurons per frequency. Theory says more about their mass, the share of
the sum of ||omega||^3: the linear programme behind the maximum margin has one solution, so every frequency carries mass
2/(p - 1). Counts are not forced, nor is anything for ReLU.

Grids
    paper   Z_71 with the square and with ReLU, 5 seeds each: the 10 runs of margins/modular-addition.
    laptop  Z_13, Z_23 and, on a short schedule, Z_71: the 22 runs of margins/modular-addition.
    smoke   seconds, for the tests.

Decisions where the text is silent
    A neuron, dead or alive, counts for the frequency in which its u has most power; a neuron whose u is mostly constant
    has a bin of its own and is not in the test of uniformity. A frequency is used where its mass is above a tenth of
    2/(p - 1). How near to uniform: the chi-square of the counts around their mean, over its degrees of freedom, lanes
    pooled; independent draws have 1 on average. Training as in margins/modular-addition. A lane that diverges fails.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from glassware.foundation.statistics import Estimate
from glassware.studies.claim import Claim
from glassware.studies.lanes import Measure, each_lane, span
from glassware.studies.margins.frequencies_figure import counts, of_the_largest_group, of_z_23, relative_mass
from glassware.studies.margins.shared.curves import Row, array, lanes
from glassware.studies.margins.shared.cyclic import NETWORKS, runs
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, at_least, at_most

USED = 0.1  # of the mass that a maximum-margin network has at a frequency
WAVES = 0.8  # mean power of u from which a network has frequencies at all; before training it is below 0.4
FEWEST_FREEDOM = 50  # degrees of freedom below which the pooled chi-square says little


def chi_square(row: Row) -> tuple[float, int]:
    """Of the counts around their mean, and its degrees of freedom."""
    found = counts(row)
    return float(np.sum((found - found.mean()) ** 2) / found.mean()), len(found) - 1


def mean_power(row: Row) -> float:
    """The mean over neurons of the largest power of u. Random neurons spread evenly over the frequencies, too."""
    return float(np.mean(array(row, "power_u")))


# -- claims -----------------------------------------------------------------------------------------------------------


def equal_mass_13(frame: pl.DataFrame) -> Finding:
    """Lanes on Z_13 in which every frequency has mass 2/(p - 1) up to 1%."""
    return _equal_mass(lanes(frame, group="Z_13", activation="square"), 8)


def equal_mass_23(frame: pl.DataFrame) -> Finding:
    """Lanes on Z_23 in which every frequency has mass 2/(p - 1) up to 1%."""
    return _equal_mass(lanes(frame, group="Z_23", activation="square"), 5)


def uniform_square(frame: pl.DataFrame) -> Finding:
    """Pooled chi-square of the counts of the square networks over its degrees of freedom."""
    return _uniform(lanes(frame, activation="square"))


def uniform_relu(frame: pl.DataFrame) -> Finding:
    """Pooled chi-square of the counts of the ReLU networks over its degrees of freedom."""
    return _uniform(lanes(frame, activation="relu"))


def every_frequency(frame: pl.DataFrame) -> Finding:
    """Lanes, of both networks, in which every frequency is used."""
    rows = [lanes(frame, activation=name) for name in NETWORKS]
    if not all(rows):
        return NOT_ENOUGH
    least = Measure("least relative mass", lambda row: relative_mass(row).min(), at_least(USED))
    waves = Measure("mean power of u", mean_power, at_least(WAVES))
    return each_lane([row for some in rows for row in some], 5, least, waves)


def _equal_mass(rows: Sequence[Row], fewest: int) -> Finding:
    off = Measure("largest deviation of mass", lambda row: np.abs(relative_mass(row) - 1).max(), at_most(0.01))
    return each_lane(rows, fewest, off)


def _uniform(rows: Sequence[Row]) -> Finding:
    tests = [chi_square(row) for row in rows]
    freedom = sum(df for _, df in tests)
    if freedom < FEWEST_FREEDOM:
        return NOT_ENOUGH
    value = Estimate.exact(sum(chi for chi, _ in tests) / freedom)
    powers = [mean_power(row) for row in rows]
    said = (
        f"{len(rows)} lanes, {freedom} degrees of freedom; single lanes {span([chi / df for chi, df in tests])}; "
        f"mean power of u {span(powers)}"
    )
    learned = all(row["diverged_step"] is None for row in rows) and min(powers) >= WAVES
    return Finding(value, at_most(1.8) if learned else "fails", "", said)


UNIFORM = "χ²/df of the counts, lanes pooled, ≤ 1.8; mean power of u ≥ 0.8, each lane"
POWER = "the limit on the power was added after rows were seen: before training the claim held as well"
CLAIMS = (
    Claim(
        "every-frequency",
        "Every frequency is used, by the square and by the ReLU network",
        "Figure D.1",
        "mass of each frequency ≥ a tenth of 2/(p - 1) and mean power of u ≥ 0.8, each lane",
        every_frequency,
        note=POWER,
    ),
    Claim(
        "counts-square",
        "The square network's neurons spread evenly over the frequencies",
        "Figure D.1 (b)",
        UNIFORM,
        uniform_square,
        note=POWER,
    ),
    Claim(
        "counts-relu",
        "The ReLU network's neurons spread evenly over the frequencies",
        "Figure D.1 (a)",
        UNIFORM,
        uniform_relu,
        note=POWER,
    ),
    Claim(
        "13-mass",
        "On Z_13 every frequency carries the same mass, 2/(p - 1)",
        "our consequence of Theorem 7.7: the optimum is unique",
        "within 1%, every frequency of each of 8 lanes",
        equal_mass_13,
        ("laptop",),
        source="ours",
    ),
    Claim(
        "23-mass",
        "On Z_23 every frequency carries the same mass, 2/(p - 1)",
        "our consequence of Theorem 7.7: the optimum is unique",
        "within 1%, every frequency of each of 5 lanes",
        equal_mass_23,
        ("laptop",),
        source="ours",
    ),
)

STUDY = Study(
    name="margins/frequencies",
    title="Modular addition: every frequency is used, and used alike",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"frequencies": of_the_largest_group, "frequencies-23": of_z_23},
)
