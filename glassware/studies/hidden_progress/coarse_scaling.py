"""Coarse scaling laws of every setting: how the convergence time grows from n = 10 to 20 to 30 (Figure 9).

For each setting, parity size and batch size the law c (n - 9)^alpha that bounds the 10th percentile of the convergence
times: c is the time at n = 10, alpha the smallest exponent for which n = 20 and n = 30 lie below.

Grids
    paper   18 settings x n in {10, 20, 30} x k in {2, 3, 4} x B in {1, 4, 32, 128, 1024}, rates {1, 0.1, 0.01, 0.001}
            (Transformer: {0.001, 0.0003, 0.0001}), 25 runs each, T = 100,000: 79,875 runs, those of ``tables``.
    laptop  eight settings, n in {10, 20, 30}, k in {2, 3}, B = 32, rates {1, 0.1, 0.01}, 25 runs each, T = 20,000:
            3,600 runs, of which those at n = 30 are also runs of ``tables``.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    The values of this figure are not printed. The 10th percentile is that of the learning rate where it is smallest,
    interpolated between two runs; a box is empty where it is infinite at some n. The figure carries no claim but that
    of small exponents; ours is that they are below those of a search that tries one subset per step. The eight settings
    at laptop scale are one or two of each kind.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.tiles import tiles
from glassware.foundation.statistics import Estimate, bootstrap
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.shared import printed
from glassware.studies.hidden_progress.shared.findings import each, enough
from glassware.studies.hidden_progress.shared.fits import coarse_exponent, percentile
from glassware.studies.hidden_progress.shared.places import (
    LAPTOP_RATES,
    LAPTOP_STEPS,
    PAPER,
    ByRate,
    N,
    Place,
    by_place,
    fastest,
    in_order,
    missing,
    tile_table,
)
from glassware.studies.hidden_progress.shared.settings import SETTINGS
from glassware.studies.hidden_progress.shared.space import SIZES
from glassware.studies.hidden_progress.shared.trials import repeat, trial
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, below
from glassware.studies.words import time_in_words
from glassware.training import Run

SCALED = ("i", "ii", "iv", "vii", "x", "xi", "xiv", "xv")
SCALING = tuple(Place(s, n, k, 32) for s in SCALED for k in (2, 3) for n in SIZES)


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Every cell at every rate."""
    if scale == "smoke":
        some = [trial("i", n, 2, lr=lr, steps=400, test=1024) for n in SIZES for lr in (1.0, 0.1)]
        return repeat(some, seeds or 3)
    if scale == "laptop":
        return repeat((place.run(lr, LAPTOP_STEPS) for place in SCALING for lr in LAPTOP_RATES), seeds or 25)
    return repeat((place.run(lr, 100_000) for place in PAPER for lr in place.rates), seeds or 25)


# -- claims -----------------------------------------------------------------------------------------------------------


def exponent(found: Mapping[Place, ByRate], setting: str, k: int, batch: int) -> Estimate:
    """Figure 9's alpha, runs resampled within each size and rate."""
    sizes = [found[Place(setting, n, k, batch)] for n in SIZES]
    samples = [times for rates in sizes for times in rates.values()]

    def alpha(*resampled: Sequence[float]) -> float:
        left = iter(resampled)
        tenths = [min(percentile(next(left)) for _ in rates) for rates in sizes]
        return coarse_exponent(dict(zip(SIZES, tenths, strict=True)))

    return bootstrap(alpha, *samples)


def _exponents(frame: pl.DataFrame) -> dict[tuple[str, int], Estimate]:
    """Alpha of the eight settings at k = 2 and 3; empty where a cell is missing."""
    found = by_place(frame)
    if missing(found, SCALING):
        return {}
    return {(setting, k): exponent(found, setting, k, 32) for setting in SCALED for k in (2, 3)}


def search_exponent(k: int) -> float:
    """The coarse law's alpha of a search that tries one subset of size k per step."""
    return coarse_exponent({n: float(math.comb(n, k)) for n in SIZES})


def grows_less_than_search(frame: pl.DataFrame) -> Finding:
    """Alpha over that of a search over subsets, in eight settings, k = 2 and 3."""
    found = by_place(frame)
    if missing(found, SCALING) or not enough(*(times for place in SCALING for times in found[place].values())):
        return NOT_ENOUGH
    return _below_search(found, product(SCALED, (2, 3), (32,)))


def paper_grows_less_than_search(frame: pl.DataFrame) -> Finding:
    """Alpha over that of a search over subsets, in every box of Figure 9 with finite 10th percentiles."""
    found = by_place(frame)
    if missing(found, PAPER):
        return NOT_ENOUGH
    boxes = product(SETTINGS, printed.KS, printed.BATCHES)
    return _below_search(found, [box for box in boxes if math.isfinite(_alpha(found, *box))])


def _alpha(found: Mapping[Place, ByRate], setting: str, k: int, batch: int) -> float:
    return coarse_exponent({n: fastest(found[Place(setting, n, k, batch)]) for n in SIZES})


def _below_search(found: Mapping[Place, ByRate], boxes: Iterable[tuple[str, int, int]]) -> Finding:
    alphas = {box: exponent(found, *box) for box in boxes}
    ratios = (Estimate(*(v / search_exponent(box[1]) for v in alpha)) for box, alpha in alphas.items())
    words = (
        f"({s}) k={k} B={b} {alpha.value:.2f} [{alpha.low:.2f}, {alpha.high:.2f}] from "
        + "/".join(time_in_words(fastest(found[Place(s, n, k, b)])) for n in SIZES)
        for (s, k, b), alpha in alphas.items()
    )
    return each(ratios, below(1), "times", "; ".join(words))


CLAIMS = (
    Claim(
        "9-below-search",
        "The time grows less with n than that of a search over subsets",
        "Figure 9",
        "alpha below that of C(n, k) steps (0.75 at k = 2, 1.16 at k = 3) in all 16 boxes, B = 32",
        grows_less_than_search,
        ("laptop",),
        source="ours",
        note="takes the place of alpha ≤ k, which a search over subsets passes too",
    ),
    Claim(
        "9-below-search-paper",
        "The time grows less with n than that of a search over subsets",
        "Figure 9",
        "alpha below that of C(n, k) steps (0.75, 1.16, 1.60 at k = 2, 3, 4) in every box with finite 10th percentiles",
        paper_grows_less_than_search,
        ("paper",),
        source="ours",
        note="takes the place of alpha ≤ k, which a search over subsets passes too",
    ),
)


# -- figure -----------------------------------------------------------------------------------------------------------


def _figure(frame: pl.DataFrame) -> object:
    found = by_place(frame)
    tiles_ = []
    for place, _ in in_order(frame):
        sizes = [Place(place.setting, n, place.k, place.batch) for n in SIZES]
        if place.n == N and not missing(found, sizes):
            tenths = {size.n: fastest(found[size]) for size in sizes}
            alpha = coarse_exponent(tenths)
            known = math.isfinite(alpha)
            words = f"{time_in_words(tenths[SIZES[0]])}, α = {alpha:.2f}" if known else "–"
            tiles_.append((place, alpha if known else None, words))
    return tiles(
        tile_table(tiles_),
        scale=alt.Scale(scheme="viridis", domainMin=0),
        title="Coarse scaling laws c (n − 9)^α of the 10th percentile",
        subtitle="each tile: c, the steps at n = 10, and α, the smallest exponent that bounds n = 20 and 30",
        x_title="batch size B",
        y_title="setting",
        value_title="α",
        tile_width=104,
    )


STUDY = Study(
    name="hidden-progress/coarse-scaling",
    title="How the convergence time of every setting grows with n",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"scaling": _figure},
    paper_runs=79_875,
)
