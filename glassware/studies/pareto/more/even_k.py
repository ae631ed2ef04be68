"""Even k: what a small perturbation of the sparse first weights is worth, from start to end (Theorem 5, Section 4.1).

The theory's under-sparse neurons have s ones and a small eps elsewhere, for even k: without eps a neuron on two
coordinates has no expected gradient at all when k = 4, and with it the first step already points to the rest of S. The
experiments use no eps and k = 3. Here whole networks are trained on k = 4 with both, and with dense weights, and the
search looks for the sample size at which half of them learn, at every width: width and luck included.

Grids
    paper   n = 100, k = 4, widths 10 to 10,000, 17 sample sizes from 1,000 to 40,000, chosen adaptively until intervals
            are within 1.1, T = 100,000.
    laptop  n = 30, k = 4, widths 10 to 300, 17 sample sizes from 100 to 4,000, intervals within 1.2, up to 400 runs per
            cell, T = 6,000, examined every 100 steps on 1,000 held-out examples.
    smoke   n = 12, k = 2, one width: seconds.

Decisions where the paper is silent
    eps = 1 / (2 (n - s)), half of the largest that the theorem allows; biases and outgoing weights are PyTorch's, not
    those of the construction. Loss, weight decay, minibatches: as in ``success_frontier``. Pilot runs at n = 16 and at
    n = 30, m = 2,000 and more, where every network learns, did not show whether eps helps.
"""

from __future__ import annotations

from collections.abc import Sequence

from glassware.models import Init
from glassware.studies.claim import Claim, Scale
from glassware.studies.pareto.shared.arms import SAMPLES, SMOKE_SAMPLES, WIDTHS, Arm, Comparison, run
from glassware.studies.pareto.shared.edge_checks import compare, known_claim, width_saves
from glassware.studies.pareto.shared.edge_figures import figures
from glassware.studies.study import Rounds, Study
from glassware.studies.verdict import below

DENSE, PLAIN, PERTURBED = "dense", "2-sparse", "2-sparse, perturbed"
N: dict[Scale, int] = {"smoke": 12, "laptop": 30, "paper": 100}


def arms(scale: Scale) -> Sequence[Arm]:
    """Three ways of drawing the first weights."""
    n, times = N[scale], 10 if scale == "paper" else 1
    inits = {
        DENSE: Init(),
        PLAIN: Init(scheme="sparse", s=2),
        PERTURBED: Init(scheme="sparse", s=2, eps=0.5 / (n - 2)),
    }
    samples = SMOKE_SAMPLES if scale == "smoke" else tuple(times * m for m in SAMPLES)
    return [Arm(name, run(scale, n, 4, init=init), samples, WIDTHS[scale]) for name, init in inits.items()]


COMPARISON = Comparison(arms)
CLAIMS = (
    known_claim(COMPARISON),
    Claim(
        "perturbed",
        "For even k the perturbation of the sparse weights saves examples",
        "our reading of Theorem 5",
        "m50 with eps below that without, at every width",
        compare(COMPARISON, PERTURBED, PLAIN, below(1)),
        ("laptop",),
        source="ours",
    ),
    Claim(
        "width",
        "Width buys data for even k too, however the first weights are drawn",
        "Section 4.1, finding 2",
        "m50 at r = 300 below that at r = 10, of all three",
        width_saves(COMPARISON, (DENSE, PLAIN, PERTURBED), 10, 300),
        ("laptop",),
    ),
    Claim(
        "sparse",
        "For even k, where the first gradients of sparse neurons vanish, sparse weights save nothing",
        "our reading of Section 4.1, finding 3, and of the gradients at the start",
        "m50 of dense first weights below that of 2-sparse ones without eps, at every width",
        compare(COMPARISON, DENSE, PLAIN, below(1)),
        ("laptop",),
        source="ours",
    ),
)

STUDY = Study(
    name="pareto/more/even-k",
    title="Sparse first weights for even k, with and without a perturbation",
    about=__doc__ or "",
    stages=(Rounds(COMPARISON.runs),),
    claims=CLAIMS,
    figures=figures(COMPARISON, "Where learning begins for k = 4, by the first weights"),
)
