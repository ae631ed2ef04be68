"""The paper's tables: convergence times and success of every setting, beside the printed numbers (Figures 7 and 8).

The only results that the paper prints as numbers. For each setting, parity size and batch size: the 10th percentile of
the convergence times of 25 runs (Figure 7) and the share of runs that converge (Figure 8), both at the best learning
rate.

Grids
    paper   18 settings x n in {10, 20, 30} x k in {2, 3, 4} x B in {1, 4, 32, 128, 1024}, rates {1, 0.1, 0.01, 0.001}
            (Transformer: {0.001, 0.0003, 0.0001}), 25 runs each, T = 100,000: 79,875 runs; the smaller n are
            for ``coarse_scaling``.
    laptop  n = 30, k in {2, 3}, B = 32 for thirteen settings, T = 20,000: those on which initialisation, output biases
            and the sinusoid's frequency were chosen. Besides, every printed cell with B >= 4 that a laptop reaches:
            settings of at most ten neurons, those of a hundred up to B = 128, where four times the printed time is at
            most T = 500, 2,000 or 20,000: 138 cells. Rates {1, 0.1, 0.01}, 25 runs each: 12,300 runs.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    Hinge loss, uniform initialisation. A percentile is interpolated between two runs and infinite when either failed.
    Two times agree when neither is more than twice the other, or when both are infinite. Agreement at B = 32, k = 2 and
    3, shows that the choices are those that make it agree; the other cells are the fair test. Some rows of Figure 8 at
    k = 4 are out of line in print and have no number here (see ``printed``), nor is (*ii) at k = 4 compared.

    How the paper picks the best learning rate it does not say. It was not the fastest of the four, nor the fastest of
    those with most converged runs: from B = 128 on the polynomial neuron (xii) needs 10, 20 and 40 steps at rate 1 (k =
    2, 3, 4, B = 1024, 25 of 25 runs), printed are 30, 120 and 568, and at rate 0.1 it needs 30, 88 and 534; (viii), (x)
    and (iv) at k = 2 likewise. ReLU networks and the PolyNet are printed at rate 1 ((xv), B = 1024: 10, 20 and 30,
    printed 10, 14 and 30; at 0.1 40, 84 and 242). So rate 1 was used for these and not for the others.
    Of the 138 cells 127 agree under this rule (92% [86%, 95%]), 100 at the fastest rate (72% [64%, 79%]), 108 at that
    with most converged runs. ``7-moderate-rates`` compares under it, ``7-held-out`` at the fastest rate. The rule was
    found on rows of B = 128 and holds at B = 1024 too, where the fastest rate agrees in a third of the cells.

    Uniform weights lie within 1/sqrt(fan in). The paper names Glorot's scale, sqrt(6 / (fan in + fan out)), and calls
    it the default of packages, which the former is. The printed times decide: at B = 128 and rate 0.1 (xii) takes 30,
    90 and 476 steps for k = 2, 3, 4 and (viii) 44, 244 and 646, printed 30, 128, 608 and 50, 188, 568; from Glorot's
    scale they take 34, 50, 114 and 40, 80, 178.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.tiles import tiles
from glassware.foundation.statistics import wilson
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.shared import printed
from glassware.studies.hidden_progress.shared.findings import FEWEST, each
from glassware.studies.hidden_progress.shared.places import (
    LAPTOP_RATES,
    PAPER,
    N,
    Place,
    by_place,
    fastest,
    in_order,
    missing,
    success,
    tile_table,
)
from glassware.studies.hidden_progress.shared.reached import CALIBRATED, HELD_OUT, LONG, laptop_steps, theirs
from glassware.studies.hidden_progress.shared.rules import (
    RULES,
    Rule,
    agree,
    at_a_moderate_rate,
    at_the_fastest,
    every_rate_in_words,
)
from glassware.studies.hidden_progress.shared.settings import ROBUST
from glassware.studies.hidden_progress.shared.trials import repeat, trial
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, all_of, at_least, below, counted
from glassware.studies.words import time_in_words
from glassware.training import Run

FASTER_SLOWER = ["#2b6cb0", "#a9c8e8", "#f7f7f5", "#f3c39a", "#c2410c"]


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Every cell at every rate."""
    if scale == "smoke":
        some = [trial(setting, N, 2, lr=lr, steps=400, test=1024) for setting in ("i", "xv") for lr in (1.0, 0.1)]
        return repeat(some, seeds or 3)
    if scale == "laptop":
        cells = ((place, lr) for place in (*CALIBRATED, *HELD_OUT) for lr in LAPTOP_RATES)
        return repeat((place.run(lr, laptop_steps(place)) for place, lr in cells), seeds or 25)
    return repeat((place.run(lr, 100_000) for place in PAPER for lr in place.rates), seeds or 25)


# -- claims -----------------------------------------------------------------------------------------------------------


def _agreement(frame: pl.DataFrame, places: Sequence[Place], least: float, rule: Rule = at_the_fastest) -> Finding:
    """Share of the cells whose 10th percentile is within a factor of two of the printed one."""
    found = by_place(frame)
    if missing(found, places):
        return NOT_ENOUGH
    agreeing = {name: sum(agree(choose(p, found[p]), theirs(p)) for p in places) for name, choose in RULES.items()}
    outside = [place for place in places if not agree(rule(place, found[place]), theirs(place))]
    share = wilson(len(places) - len(outside), len(places))
    words = [
        f"of {len(places)} " + ", ".join(f"{count} at the {name}" for name, count in agreeing.items()),
        *(f"{p.text()} {every_rate_in_words(found[p])} against {time_in_words(theirs(p))}" for p in outside),
    ]
    return Finding(share, at_least(least), "points", "; ".join(words))


def times_where_calibrated(frame: pl.DataFrame) -> Finding:
    """Share of the cells at B = 32, k = 2 and 3, whose 10th percentile is within a factor of two of the printed one."""
    return _agreement(frame, CALIBRATED, 0.8)


def times_held_out(frame: pl.DataFrame) -> Finding:
    """Share of all other cells that a laptop reaches whose 10th percentile is within a factor of two."""
    return _agreement(frame, HELD_OUT, 0.75)


def times_at_moderate_rates(frame: pl.DataFrame) -> Finding:
    """The same share where only ReLU networks and the PolyNet may choose a learning rate of 1."""
    return _agreement(frame, HELD_OUT, 0.75, at_a_moderate_rate)


def paper_times(frame: pl.DataFrame) -> Finding:
    """Share of all cells from B = 4 on whose 10th percentile is within a factor of two of the printed one."""
    return _agreement(frame, [place for place in PAPER if place.n == N and place.batch > 1], 0.8)


def paper_times_one_by_one(frame: pl.DataFrame) -> Finding:
    """Share of all cells at B = 1 whose 10th percentile is within a factor of two of the printed one."""
    return _agreement(frame, [place for place in PAPER if place.n == N and place.batch == 1], 0.6)


def most_runs_converge(frame: pl.DataFrame) -> Finding:
    """Share of converged runs of each cell at its best rate, n = 30, k = 2 and 3, within 20,000 steps."""
    found = by_place(frame)
    places = [*CALIBRATED, *(place for place in LONG if place.k < 4)]
    if missing(found, places):
        return NOT_ENOUGH
    counts = {place: success(found[place]) for place in places}
    return each((wilson(*cell) for cell in counts.values()), at_least(0.8), "points", _below(counts, 0.8))


def nearly_all_converge(frame: pl.DataFrame) -> Finding:
    """How many runs of (i) to (xv) converge at the best rate of each cell, n = 30, B from 32 on."""
    found = by_place(frame)
    places = [place for place in PAPER if place.setting in ROBUST and place.n == N and place.batch >= 32]
    if missing(found, places):
        return NOT_ENOUGH
    counts = {place: success(found[place]) for place in places}
    cells = [counted(won, trials, max(FEWEST, math.ceil(0.96 * trials))) for won, trials in counts.values()]
    return all_of(cells, _below(counts, 0.96))


def _below(counts: Mapping[Place, tuple[int, int]], least: float) -> str:
    below = [f"{p.text()} {won}/{trials}" for p, (won, trials) in counts.items() if won < least * trials]
    return "; ".join([f"{len(counts) - len(below)} of {len(counts)} cells reach {least:.0%}", *below])


def narrow_networks_fail(frame: pl.DataFrame) -> Finding:
    """Share of converged runs of (*i), n = 30, k = 3, at each batch size."""
    places = [Place("*i", N, 3, batch) for batch in printed.BATCHES]
    found = by_place(frame)
    if missing(found, places):
        return NOT_ENOUGH
    shares = {place: wilson(*success(found[place])) for place in places}
    words = (f"B={place.batch} {share.value:.0%}" for place, share in shares.items())
    return each(shares.values(), below(0.9), "points", "; ".join(words))


CLAIMS = (
    Claim(
        "7-calibrated",
        "Convergence times are those of the paper, where our choices were made",
        "Figure 7",
        "10th percentile within a factor 2 of the printed one in ≥ 80% of 26 cells at B = 32, k = 2, 3",
        times_where_calibrated,
        ("laptop",),
        note="initialisation, output bias and the sinusoid's frequency were chosen on these cells",
    ),
    Claim(
        "7-held-out",
        "Convergence times are those of the paper, where no choice was made",
        "Figure 7",
        f"10th percentile at the fastest rate within a factor 2 of the printed one in ≥ 75% of {len(HELD_OUT)} cells",
        times_held_out,
        ("laptop",),
        note="sharpened: 12 cells of three settings were compared; now all that a laptop reaches",
    ),
    Claim(
        "7-moderate-rates",
        "They are those of the paper if only ReLU networks and the PolyNet may choose a learning rate of 1",
        "Figure 7",
        f"10th percentile at the fastest such rate within a factor 2 in ≥ 75% of the same {len(HELD_OUT)} cells",
        times_at_moderate_rates,
        ("laptop",),
        source="ours",
        note="the rule was found on rows of B = 128",
    ),
    Claim(
        "7-batches",
        "Convergence times are those of the paper",
        "Figure 7",
        "10th percentile within a factor 2 of the printed one in ≥ 80% of the cells with B ≥ 4",
        paper_times,
        ("paper",),
    ),
    Claim(
        "7-one-by-one",
        "Convergence times are those of the paper at batches of one",
        "Figure 7",
        "10th percentile within a factor 2 of the printed one in ≥ 60% of the cells with B = 1",
        paper_times_one_by_one,
        ("paper",),
    ),
    Claim(
        "8-most-converge",
        "Most runs of every setting converge at the best rate",
        "Figure 8",
        "≥ 80% of runs within 20,000 steps in all 32 cells, n = 30, k = 2, 3",
        most_runs_converge,
        ("laptop",),
    ),
    Claim(
        "8-all-converge",
        "All runs of (i) to (xv) converge from B = 32 on",
        "Figure 8",
        "≥ 96% of 25 runs at the best rate in every cell, n = 30",
        nearly_all_converge,
        ("paper",),
    ),
    Claim(
        "8-narrow",
        "Networks of width k are not robust",
        "Figure 8",
        "fewer than 90% of the runs of (*i) converge at k = 3, whatever the batch size",
        narrow_networks_fail,
        ("paper",),
    ),
)


# -- figures ----------------------------------------------------------------------------------------------------------


def _times_figure(frame: pl.DataFrame) -> object:
    tiles_ = []
    for place, rates in in_order(frame):
        if place.n == N:
            ours, printed_time = fastest(rates), printed.TIMES.get((place.setting, place.k, place.batch), math.nan)
            known = math.isfinite(ours) and math.isfinite(printed_time)
            text = f"{every_rate_in_words(rates)} | {time_in_words(printed_time)}"
            tiles_.append((place, math.log2(ours / printed_time) if known else None, text))
    return tiles(
        tile_table(tiles_),
        scale=alt.Scale(domain=[-2, -1, 0, 1, 2], range=FASTER_SLOWER, interpolate="rgb", clamp=True),
        title="10th percentile of the convergence time, n = 30: ours at each learning rate | printed",
        subtitle="largest rate first; colour: doublings from the printed time at the fastest rate, blue is faster",
        x_title="batch size B",
        y_title="setting",
        value_title="log2 ours/printed",
        tile_width=168,
        legend_values=[-2, -1, 0, 1, 2],
    )


def _success_figure(frame: pl.DataFrame) -> object:
    tiles_ = []
    for place, rates in in_order(frame):
        if place.n == N:
            won, trials = success(rates)
            shown = printed.success(place.setting, place.k, place.batch) if place.batch in printed.BATCHES else None
            share = won / trials
            tiles_.append((place, share, f"{share:.0%} | {'?' if shown is None else f'{shown:.0%}'}"))
    return tiles(
        tile_table(tiles_),
        scale=alt.Scale(domain=[0, 0.5, 1], range=["#c2410c", "#fde9c9", "#2b6cb0"], interpolate="rgb"),
        title="Converged runs, n = 30: ours | printed",
        subtitle="at the learning rate with most converged runs",
        x_title="batch size B",
        y_title="setting",
        value_title="converged runs",
        percent=True,
        tile_width=104,
        legend_values=[0, 0.5, 1],
    )


STUDY = Study(
    name="hidden-progress/tables",
    title="Convergence times, success and coarse scaling laws beside the printed numbers",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"times": _times_figure, "success": _success_figure},
    paper_runs=79_875,
)
