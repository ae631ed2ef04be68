"""How many examples kernels and networks need as n grows (Section 3.2, kernel regime; Section 4.1, finding 1)

A kernel machine whose kernel knows nothing of S needs of the order of n^k examples, one for each parity that it might
be. A network that learns features needs far fewer. ``pareto/kernel-control`` shows it at one n; here m50, at which half
of the runs reach 10% error, is found at several, and with it the power of n.

Grids
    paper   Gaussian kernel n = 12 to 30, tangent kernel n = 10 to 20, network n = 20 to 100 with T = 100,000; intervals
            within 1.1.
    laptop  k = 3. Gaussian kernel n in {12, 16, 20}, tangent kernel of two layers with biases n in {10, 13, 16},
            network of 100 neurons n in {20, 30, 50} with T = 6,000; intervals within 1.2, 1,000 held-out examples.
    smoke   n = 12, k = 2: seconds.

Decisions where the paper is silent
    The paper says n^Omega(k) and measures no kernel. Kernels as in ``pareto/kernel-control``: gamma = 1/n, ridge 1e-6.
    Their sample sizes are multiples of the number of parities n (n - 1) (n - 2) / 6, chosen after pilot runs (two per
    cell) at n = 12 and 16: 10% error at 1.4 times as many for the Gaussian kernel, at 4 times for tangent kernels (two
    variants together).
    The power is that between the smallest and the largest n; its interval is that of the ratio of the two m50.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from glassware.foundation.statistics import Estimate
from glassware.models import MLP, KernelRidge
from glassware.studies.claim import Claim, Scale
from glassware.studies.pareto.shared.arms import SAMPLES, SMOKE_SAMPLES, Arm, Comparison, run
from glassware.studies.ratios import ratio
from glassware.studies.study import Rounds, Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, Threshold, at_most, between
from glassware.tasks import Parity
from glassware.training import Run

RBF, NTK, NETWORK = "Gaussian kernel", "tangent kernel, two layers", "network, r = 100"
MACHINES = {RBF: KernelRidge(kernel="rbf"), NTK: KernelRidge(kernel="ntk", bias=True)}
SIZES: dict[str, dict[Scale, tuple[int, ...]]] = {
    RBF: {"smoke": (12,), "laptop": (12, 16, 20), "paper": (12, 16, 20, 25, 30)},
    NTK: {"smoke": (), "laptop": (10, 13, 16), "paper": (10, 13, 16, 20)},
    NETWORK: {"smoke": (12,), "laptop": (20, 30, 50), "paper": (20, 30, 50, 70, 100)},
}
TIMES = {RBF: (0.7, 0.8, 0.9, 1.0, 1.12, 1.25, 1.4, 1.6, 1.8, 2.0), NTK: (2.5, 2.8, 3.15, 3.55, 4.0, 4.5, 5.0, 5.6)}


def arms(scale: Scale) -> Sequence[Arm]:
    """Every machine at every n, each a search of its own."""
    found = []
    for name, machine in MACHINES.items():
        for n in SIZES[name][scale]:
            exam = run(scale).evaluation
            base = Run(task=Parity(n=n, k=2 if scale == "smoke" else 3), m=1, model=machine, evaluation=exam)
            parities = math.comb(n, base.task.model_dump()["k"])
            found.append(Arm(name, base, tuple(round(t * parities) for t in TIMES[name]), (n,), across="task.n"))
    for n in SIZES[NETWORK][scale]:
        network = run(scale, n).model_copy(update={"model": MLP(width=8 if scale == "smoke" else 100)})
        samples = SMOKE_SAMPLES if scale == "smoke" else SAMPLES
        found.append(Arm(NETWORK, network, samples, (n,), across="task.n"))
    return found


COMPARISON = Comparison(arms)


def m50(frame: pl.DataFrame, name: str) -> dict[int, Estimate]:
    """m50 of a machine by n."""
    return {edge.n: edge.where for edge in COMPARISON.edges(frame) if edge.arm == name}


def power(name: str, meets: Threshold) -> Callable[[pl.DataFrame], Finding]:
    """A check: the power of n with which the m50 of a machine grows."""

    def check(frame: pl.DataFrame) -> Finding:
        """The power between the smallest and the largest n."""
        found = m50(frame, name)
        if len(found) < 2:
            return NOT_ENOUGH
        first, last = min(found), max(found)
        grown = ratio(found[last], found[first])
        if math.isnan(grown.value):
            return NOT_ENOUGH
        said = "; ".join(f"n = {n} {one.value:.0f} [{one.low:.0f}, {one.high:.0f}]" for n, one in found.items())
        return Finding(Estimate(*(math.log(end) / math.log(last / first) for end in grown)), meets, "", said)

    return check


KERNELS = "a power of n between 2.5 and 3.5, where k = 3"
CLAIMS = (
    Claim(
        "gaussian",
        "The examples that a Gaussian kernel needs grow like n^k",
        "Section 3.2, kernel regime",
        KERNELS,
        power(RBF, between(2.5, 3.5)),
    ),
    Claim(
        "tangent",
        "So do those of the tangent kernel of a two-layer network",
        "Section 3.2, kernel regime",
        KERNELS,
        power(NTK, between(2.5, 3.5)),
    ),
    Claim(
        "network",
        "Those of a network that learns features grow by a power at least 1/2 below k",
        "our reading of Section 4.1, finding 1 (m far below n^k)",
        "a power of n of at most 2.5",
        power(NETWORK, at_most(2.5)),
        source="ours",
    ),
)


def needed(frame: pl.DataFrame) -> Any:
    """m50 against n, with a line through the first and the last."""
    from glassware.charts.thresholds import thresholds

    known = lambda end: end if 0 < end < math.inf else None
    points = [
        {"kind": edge.arm, "x": float(edge.n)} | dict(zip(["y", "low", "high"], map(known, edge.where), strict=True))
        for edge in COMPARISON.edges(frame)
    ]
    if not points:
        return None
    table = pl.DataFrame(points, schema_overrides=dict.fromkeys(("y", "low", "high"), pl.Float64))
    return thresholds(
        table,
        table.drop_nulls("y").select("kind", "x", "y"),
        title="Examples that kernels and networks need",
        subtitle=f"k = {frame['k'][0]}; m at which half of the runs reach 10% test error, 95% intervals",
        x_title="inputs, n",
        y_title="examples, m",
    )


STUDY = Study(
    name="pareto/more/kernel-scaling",
    title="Examples that kernels and networks need, against n",
    about=__doc__ or "",
    stages=(Rounds(COMPARISON.runs),),
    claims=CLAIMS,
    figures={"needed": needed},
)
