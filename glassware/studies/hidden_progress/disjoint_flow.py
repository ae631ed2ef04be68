"""A long plateau, then a fall: disjoint-PolyNets under population gradients (Figure 5, left; Theorem 7).

The network multiplies k linear forms, each on its own block of n' coordinates, and the parity takes the first one of
each block. On the population correlation loss only the k relevant weights move, at first slowly and then, for k > 2, to
infinity in finite time. The error sees nothing until they rival the length of the irrelevant weights of their block:
nearly all of the time to a small error passes at an error near one half.

Three parts
    descent  gradient descent with small steps from N(0, 1) weights: the share of the time to an error of 0.1% at which
             the error is above 49%, and the curves.
    ones     gradient flow from all-ones weights, in closed form, the error exact: 1 - T(49%) / T(0) against n'.
    gaussian gradient flow from N(0, 1) weights: T(49%) / T(0).

Grids
    paper   descent n' = 10, 30, 100, k = 3, 4, 5, 1,000 starts; ones n' = 81, 161, .., 10,241; gaussian n' = 10, 30,
            100, 300, 1,000 with 10,000 starts.
    laptop  the same with 50 starts for the descent and 200 for the Gaussian flow.
    smoke   n' = 10, 30, k = 3, a few starts.

Decisions where the paper is silent
    n', k, steps: ours. A descent takes 4,000 equal steps to where the flow would reach the small error. Starts have a
    positive product of relevant weights; otherwise these shrink first, and SGD noise decides. The error of Gaussian
    weights is that of the normal approximation. The range of n' for all-ones weights starts at 81: below, the lattice
    of sums of signs shows. "A constant C" of the Gaussian bound: fitted below n' = 300, tested from there on.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl

from glassware.foundation.statistics import Estimate, bootstrap, median, power_law_exponent
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.disjoint_flow_figures import error_figure, scaling_figure
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, at_least, at_most, between
from glassware.theory.boolean import Floats
from glassware.theory.hidden_progress.polynet_error import error_without_ties, inside_gaussian
from glassware.theory.hidden_progress.polynet_flow import population_gradient
from glassware.theory.hidden_progress.polynet_times import (
    corollary11_bound,
    ones_plateau,
    time_to_error,
    time_to_zero_error,
)

EARLY, LATE = 0.49, 1e-3
STEPS = 4000
DRAWN = 12  # curves of a panel
POINTS = 60  # of a curve, and as many again towards its end
SEED = 700
# Blocks of the descent, of the all-ones flow and of the Gaussian flow, parity sizes, starts of the first and the last.
SIZES: dict[Scale, tuple[list[int], list[int], list[int], list[int], int, int]] = {
    "smoke": ([10, 30], [81, 161], [10, 30], [3], 6, 10),
    "laptop": ([10, 30, 100], [80 * 2**i + 1 for i in range(8)], [10, 30, 100, 300, 1000], [3, 4, 5], 50, 200),
    "paper": ([10, 30, 100], [80 * 2**i + 1 for i in range(8)], [10, 30, 100, 300, 1000], [3, 4, 5], 1000, 10_000),
}
AT_ONCE = 500  # Gaussian starts held at once: k n' numbers each


def compute(scale: Scale, seeds: int | None) -> pl.DataFrame:
    """All three parts, told apart by the column ``part``."""
    blocks, long_blocks, gaussian_blocks, ks, starts, many = SIZES[scale]
    parts = [descent(block, k, seeds or starts) for k in ks for block in blocks]
    ones = [
        {"part": "ones", "block": b, "k": k, "share": ones_plateau(b, k, EARLY), "bound": corollary11_bound(b, k, 0.01)}
        for k in ks
        for b in long_blocks
    ]
    flows = [gaussian(block, k, seeds or many) for k in ks for block in gaussian_blocks]
    return pl.concat([*parts, pl.DataFrame(ones), *flows], how="diagonal_relaxed")


def positive_starts(rng: np.random.Generator, count: int, k: int, block: int) -> tuple[Floats, Floats]:
    """Relevant weights (count, k) with a positive product, and irrelevant ones (count, k, n' - 1), all N(0, 1)."""
    v = rng.standard_normal((count, k))
    v[:, 0] *= np.sign(np.prod(v, axis=1))  # the same law as drawing again until the product is positive
    return v, rng.standard_normal((count, k, block - 1))


def descent(block: int, k: int, starts: int) -> pl.DataFrame:
    """Gradient descent on the population loss: the steps at which the error has fallen to 49% and to 0.1%."""
    rng = np.random.default_rng([SEED, block, k])
    v, u = positive_starts(rng, starts, k, block)
    norm = np.linalg.norm(u, axis=-1)
    law = partial(inside_gaussian, norm)
    early, late = time_to_error(v, EARLY, law), time_to_error(v, LATE, law)
    step = late / STEPS
    curve = [error_without_ties(law(v))]
    times = np.where(curve[0] <= np.array([[EARLY], [LATE]]), 0.0, np.inf)
    for t in range(1, 2 * STEPS):
        v = v - step[:, None] * population_gradient(v[..., None])[..., 0]
        curve.append(error_without_ties(law(np.minimum(np.abs(v), 1e100))))
        v = np.clip(v, -1e50, 1e50)  # past the small error weights explode; nothing is read from them any more
        for row, level in zip(times, (EARLY, LATE), strict=True):
            np.minimum(row, np.where(curve[-1] <= level, t, np.inf), out=row)
        if np.isfinite(times).all():
            break
    errors = np.stack(curve, axis=1)
    kept = [_few(int(last)) for last in times[1, :DRAWN]]
    later = [None] * (starts - len(kept))
    return pl.DataFrame(
        {
            "part": "descent",
            "block": block,
            "k": k,
            "start": range(starts),
            "share": times[0] / times[1],
            "flow_share": early / late,
            "curve_time": [*(([100.0 * t / at[-1] for t in at]) for at in kept), *later],
            "curve_error": [*(errors[i, at].tolist() for i, at in enumerate(kept)), *later],
        },
        schema_overrides={"curve_time": pl.List(pl.Float64), "curve_error": pl.List(pl.Float64)},
    )


def _few(last: int) -> list[int]:
    """Some of the steps up to the last, more of them towards the end."""
    return sorted({*range(0, last, max(1, last // POINTS)), *(last - int(2**i) for i in np.arange(0, 8, 0.125)), last})


def gaussian(block: int, k: int, starts: int) -> pl.DataFrame:
    """T(49%) / T(0) of gradient flow from N(0, 1) weights."""
    rng = np.random.default_rng([SEED + 1, block, k])
    shares = []
    for first in range(0, starts, AT_ONCE):
        v, u = positive_starts(rng, min(AT_ONCE, starts - first), k, block)
        norm = np.linalg.norm(u, axis=-1)
        early = time_to_error(v, EARLY, partial(inside_gaussian, norm))
        shares.append(early / time_to_zero_error(v, u))
    share = np.concatenate(shares)
    return pl.DataFrame({"part": "gaussian", "block": block, "k": k, "start": range(starts), "share": share})


# -- claims -----------------------------------------------------------------------------------------------------------


def _shares(frame: pl.DataFrame, part: str, k: int) -> dict[int, list[float]]:
    """Shares of a part by n'."""
    found = frame.filter(pl.col("part") == part, pl.col("k") == k).sort("block", maintain_order=True)
    return {cell["block"][0]: cell["share"].to_list() for cell in found.partition_by("block", maintain_order=True)}


def plateau(frame: pl.DataFrame, k: int, block: int, least: float) -> Finding:
    """The median share of the time that passes above 49% error."""
    sample = _shares(frame, "descent", k).get(block, [])
    if not sample:
        return NOT_ENOUGH
    share = bootstrap(lambda values: float(np.median(values)), sample)
    flow = frame.filter(pl.col("part") == "descent", pl.col("k") == k, pl.col("block") == block)["flow_share"]
    detail = f"{len(sample)} starts; gradient flow {np.median(flow.to_numpy()):.0%}"
    return Finding(share, at_least(least), "points", detail)


def plateau_grows(frame: pl.DataFrame, part: str = "descent") -> Finding:
    """Every rise of the median share from an n' to the next at the same k, and from a k to the next."""
    cells = {(k, b): values for k in (3, 4, 5) for b, values in _shares(frame, part, k).items()}
    steps = [
        (one, other)
        for one in cells
        for other in cells
        if (one[0] == other[0] and other[1] == min((b for k, b in cells if k == one[0] and b > one[1]), default=None))
        or (one[1] == other[1] and other[0] == one[0] + 1)
    ]
    if not steps or len({k for k, _ in cells}) < 3:
        return NOT_ENOUGH
    rises = [bootstrap(_rise, cells[a], cells[b]) for a, b in steps]
    (k, block), (next_k, next_block) = steps[min(range(len(steps)), key=lambda i: rises[i].value)]
    detail = f"smallest of {len(rises)}: k = {k}, n' = {block} to k = {next_k}, n' = {next_block}"
    # The smallest first: it is the one to show.
    ordered = sorted(rises, key=lambda rise: rise.value)
    return all_of([Finding(rise, above(0)) for rise in ordered], detail)


def _rise(before: list[float], after: list[float]) -> float:
    return float(np.median(after) - np.median(before))


def exponent(frame: pl.DataFrame, k: int) -> Finding:
    """The slope of log(1 - T(49%) / T(0)) against log n', from all-ones weights."""
    shares = _shares(frame, "ones", k)
    if len(shares) < 3:
        return NOT_ENOUGH
    found = power_law_exponent(list(shares), [1.0 - share for (share,) in shares.values()])
    wanted = 1.0 - k / 2
    detail = f"theory {wanted:g}; n' = {min(shares):,} to {max(shares):,}"
    return Finding(Estimate.exact(found), between(wanted - 0.15, wanted + 0.15), "", detail)


def corollary(frame: pl.DataFrame) -> Finding:
    """The largest 1 - T(49%) / T(0) over what the bound allows, from all-ones weights."""
    found = frame.filter(pl.col("part") == "ones")
    if not len(found):
        return NOT_ENOUGH
    # Shares tend to 1 with n', so that their differences from the bound would say nothing.
    parts = found.with_columns(over=(1 - pl.col("share")) / (1 - pl.col("bound"))).sort("over", descending=True)
    detail = f"largest of {len(found)}: k = {parts['k'][0]}, n' = {parts['block'][0]:,}"
    return Finding(Estimate.exact(parts["over"][0]), at_most(1), "times", detail)


def one_constant(frame: pl.DataFrame) -> Finding:
    """The C needed at each n' of 300 and more over the largest needed below: at most 1 if one C does for each k."""
    found, words = [], []
    for k in (3, 4, 5):
        shares = _shares(frame, "gaussian", k)
        fitted, tested = ({b: s for b, s in shares.items() if (b >= 300) == large} for large in (False, True))
        if not fitted or not tested:
            return NOT_ENOUGH
        for block, sample in tested.items():
            over = partial(_over_fitted, blocks=[block, *fitted], k=k)
            found.append(Finding(bootstrap(over, sample, *fitted.values()), at_most(1), "times"))
            words.append(f"k = {k}, n' = {block:,}: {found[-1].text()}")
    return all_of(found, "; ".join(words))


def _over_fitted(tested: list[float], *fitted: list[float], blocks: list[int], k: int) -> float:
    """The constant that one block needs over the largest of the others."""
    samples = zip(blocks, (tested, *fitted), strict=True)
    own, *others = ((1 - median(sample)) * block ** (k / 2 - 1) for block, sample in samples)
    return own / max(others)


CLAIMS = (
    *(
        Claim(
            f"plateau-k{k}",
            f"Most of the time passes near chance: k = {k}",
            "Figure 5, left; Theorem 7",
            f"median T(49%) / T(0.1%) ≥ {least:.0%} at n' = 30",
            partial(plateau, k=k, block=30, least=least),
            ("laptop",),
        )
        for k, least in ((3, 0.5), (4, 0.8), (5, 0.95))
    ),
    Claim(
        "plateau-grows",
        "The plateau takes a larger share with more coordinates and with larger parities",
        "Figure 5, left; Theorem 7",
        "median share rises from each n' to the next and from each k to the next",
        plateau_grows,
    ),
    Claim(
        "plateau-k3-large",
        "Most of the time passes near chance: k = 3, larger blocks",
        "Figure 5, left; Theorem 7",
        "median T(49%) / T(0.1%) ≥ 70% at n' = 100",
        partial(plateau, k=3, block=100, least=0.7),
    ),
    *(
        Claim(
            f"exponent-k{k}",
            f"The share of the time that is not plateau falls like n'^(1 - k/2): k = {k}",
            "Theorem 7; Corollary 11",
            f"slope within 0.15 of {1 - k / 2:g}",
            partial(exponent, k=k),
        )
        for k in (3, 4, 5)
    ),
    Claim(
        "bound",
        "The corrected lower bound of Corollary 11 holds",
        "Corollary 11",
        "1 - T(49%) / T(0) at most what the bound allows at every n' and k",
        corollary,
        ("smoke", "laptop", "paper"),
    ),
    Claim(
        "gaussian-grows",
        "From Gaussian weights the plateau's share rises too",
        "Corollary 12",
        "median T(49%) / T(0) rises from each n' to the next and from each k to the next",
        partial(plateau_grows, part="gaussian"),
    ),
    Claim(
        "gaussian-constant",
        "From Gaussian weights the rest falls like n'^(1 - k/2)",
        "Corollary 12",
        "median ≥ 1 - C n'^(1 - k/2) at every n', C fitted below n' = 300 and tested from there on, every k",
        one_constant,
        ("paper",),
        note="where C is fitted was chosen after smaller samples had been seen",
    ),
)


STUDY = Study(
    name="hidden-progress/disjoint-flow",
    title="Disjoint-PolyNets under population gradients: a plateau, then a fall",
    about=__doc__ or "",
    stages=(),
    claims=CLAIMS,
    figures={
        "error": error_figure,
        "scaling": scaling_figure,
    },
    compute=compute,
)
