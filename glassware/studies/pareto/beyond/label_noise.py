"""Label noise: what does a share of wrong training labels cost? (beyond the paper)

With a share p of labels flipped the correlation of label and parity falls to 1 - 2p. Whoever estimates correlations
from samples, as a gradient does, needs 1 / (1 - 2p)^2 times as many: 1.2, 1.6 and 2.8 for 5, 10 and 20%. A network
also fits the wrong labels. The labels that it is examined on are right.

Grids
    paper   n = 30 and 50, k = 3, widths 10 to 10,000, noise 0, 5, 10 and 20%, 17 sample sizes from 200 to 8,000
            (n = 50: 400 to 16,000), chosen adaptively until intervals are within 1.1, T = 100,000.
    laptop  widths 10 to 300 (n = 50: 30 to 300 and noise 0 and 10%), intervals within 1.2, up to 400 runs per cell,
            T = 6,000, examined every 100 steps on 1,000 held-out examples.
    smoke   n = 12, k = 2, one width: seconds.

Decisions where the paper is silent
    All of it: the paper's labels have no noise. A label is flipped once and for all, as data are, not at every step.
    What to claim was chosen after pilot runs at n = 20, r = 100, T = 4,000 (four runs per cell): m50 about 250, 550
    with 10% and 900 with 20%.
"""

from __future__ import annotations

from collections.abc import Sequence

from glassware.studies.claim import Claim, Scale
from glassware.studies.pareto.shared.arms import SAMPLES, SMOKE_SAMPLES, WIDTHS, Arm, Comparison, run
from glassware.studies.pareto.shared.edge_checks import WHERE, compare, known_claim
from glassware.studies.pareto.shared.edge_figures import figures
from glassware.studies.study import Rounds, Study
from glassware.studies.verdict import above, at_least

NAMES = {0.0: "no noise", 0.05: "5% of labels wrong", 0.1: "10%", 0.2: "20%"}


def cost(noise: float) -> float:
    """How many times the examples an estimate of a correlation needs."""
    return 1 / (1 - 2 * noise) ** 2


def arms(scale: Scale) -> Sequence[Arm]:
    """Four shares of wrong labels at n = 30, and some at n = 50."""
    if scale == "smoke":
        some = [(noise, run(scale, task={"noise": noise})) for noise in (0.0, 0.1)]
        return [Arm(NAMES[noise], base, SMOKE_SAMPLES, WIDTHS[scale]) for noise, base in some]
    near, far = (tuple(times * m for m in SAMPLES) for times in (2, 4))
    larger = NAMES if scale == "paper" else (0.0, 0.1)
    return [
        *(Arm(NAMES[p], run(scale, task={"noise": p}), near, WIDTHS[scale]) for p in NAMES),
        *(Arm(NAMES[p], run(scale, 50, task={"noise": p}), far, WIDTHS[scale][1:]) for p in larger),
    ]


COMPARISON = Comparison(arms)
CLAIMS = (
    known_claim(COMPARISON),
    known_claim(COMPARISON, 50),
    Claim(
        "any-noise",
        "Even 5% of wrong labels cost examples",
        WHERE,
        "m50 above that without noise, at every width",
        compare(COMPARISON, NAMES[0.05], NAMES[0.0], above(1)),
        source="ours",
    ),
    Claim(
        "information-10",
        "10% of wrong labels cost no less than an estimate of a correlation would need",
        WHERE,
        f"m50 at least 1 / 0.8² = {cost(0.1):.4g} times that without noise, at every width",
        compare(COMPARISON, NAMES[0.1], NAMES[0.0], at_least(cost(0.1))),
        source="ours",
    ),
    Claim(
        "information-20",
        "Nor do 20%",
        WHERE,
        f"m50 at least 1 / 0.6² = {cost(0.2):.3g} times that without noise, at every width",
        compare(COMPARISON, NAMES[0.2], NAMES[0.0], at_least(cost(0.2))),
        source="ours",
    ),
    Claim(
        "information-50",
        "Nor do 10% at n = 50",
        WHERE,
        f"m50 at least {cost(0.1):.4g} times that without noise, at every width",
        compare(COMPARISON, NAMES[0.1], NAMES[0.0], at_least(cost(0.1)), 50),
        source="ours",
    ),
)

STUDY = Study(
    name="pareto/beyond/label-noise",
    title="The frontier with wrong labels",
    about=__doc__ or "",
    stages=(Rounds(COMPARISON.runs),),
    claims=CLAIMS,
    figures=figures(COMPARISON, "Where learning begins, with some labels wrong"),
)
