"""Larger k: a parity of five signs, learned from a fixed sample (Section 4.1).

The paper says that larger k are learned offline as well, and leaves them out of its grid because the sizes n at which
they are feasible are small. Here k = 5 at n = 20, where there are 15,504 parities of five signs.

Grids
    paper   n = 30, k = 5, widths 10 to 10,000, 17 sample sizes from 1,000 to 40,000, dense and 2-sparse initialisation,
            chosen adaptively until intervals are within 1.1, T = 100,000.
    laptop  n = 20, k = 5, widths 10 to 300, 17 sample sizes from 200 to 8,000, intervals within 1.2, up to 400 runs per
            cell, T = 20,000, examined every 100 steps on 1,000 held-out examples.
    smoke   n = 12, k = 2, one width: seconds.

Decisions where the paper is silent
    It names neither n nor m for larger k. "Learned offline" is measured by m50, and holds where that is at most a tenth
    of the number of parities. Pilot runs at n = 20 (three per cell): all learn at m = 1,000, two of three at m = 500
    with r = 300. Loss, weight decay, minibatches: as in ``success_frontier``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from glassware.models import Init
from glassware.studies.claim import Claim, Scale
from glassware.studies.pareto.shared.arms import SAMPLES, SMOKE_SAMPLES, WIDTHS, Arm, Comparison, run
from glassware.studies.pareto.shared.edge_checks import known_claim, width_saves
from glassware.studies.pareto.shared.edge_figures import figures
from glassware.studies.study import Rounds, Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, all_of, at_most

INITS = {"dense": Init(), "2-sparse": Init(scheme="sparse", s=2)}
LAPTOP, WIDE = 20, 300
PARITIES = math.comb(LAPTOP, 5)


def arms(scale: Scale) -> Sequence[Arm]:
    """Dense and 2-sparse first weights."""
    n, times = (30, 10) if scale == "paper" else (LAPTOP, 2)
    samples = SMOKE_SAMPLES if scale == "smoke" else tuple(times * m for m in SAMPLES)
    return [
        Arm(name, run(scale, n, 5, laptop_steps=20_000, init=init), samples, WIDTHS[scale])
        for name, init in INITS.items()
    ]


COMPARISON = Comparison(arms)


def learned_offline(frame: pl.DataFrame) -> Finding:
    """m50 of 300 neurons as a share of the number of parities, of each init."""
    edges = [COMPARISON.m50(frame, name, LAPTOP).get(WIDE) for name in INITS]
    known = [edge for edge in edges if edge is not None]
    if len(known) < len(INITS):
        return NOT_ENOUGH
    said = "; ".join(f"{name} m50 = {edge.value:.0f}" for name, edge in zip(INITS, known, strict=True))
    shares = [type(edge)(*(end / PARITIES for end in edge)) for edge in known]
    return all_of([Finding(share, at_most(0.1), "points") for share in shares], f"{said} of {PARITIES:,} parities")


CLAIMS = (
    known_claim(COMPARISON, LAPTOP),
    Claim(
        "offline",
        "Larger k is learned offline as well",
        "Section 4.1, the grid",
        "m50 of r = 300 at most a tenth of the number of parities, both inits",
        learned_offline,
        ("laptop",),
    ),
    Claim(
        "width",
        "Width buys data for k = 5 too",
        "Section 4.1, finding 2",
        "m50 at r = 300 below that at r = 10, both inits",
        width_saves(COMPARISON, tuple(INITS), 10, WIDE, LAPTOP),
        ("laptop",),
    ),
)

STUDY = Study(
    name="pareto/more/larger-k",
    title="A parity of five signs from a fixed sample",
    about=__doc__ or "",
    stages=(Rounds(COMPARISON.runs),),
    claims=CLAIMS,
    figures=figures(COMPARISON, "Where learning begins for k = 5"),
)
