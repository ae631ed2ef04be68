"""Adam: where does learning begin with steps of one size for every weight? (beyond the paper)

The paper's frontier is that of SGD. Adam divides every step by the size of recent gradients, and then weight decay is
another thing: coupled, it is divided too; decoupled (AdamW), it shrinks weights as SGD's does.

Grids
    paper   n = 30, k = 3, widths 10 to 10,000, 17 sample sizes from 100 to 4,000, chosen adaptively until intervals
            are within 1.1, T = 100,000.
    laptop  widths 10 to 300, intervals within 1.2, up to 400 runs per cell, T = 6,000, examined every 100 steps on
            1,000 held-out examples.
    smoke   n = 12, k = 2, one width: seconds.

Decisions where the paper is silent
    All of it: the paper has no such experiment. Rates and decays, and what to claim, were chosen after pilot runs at
    n = 20, r = 100, T = 4,000 (four runs per cell), where m50 was about 250 for SGD, 200 for Adam with learning rate
    0.003 and coupled decay 0.01, between 450 and 1,000 for it without decay, and 250 for AdamW with rate 0.01 and
    decay 0.1, which shrinks weights by 0.1% per step as SGD here does. Betas 0.9 and 0.999.
"""

from __future__ import annotations

from collections.abc import Sequence

from glassware.studies.claim import Claim, Scale
from glassware.studies.pareto.shared.arms import SMOKE_SAMPLES, WIDTHS, Arm, Comparison, run
from glassware.studies.pareto.shared.edge_checks import WHERE, compare, known_claim
from glassware.studies.pareto.shared.edge_figures import figures
from glassware.studies.study import Rounds, Study
from glassware.studies.verdict import at_least, below, between
from glassware.training import SGD, Adam, AdamW
from glassware.training.optimiser import AnyOptimiser

PLAIN, COUPLED, BARE, DECOUPLED = "SGD", "Adam", "Adam, no decay", "AdamW"
RULES: dict[str, AnyOptimiser] = {
    PLAIN: SGD(lr=0.1, weight_decay=0.01),
    COUPLED: Adam(lr=0.003, weight_decay=0.01),
    BARE: Adam(lr=0.003),
    DECOUPLED: AdamW(lr=0.01, weight_decay=0.1),
}


def arms(scale: Scale) -> Sequence[Arm]:
    """SGD, and three Adams."""
    if scale == "smoke":
        two = (PLAIN, COUPLED)
        return [Arm(name, run(scale, optimiser=RULES[name]), SMOKE_SAMPLES, WIDTHS[scale]) for name in two]
    return [Arm(name, run(scale, optimiser=rule), widths=WIDTHS[scale]) for name, rule in RULES.items()]


COMPARISON = Comparison(arms)
CLAIMS = (
    known_claim(COMPARISON),
    Claim(
        "adam-saves",
        "Adam with coupled decay needs fewer examples than SGD",
        WHERE,
        "m50 below that of SGD, at every width",
        compare(COMPARISON, COUPLED, PLAIN, below(1)),
        source="ours",
    ),
    Claim(
        "adamw",
        "With a decay that shrinks weights as much per step, AdamW needs as many as SGD",
        WHERE,
        "m50 is 1/1.3 to 1.3 times that of SGD, at every width",
        compare(COMPARISON, DECOUPLED, PLAIN, between(1 / 1.3, 1.3)),
        source="ours",
    ),
    Claim(
        "decay",
        "It is the decay that makes Adam learn from few examples",
        WHERE,
        "without it m50 is at least 1.5 times as large, at every width",
        compare(COMPARISON, BARE, COUPLED, at_least(1.5)),
        source="ours",
    ),
)

STUDY = Study(
    name="pareto/beyond/adam",
    title="The frontier with Adam",
    about=__doc__ or "",
    stages=(Rounds(COMPARISON.runs),),
    claims=CLAIMS,
    figures=figures(COMPARISON, "Where learning begins, with SGD and with Adam"),
)
