"""Depth: where does learning begin with two and three hidden layers? (beyond the paper)

The paper's networks have one hidden layer, and its theory is about what one first step shows to one neuron. A second
layer could compose what the first has found, or hide the signal from it.

Grids
    paper   n = 30, k = 3, widths 10 to 10,000 in every layer, 17 sample sizes from 100 to 4,000, chosen adaptively
            until intervals are within 1.1, T = 100,000.
    laptop  widths 10 to 300 (three layers: to 100), intervals within 1.2, up to 400 runs per cell, T = 6,000, examined
            every 100 steps on 1,000 held-out examples.
    smoke   n = 12, k = 2, one width, one and two layers: seconds.

Decisions where the paper is silent
    All of it: the paper has no such experiment. All layers have one width, PyTorch's default weights and biases, and
    the learning rate (0.1) and decay (0.01) of one layer. What to claim was chosen after pilot runs at n = 20, r =
    100, T = 4,000 (four runs per cell): m50 about 250 whatever the depth.
"""

from __future__ import annotations

from collections.abc import Sequence

from glassware.studies.claim import Claim, Scale
from glassware.studies.pareto.shared.arms import SAMPLES, SMOKE_SAMPLES, WIDTHS, Arm, Comparison, run
from glassware.studies.pareto.shared.edge_checks import WHERE, compare, known_claim
from glassware.studies.pareto.shared.edge_figures import figures
from glassware.studies.study import Rounds, Study
from glassware.studies.verdict import between

NAMES = {1: "1 hidden layer", 2: "2 hidden layers", 3: "3 hidden layers"}


def arms(scale: Scale) -> Sequence[Arm]:
    """One, two and three hidden layers of one width."""
    samples, found = SMOKE_SAMPLES if scale == "smoke" else SAMPLES, []
    for depth, name in NAMES.items():
        widths = WIDTHS[scale][:-1] if scale == "laptop" and depth == 3 else WIDTHS[scale]
        layers = widths if depth == 1 else tuple((width,) * depth for width in widths)
        found.append(Arm(name, run(scale), samples, layers))
    return found[:2] if scale == "smoke" else found


COMPARISON = Comparison(arms)
CLAIMS = (
    known_claim(COMPARISON),
    Claim(
        "two",
        "A second hidden layer does not move the edge of networks that are not narrow",
        WHERE,
        "m50 is 1/1.3 to 1.3 times that of one layer, r ≥ 30",
        compare(COMPARISON, NAMES[2], NAMES[1], between(1 / 1.3, 1.3), widths=(30, 100, 300, 1000, 3000, 10_000)),
        source="ours",
    ),
    Claim(
        "three",
        "Nor does a third",
        WHERE,
        "m50 is 1/1.3 to 1.3 times that of one layer, r ≥ 30",
        compare(COMPARISON, NAMES[3], NAMES[1], between(1 / 1.3, 1.3), widths=(30, 100, 300, 1000, 3000, 10_000)),
        source="ours",
    ),
)

STUDY = Study(
    name="pareto/beyond/depth",
    title="The frontier of deeper networks",
    about=__doc__ or "",
    stages=(Rounds(COMPARISON.runs),),
    claims=CLAIMS,
    figures=figures(COMPARISON, "Where learning begins, with one, two and three hidden layers"),
)
