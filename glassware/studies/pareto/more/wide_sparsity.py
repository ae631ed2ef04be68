"""How sparse should the first weights of a wide network be? (Section 4.1, finding 3; Appendix C.1)

The paper finds s = 2 best for networks of 1,000 neurons and more. ``pareto/sparsity`` asks at r = 300 and one sample
size; here r = 1,000, and "best" is the sample size that is needed: m50, for every s.

Grids
    paper   n = 100, k = 3, r = 1,000 and 10,000, s in {1, 2, 3, 4, 8, 16}, 17 sample sizes from 300 to 12,000, chosen
            adaptively until intervals are within 1.1, T = 100,000.
    laptop  n = 30, k = 3, r = 1,000, s in {1, 2, 3, 4, 8}, 17 sample sizes from 100 to 4,000, intervals within 1.2,
            up to 400 runs per cell, T = 6,000, examined every 100 steps on 1,000 held-out examples.
    smoke   n = 12, k = 2, one width: seconds.

Decisions where the paper is silent
    Its measure of "best" is not given. At paper scale s = 16 is tried as well. Loss, weight decay, minibatches: as in
    ``success_frontier``. No pilot runs.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from glassware.models import Init
from glassware.studies.claim import Claim, Scale
from glassware.studies.pareto.shared.arms import SAMPLES, SMOKE_SAMPLES, WIDTHS, Arm, Comparison, run
from glassware.studies.pareto.shared.edge_checks import known_claim
from glassware.studies.pareto.shared.edge_figures import figures
from glassware.studies.ratios import ratio
from glassware.studies.study import Rounds, Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of

PAPERS_CHOICE = 2
SPARSITIES: dict[Scale, tuple[int, ...]] = {"smoke": (1, 2), "laptop": (1, 2, 3, 4, 8), "paper": (1, 2, 3, 4, 8, 16)}
WIDE: dict[Scale, tuple[int, ...]] = {"smoke": WIDTHS["smoke"], "laptop": (1000,), "paper": (1000, 10_000)}


def arms(scale: Scale) -> Sequence[Arm]:
    """One per sparsity."""
    n, times = (100, 3) if scale == "paper" else (30, 1)
    samples = SMOKE_SAMPLES if scale == "smoke" else tuple(times * m for m in SAMPLES)
    inits = {s: Init(scheme="sparse", s=s) for s in SPARSITIES[scale]}
    return [Arm(f"s = {s}", run(scale, n, init=init), samples, WIDE[scale]) for s, init in inits.items()]


COMPARISON = Comparison(arms)


def two_needs_fewest(frame: pl.DataFrame) -> Finding:
    """m50 of each other sparsity over that of s = 2, r = 1,000."""
    found = {s: COMPARISON.m50(frame, f"s = {s}", 30).get(1000) for s in SPARSITIES["laptop"]}
    two = found.pop(PAPERS_CHOICE)
    others = {s: edge for s, edge in found.items() if edge is not None}
    if two is None or len(others) < len(found):
        return NOT_ENOUGH
    said = "; ".join(f"s = {s} {edge.value:.0f} [{edge.low:.0f}, {edge.high:.0f}]" for s, edge in others.items())
    ratios = sorted((ratio(edge, two) for edge in others.values()), key=lambda one: one.value)
    return all_of([Finding(one, above(1), "times") for one in ratios], f"m50: s = 2 {two.value:.0f}; {said}")


CLAIMS = (
    known_claim(COMPARISON),
    Claim(
        "two",
        "For wide networks s = 2 needs fewer examples than every other sparsity",
        "Section 4.1, finding 3; Appendix C.1",
        "m50 of each of the others above that of s = 2, r = 1,000",
        two_needs_fewest,
        ("laptop",),
    ),
)

STUDY = Study(
    name="pareto/more/wide-sparsity",
    title="How many incoming ones a neuron of a wide network should start with",
    about=__doc__ or "",
    stages=(Rounds(COMPARISON.runs),),
    claims=CLAIMS,
    figures=figures(COMPARISON, "Where a wide network's learning begins, by the sparsity of its first weights"),
)
