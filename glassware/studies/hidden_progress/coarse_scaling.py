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
    interpolated between two runs; a box is empty where it is infinite at some n. The eight settings at laptop scale are
    one or two of each kind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.tiles import tiles
from glassware.foundation.statistics import Estimate, bootstrap, wilson
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.robust_space import SIZES
from glassware.studies.hidden_progress.shared import printed
from glassware.studies.hidden_progress.shared.fits import coarse_exponent, percentile
from glassware.studies.hidden_progress.shared.places import (
    ByRate,
    Place,
    by_place,
    fastest,
    in_order,
    missing,
    tile_table,
)
from glassware.studies.hidden_progress.shared.settings import SETTINGS
from glassware.studies.hidden_progress.shared.trials import repeat, trial
from glassware.studies.hidden_progress.tables import LAPTOP_RATES, LAPTOP_STEPS, PAPER, N
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding
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


def exponents_grow(frame: pl.DataFrame) -> Finding:
    """In how many of the eight settings alpha at k = 3 is above that at k = 2."""
    alphas = _exponents(frame)
    if not alphas:
        return NOT_ENOUGH
    above = sum(alphas[setting, 3].value > alphas[setting, 2].value for setting in SCALED)
    found = by_place(frame)
    words = [
        f"({setting}) k={k} {alpha.value:.2f} [{alpha.low:.2f}, {alpha.high:.2f}] from "
        + "/".join(time_in_words(fastest(found[Place(setting, n, k, 32)])) for n in SIZES)
        for (setting, k), alpha in alphas.items()
    ]
    detail = "; ".join([f"{above} of {len(SCALED)}", *words])
    return Finding(wilson(above, len(SCALED)), above >= 6, "points", detail)


def exponents_at_most_k(frame: pl.DataFrame) -> Finding:
    """Largest alpha over k among the eight settings, k = 2 and 3."""
    alphas = _exponents(frame)
    return _largest_over_k({(*place, 32): alpha for place, alpha in alphas.items()})


def paper_exponents_at_most_k(frame: pl.DataFrame) -> Finding:
    """Largest alpha over k among all boxes of Figure 9 in which every size has a finite 10th percentile."""
    found = by_place(frame)
    if missing(found, PAPER):
        return NOT_ENOUGH
    boxes = product(SETTINGS, printed.KS, printed.BATCHES)
    alphas = {box: exponent(found, *box) for box in boxes}
    return _largest_over_k({box: alpha for box, alpha in alphas.items() if math.isfinite(alpha.value)})


def _largest_over_k(alphas: Mapping[tuple[str, int, int], Estimate]) -> Finding:
    if not alphas:
        return NOT_ENOUGH
    shares = {box: Estimate(*(v / box[1] for v in alpha)) for box, alpha in alphas.items()}
    (setting, k, batch), worst = max(shares.items(), key=lambda item: item[1].value)
    above = [f"({s}) k={k} B={b}" for (s, k, b), share in shares.items() if share.value > 1]
    words = [f"largest at ({setting}) k={k} B={batch}, {len(shares)} boxes", *above]
    return Finding(worst, not above, "", "; ".join(words))


CLAIMS = (
    Claim(
        "9-grows",
        "The exponent of the coarse law grows with k",
        "Figure 9",
        "alpha at k = 3 above alpha at k = 2 in ≥ 6 of 8 settings, B = 32",
        exponents_grow,
        ("laptop",),
    ),
    Claim(
        "9-at-most-k",
        "The exponent of the coarse law is at most of the order of k",
        "Figure 9",
        "alpha ≤ k in all 16 boxes, B = 32",
        exponents_at_most_k,
        ("laptop",),
    ),
    Claim(
        "9-at-most-k-paper",
        "The exponent of the coarse law is at most of the order of k",
        "Figure 9",
        "alpha ≤ k in every box with finite 10th percentiles",
        paper_exponents_at_most_k,
        ("paper",),
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
            words = f"{time_in_words(tenths[SIZES[0]])} · {alpha:.2f}" if known else "–"
            tiles_.append((place, alpha if known else None, words))
    return tiles(
        tile_table(tiles_),
        scale=alt.Scale(scheme="viridis", domainMin=0),
        title="Coarse scaling laws c (n - 9)^α of the 10th percentile: c · α",
        subtitle="c is the time at n = 10, α the smallest exponent that bounds n = 20 and 30",
        x_title="batch size B",
        y_title="setting",
        value_title="α",
        tile_width=104,
        dark="datum.value < 0.55",
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
