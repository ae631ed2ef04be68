"""The success frontier: which sample sizes and widths learn a sparse parity offline (Figures 1 and 4, Section 4.1).

A two-layer ReLU network is trained on m examples of the (n, k)-parity by SGD (learning rate 0.1, weight decay 0.01,
minibatches of 32). A run succeeds when its error on held-out examples reaches 10% at an evaluation. Each cell of the
heat map (m, width r, initialisation) is the share of independent runs that succeed; the rightmost column is online.
The second part trains a few runs on and on, with the error on the training sample beside the test error: grokking.

Grids
    paper   n in 50..300, k in {3, 4}, 17 sample sizes and online, 9 widths to 100,000, dense and 2-sparse
            initialisation, 50 runs per cell, T = 100,000: 194,400 runs. Curves: 10 runs in each of four boxes at
            n = 200.
    laptop  n = 50, k = 3, 7 sample sizes and online, widths 10 to 1,000, 40 runs per cell, T = 6,000: 3,200 runs.
            Curves: n = 20, m = 300, r = 100, 10 runs, T = 12,000.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    Loss: hinge (its theory and its sister paper use it). Weight decay: coupled, on all parameters, as torch.optim.SGD.
    Offline minibatches: uniform with replacement. Sparse entries: 1, nothing masked, everything else PyTorch's default.
    Evaluations: every 100 steps up to r = 1,000 and every 500 beyond; 10,000 held-out examples (2,000 at laptop scale),
    of which 1,024 (512) are looked at first: a run that misses a fifth of those is not near 10% and is spared the rest.
    The panel and boxes of Figure 1: not named; we take n = 200, k = 3 (the cell its hyperparameters were tuned on).
    Hidden support: drawn afresh for every run. Training error in the heat map's curves: average over minibatches
    since the last evaluation; in the grokking part: measured on the whole sample.
"""

from __future__ import annotations

import math
from itertools import pairwise

import polars as pl

from glassware import charts
from glassware.foundation.statistics import Estimate, difference, wilson
from glassware.models import MLP, Init
from glassware.studies.cells import counts, rates, where
from glassware.studies.claim import Claim, Scale
from glassware.studies.pareto.grokking import curve_rows, grokking, grokking_boxes, grokking_delay
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding
from glassware.studies.words import counts_in_words
from glassware.sweeps import Axes, grid
from glassware.tasks import Parity
from glassware.theory.pareto.good_neurons import lucky_probability, width_threshold
from glassware.theory.pareto.lower_bound import cell_luck
from glassware.theory.pareto.search import samples_needed
from glassware.training import Evaluation, Run

DENSE, SPARSE = Init(), Init(scheme="sparse", s=2)
SAMPLES = [c * 10**e for e in (2, 3, 4, 5) for c in (1, 2, 3, 6)] + [10**6]
WIDTHS = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000]
INITS = ("dense", "sparse")


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """The heat map's runs and the grokking runs."""
    return [*frontier(scale, seeds), *grokking(scale, seeds)]


def frontier(scale: Scale, seeds: int | None) -> list[Run]:
    """The heat map."""
    if scale == "smoke":
        base = Run(task=Parity(n=12, k=2), model=MLP(width=10), steps=600, evaluation=Evaluation(test=500))
        return grid(base, {"m": [20, 300, "online"], "model.width": [5, 30], "init": [DENSE, SPARSE]}, seeds=seeds or 3)
    if scale == "laptop":
        base = Run(
            task=Parity(n=50, k=3), model=MLP(width=10), steps=6000, evaluation=Evaluation(test=2000, screen=512)
        )
        samples: list[int | str] = [300, 600, 1000, 2000, 3000, 10_000, 100_000, "online"]
        axes: Axes = {"model.width": WIDTHS[:5], "m": samples, "init": [DENSE, SPARSE]}
        return grid(base, axes, seeds=seeds or 40)
    base = Run(task=Parity(n=50, k=3), model=MLP(width=10), steps=100_000, evaluation=Evaluation(screen=1024))
    axes = {
        "task.n": [50, 100, 150, 200, 250, 300],
        "task.k": [3, 4],
        "m": [*SAMPLES, "online"],
        "init": [DENSE, SPARSE],
    }
    widths = {"model.width": WIDTHS, "evaluation.every": [100 if r <= 1000 else 500 for r in WIDTHS]}
    return grid(base, axes, zips=[widths], seeds=seeds or 50)


def heat_map_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of the heat map."""
    return where(frame, train_size=0)


# -- claims at laptop scale -------------------------------------------------------------------------------------------


def frontier_below_the_kernel_limit(frame: pl.DataFrame) -> Finding:
    """Lowest success rate of the two inits at m = 2,000, r = 300: sixty times fewer examples than n^3."""
    found = [(init, counts(heat_map_rows(frame), init=init, m=2000, width=300)) for init in INITS]
    if any(trials == 0 for _, (_, trials) in found):
        return NOT_ENOUGH
    worst = min((wilson(*count) for _, count in found), key=lambda e: e.value)
    return Finding(worst, worst.value >= 0.9, "points", counts_in_words(found))


def width_buys_luck(frame: pl.DataFrame) -> Finding:
    """Smaller of the two inits' gains from r = 10 to r = 300 at m = 2,000."""
    table = heat_map_rows(frame)
    wide = [counts(table, init=init, m=2000, width=300) for init in INITS]
    narrow = [counts(table, init=init, m=2000, width=10) for init in INITS]
    if any(trials == 0 for _, trials in wide + narrow):
        return NOT_ENOUGH
    gains = [difference(*w, *n) for w, n in zip(wide, narrow, strict=True)]
    least = min(gains, key=lambda e: e.value)
    return Finding(
        least, least.value >= 0.5, "points", "; ".join(f"{i} {g.value:+.0%}" for i, g in zip(INITS, gains, strict=True))
    )


def width_never_hurts(frame: pl.DataFrame) -> Finding:
    """Share of neighbouring widths (r, next r) where success does not fall by more than two standard errors."""
    pairs = list(_neighbours(heat_map_rows(frame)))
    if not pairs:
        return NOT_ENOUGH
    kept = [drop <= 2 * math.sqrt(0.5 / trials) for drop, trials, _ in pairs]
    worst = max(pairs, key=lambda pair: pair[0])
    share = wilson(sum(kept), len(kept))
    return Finding(
        share,
        share.value >= 0.99,
        "points",
        f"{sum(kept)} of {len(kept)} pairs; largest drop {worst[0]:.0%} at {worst[2]}",
    )


def sparse_init_saves_data(frame: pl.DataFrame) -> Finding:
    """2-sparse minus dense success at m = 1,000, r = 300."""
    table = heat_map_rows(frame)
    sparse, dense = (counts(table, init=init, m=1000, width=300) for init in ("sparse", "dense"))
    if not sparse[1] or not dense[1]:
        return NOT_ENOUGH
    gain = difference(*sparse, *dense)
    return Finding(gain, gain.value >= 0.4, "points", counts_in_words([("sparse", sparse), ("dense", dense)]))


def luck_decides(frame: pl.DataFrame) -> Finding:
    """Share of cells where some runs succeed and some fail."""
    cells = rates(heat_map_rows(frame), "n", "k", "init", "width", "m")
    if not len(cells.filter(pl.col("trials") > 1)):
        return NOT_ENOUGH
    mixed = cells.filter((pl.col("successes") > 0) & (pl.col("successes") < pl.col("trials")))
    share = wilson(len(mixed), len(cells))
    return Finding(share, len(mixed) > 0, "points", f"{len(mixed)} of {len(cells)} cells")


# -- claims at paper scale --------------------------------------------------------------------------------------------


def panels_below_the_kernel_limit(frame: pl.DataFrame) -> Finding:
    """Of the (n, k) with any success, those with a cell at m <= n^k / 100 where at least half the runs succeed."""
    cells = rates(heat_map_rows(frame), "n", "k", "init", "width", "m").filter(pl.col("successes") > 0)
    if not len(cells):
        return NOT_ENOUGH
    possible = cells.select("n", "k").unique()
    good = cells.filter((pl.col("rate") >= 0.5) & (pl.col("m") <= pl.col("n").cast(pl.Float64).pow(pl.col("k")) / 100))
    found = len(good.select("n", "k").unique())
    return Finding(wilson(found, len(possible)), found == len(possible), "points", f"{found} of {len(possible)} (n, k)")


def columns_from_nothing_to_everything(frame: pl.DataFrame) -> Finding:
    """Panels (n, k, init) that hold a column going from at most 10% to at least 90% as the width grows."""
    panels = rates(heat_map_rows(frame), "n", "k", "init", "m", "width").partition_by("n", "k", "init")
    if len(panels) < 24:
        return NOT_ENOUGH
    turning = sum(any(_rises(column["rate"].to_list()) for column in panel.partition_by("m")) for panel in panels)
    return Finding(wilson(turning, len(panels)), turning >= 20, "points", f"{turning} of {len(panels)} panels")


def sparse_region_is_larger(frame: pl.DataFrame) -> Finding:
    """(n, k) for which as many cells succeed (rate >= 50%, r >= 1,000) with sparse init as with dense, or more."""
    cells = rates(heat_map_rows(frame), "n", "k", "init", "width", "m").filter(pl.col("width") >= 1000)
    panels = cells.group_by("n", "k").agg(
        *((pl.col("init") == init).and_(pl.col("rate") >= 0.5).sum().alias(init) for init in INITS)
    )
    if not len(panels):
        return NOT_ENOUGH
    larger = int((panels["sparse"] >= panels["dense"]).sum())
    return Finding(wilson(larger, len(panels)), larger == len(panels), "points", f"{larger} of {len(panels)} (n, k)")


def more_data_can_hurt(frame: pl.DataFrame) -> Finding:
    """Largest fall of a row's success rate as m grows that is followed by a rise of at least 30 points."""
    panels = rates(heat_map_rows(frame), "n", "k", "init", "width", "m").partition_by("n", "k", "init", "width")
    dips = [(_dip(row["rate"].to_list()), row) for row in panels]
    if not dips:
        return NOT_ENOUGH
    deepest, row = max(dips, key=lambda dip: dip[0])
    if deepest < 0.3 and len({panel.select("n", "k", "init").row(0) for panel in panels}) < 24:
        return NOT_ENOUGH  # the paper says that such a row exists: some panels cannot refute it
    cell = row.row(0, named=True)
    place = f"n = {cell['n']}, k = {cell['k']}, {cell['init']}, r = {cell['width']}" if deepest > 0 else "no row"
    return Finding(Estimate(deepest), deepest >= 0.3, "points", place)


# -- helpers ----------------------------------------------------------------------------------------------------------


def _neighbours(frame: pl.DataFrame) -> list[tuple[float, int, str]]:
    """For all neighbouring widths of a column: the fall of the success rate, the smaller number of runs, the place."""
    found = []
    for column in rates(frame, "n", "k", "init", "m", "width").partition_by("n", "k", "init", "m"):
        for low, high in pairwise(column.iter_rows(named=True)):
            at = f"n = {low['n']}, k = {low['k']}, {low['init']}, m = {low['m'] or 'online'}"
            place = f"{at}, r = {low['width']} to {high['width']}"
            found.append((low["rate"] - high["rate"], min(low["trials"], high["trials"]), place))
    return found


def _rises(rates_: list[float]) -> bool:
    low = next((i for i, rate in enumerate(rates_) if rate <= 0.1), None)
    return low is not None and any(rate >= 0.9 for rate in rates_[low:])


def _dip(rates_: list[float]) -> float:
    """Deepest fall below an earlier rate that is followed by a rise of at least 0.3."""
    apart = lambda high, low: round(high - low, 9)  # 0.7 - 0.4 is 30 points, not a hair less
    falls = [apart(max(rates_[: i + 1]), rate) for i, rate in enumerate(rates_) if apart(max(rates_[i:]), rate) >= 0.3]
    return max(falls, default=0.0)


def _theory(frame: pl.DataFrame) -> pl.DataFrame:
    """In each panel: examples that searching all parities needs, and, where there are any, lucky two-hot neurons."""
    lines = []
    for n, k, init in heat_map_rows(frame).select("n", "k", "init").unique(maintain_order=True).iter_rows():
        panel = {"panel": f"n = {n}, k = {k}", "init": init}
        lines.append({**panel, "m": float(samples_needed(n, k, 0.01)), "label": "examples that search needs (99%)"})
        luck = lucky_probability(n, k, 2) if init == "sparse" else 0.0
        if luck:
            width = width_threshold(luck)
            lines.append({**panel, "width": width, "label": "width that expects one lucky neuron"})
    return pl.DataFrame(lines, schema={"panel": pl.String, "init": pl.String, "m": pl.Float64, "width": pl.Float64,
                                       "label": pl.String})  # fmt: skip


def _bound_in_words(frame: pl.DataFrame) -> str:
    """On how many cells the lower bound has something to say."""
    cells = heat_map_rows(frame).select("n", "k", "m", "width", "steps").unique()
    limited = sum(
        cell_luck(n, k, math.inf if m is None else m, width, steps) < 1 for n, k, m, width, steps in cells.iter_rows()
    )
    said = f"limits {limited} of {len(cells)} cells" if limited else "limits none of these cells"
    return f"lines beyond the cells stand at their edge; the lower bound (Proposition 3) {said}"


CLAIMS = (
    Claim(
        "1-frontier",
        "Width compensates for small samples: it learns where m is far below n^k",
        "Section 4.1, finding 1",
        "≥ 90% succeed at m = 2,000, r = 300 (n³ = 125,000)",
        frontier_below_the_kernel_limit,
        ("laptop",),
    ),
    Claim(
        "1-frontier-panels",
        "Every (n, k) that is learned at all is learned with m ≤ n^k / 100",
        "Section 4.1, finding 1",
        "all (n, k)",
        panels_below_the_kernel_limit,
        ("paper",),
    ),
    Claim(
        "2-width-luck",
        "Width buys luck: more runs of a wider network succeed",
        "Section 4.1, finding 2",
        "r = 300 beats r = 10 by ≥ 50 points at m = 2,000, both inits",
        width_buys_luck,
        ("laptop",),
    ),
    Claim(
        "2-width-columns",
        "Width alone takes success from none to all",
        "Section 4.1, finding 2; Figure 4",
        "in ≥ 20 of 24 panels",
        columns_from_nothing_to_everything,
        ("paper",),
    ),
    Claim(
        "2-width-monotone",
        "Width never hurts, beyond chance",
        "Section 4.1, finding 2; Figure 4",
        "≥ 99% of neighbouring widths fall by at most 2 standard errors",
        width_never_hurts,
    ),
    Claim(
        "3-sparse",
        "Sparse initialisation buys data",
        "Section 4.1, finding 3",
        "2-sparse beats dense by ≥ 40 points at m = 1,000, r = 300",
        sparse_init_saves_data,
        ("laptop",),
    ),
    Claim(
        "3-sparse-region",
        "Sparse initialisation enlarges the feasible region",
        "Section 4.1, finding 3; Figure 4",
        "at least as many cells with ≥ 50% as dense, for every (n, k), r ≥ 1,000",
        sparse_region_is_larger,
        ("paper",),
    ),
    Claim(
        "4-grokking",
        "Near the edge, test error falls long after training error",
        "Section 4.1, finding 4; Figure 1",
        "≥ 80% of runs: t_test ≥ 2 t_train, test error ≥ 35% at t_train",
        grokking_delay,
        ("laptop",),
    ),
    Claim(
        "4-grokking-boxes",
        "Grokking near the edge, none with much data",
        "Section 4.1, finding 4; Figure 1",
        "a box with ratio ≥ 3 and one with m ≥ 100,000 and ratio ≤ 1.5",
        grokking_boxes,
        ("paper",),
    ),
    Claim(
        "4-more-data-hurts",
        "More data can hurt before it helps again",
        "Section 4.1, finding 4; Figure 4",
        "a row falls ≥ 30 points and rises ≥ 30 again",
        more_data_can_hurt,
        ("paper",),
    ),
    Claim(
        "luck",
        "Success is a matter of luck in between",
        "Section 4.1; Figure 2",
        "some cell strictly between 0 and 100%",
        luck_decides,
    ),
)

STUDY = Study(
    name="pareto/success-frontier",
    title="Success over sample size and width, dense and sparse initialisation; grokking",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={
        "frontier": lambda frame: charts.success_heat_map(
            heat_map_rows(frame).with_columns(panel=pl.format("n = {}, k = {}", "n", "k")),
            title="Success frontier: share of runs that learn the parity",
            row="panel",
            column="init",
        ),
        "frontier-theory": lambda frame: charts.success_heat_map(
            heat_map_rows(frame).with_columns(panel=pl.format("n = {}, k = {}", "n", "k")),
            title="The frontier beside theory",
            subtitle=_bound_in_words(frame),
            row="panel",
            column="init",
            overlay=_theory(frame),
        ),
        "grokking": lambda frame: charts.training_curves(
            curve_rows(frame),
            by=["init", "m", "width"],
            title="Training error (gray) falls first, test error (colour) long after",
        ),
    },
    paper_runs=194_480,
)
