"""Inputs that are not uniform: biased, or correlated in pairs (beyond the paper)

On uniform inputs a parity of 3 signs is uncorrelated with every function of fewer: that is what makes it hard. Where
signs have mean b its covariance with each relevant one is b^2 (1 - b^2), and 0 with all others; where two signs of S
are correlated by c, it correlates with the third by c. A pair of which only one lies in S gives nothing away, but
offers a stand-in that is right in a share (1 + c) / 2 of cases.

Grids
    paper   n = 30, k = 3, widths 10 to 10,000, 21 sample sizes from 40 to 4,000, chosen adaptively until intervals are
            within 1.1, T = 100,000.
    laptop  widths 10 to 300, intervals within 1.2, up to 400 runs per cell, T = 6,000, examined every 100 steps on
            1,000 held-out examples.
    smoke   n = 12, k = 2, one width: seconds.

Decisions where the paper is silent
    All of it: the paper's inputs are uniform. Held-out examples come from the same distribution as the sample. Means
    1/4 and 1/2, correlation 1/2 (of x_0 and x_1, x_2 and x_3, ..), S = {0, 1, 2} for a pair inside and {0, 2, 4} for
    none; otherwise S is drawn by every run. With mean 1/2 always answering +1 is right in 56% of cases. What to claim
    was chosen after pilot runs at n = 20, r = 100, T = 4,000 (four runs per cell): m50 about 100 with mean 1/2, and
    220 to 280 with everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from glassware.studies.claim import Claim, Scale
from glassware.studies.pareto.shared.arms import SAMPLES, SMOKE_SAMPLES, WIDTHS, Arm, Comparison, run
from glassware.studies.pareto.shared.edge_checks import WHERE, compare, known_claim
from glassware.studies.pareto.shared.edge_figures import figures
from glassware.studies.study import Rounds, Study
from glassware.studies.verdict import at_most, below, between
from glassware.tasks import Signs

UNIFORM, SLIGHT, BIASED, INSIDE, ACROSS = "uniform", "mean 1/4", "mean 1/2", "a pair inside S", "pairs across S"
TASKS: dict[str, dict[str, Any]] = {
    UNIFORM: {},
    SLIGHT: {"distribution": Signs(mean=0.25)},
    BIASED: {"distribution": Signs(mean=0.5)},
    INSIDE: {"distribution": Signs(correlation=0.5), "support": (0, 1, 2)},
    ACROSS: {"distribution": Signs(correlation=0.5), "support": (0, 2, 4)},
}
FEWER = (40, 50, 63, 80, *SAMPLES)


def arms(scale: Scale) -> Sequence[Arm]:
    """Uniform inputs, two means, and two places of S among correlated pairs."""
    if scale == "smoke":
        some = (UNIFORM, BIASED)
        return [Arm(name, run(scale, task=TASKS[name]), SMOKE_SAMPLES, WIDTHS[scale]) for name in some]
    return [Arm(name, run(scale, task=task), FEWER, WIDTHS[scale]) for name, task in TASKS.items()]


COMPARISON = Comparison(arms)
CLAIMS = (
    known_claim(COMPARISON),
    Claim(
        "biased",
        "Biased inputs give the parity away",
        WHERE,
        "with mean 1/2 m50 is at most 2/3 of that with uniform inputs, at every width",
        compare(COMPARISON, BIASED, UNIFORM, at_most(2 / 3)),
        source="ours",
    ),
    Claim(
        "slightly-biased",
        "So do slightly biased ones",
        WHERE,
        "with mean 1/4 m50 is below that with uniform inputs, at every width",
        compare(COMPARISON, SLIGHT, UNIFORM, below(1)),
        source="ours",
    ),
    Claim(
        "pair-inside",
        "A correlated pair inside S shows the third sign, which does not help to find the pair",
        WHERE,
        "m50 is 1/1.3 to 1.3 times that with uniform inputs, at every width",
        compare(COMPARISON, INSIDE, UNIFORM, between(1 / 1.3, 1.3)),
        source="ours",
    ),
    Claim(
        "pairs-across",
        "Stand-ins for the relevant signs do no harm",
        WHERE,
        "m50 is 1/1.3 to 1.3 times that with uniform inputs, at every width",
        compare(COMPARISON, ACROSS, UNIFORM, between(1 / 1.3, 1.3)),
        source="ours",
    ),
)

STUDY = Study(
    name="pareto/beyond/inputs",
    title="The frontier on biased and correlated inputs",
    about=__doc__ or "",
    stages=(Rounds(COMPARISON.runs),),
    claims=CLAIMS,
    figures=figures(COMPARISON, "Where learning begins, on inputs that are not uniform"),
)
