"""Twenty-four more training curves: sizes, batches, single neurons one example at a time, wide networks (Figure 6).

Row 1: one ReLU network of width 100 adapts to n and k. Row 2: the PolyNet learns (50, 3) from batches of 1 to 1024.
Row 3: the smallest networks learn from single examples, with some probability. Row 4: the largest networks tolerate
every batch size, and the wide cubic one has no plateau.

Grids
    paper   row 1: (n, k) in (30, 3), (60, 3), (90, 3), (30, 4), (30, 5), (30, 6), B = 32, rate 0.1. Row 2: B, rate in
            (1, 0.005), (4, 0.01), (16, 0.1), (64, 0.1), (256, 0.1), (1024, 0.1). Row 3: (*i), (*ii), (vii), (viii),
            (xi), (xii) at B = 1, rate 0.1 ((*ii): 0.01), each also at a tenth of it. Row 4: (iii) at (1, 0.1) and
            (1024, 0.1), (vi) at (1, 0.001) and (1024, 0.01), the Transformer at 0.0003 with B = 32 and 1024. 25 seeds
            from 0, T = 100,000: 750 runs.
    laptop  row 1: (30, 3), (45, 3), (30, 4). Row 2: all six. Row 3: (vii), (xi), (xii) at rates 0.1 and 0.01,
            T = 60,000. Row 4: (iii) and (vi) at B = 1, T = 60,000, and at B = 1024, five seeds.
            Rows 2 and 3: 50 seeds, otherwise ten, from 100: 660 runs.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    Row 1 has width 100: the caption says so, one sentence of the appendix says 10. Row 3 runs at the rates the paper
    states and at a tenth of them, for from our initial weights the stated ones diverge or stall. "With reasonable
    probability" means 20% of the runs, the paper's own threshold for a robust setting. Plateau index: the share of the
    way to an error of 1% that is spent above 40%. Evaluation as in ``training_curves``; every 100 steps at B = 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import polars as pl

from glassware.foundation.statistics import bootstrap, median, median_ratio
from glassware.studies.claim import Claim, Scale
from glassware.studies.hidden_progress.shared.curves import NO_PLATEAU, plateau_index
from glassware.studies.hidden_progress.shared.findings import MORE_RUNS, each, enough
from glassware.studies.hidden_progress.shared.panels import Panel, curves_figure, least_converged, listed, panel_runs
from glassware.studies.hidden_progress.shared.trials import FIRST_SEED
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, all_of, at_most, below
from glassware.studies.words import time_in_words
from glassware.training import Run

LONG = 60_000  # steps from single examples at laptop scale


def _size(n: int, k: int, steps: int = 100_000) -> Panel:
    return Panel("ii", 32, 0.1, n=n, k=k, steps=steps)


def _single(setting: str, lr: float, steps: int = 100_000) -> Panel:
    """A panel of training on one example per step."""
    return Panel(setting, 1, lr, steps=steps, every=100)


BATCHES = ((1, 0.005), (4, 0.01), (16, 0.1), (64, 0.1), (256, 0.1), (1024, 0.1))
STATED, TENTH = 0.1, 0.01  # row 3

SIZES = tuple(_size(n, k, 20_000) for n, k in ((30, 3), (45, 3), (30, 4)))
POLYNETS = tuple(Panel("xv", batch, lr, steps=20_000, every=100 if batch == 1 else 10) for batch, lr in BATCHES)
NEURONS = {lr: tuple(_single(setting, lr, LONG) for setting in ("vii", "xi", "xii")) for lr in (STATED, TENTH)}
WIDE = (_single("iii", 0.1, LONG), _single("vi", 0.001, LONG))
WIDE_LARGE_BATCH = tuple(Panel(setting, 1024, lr, steps=10_000) for setting, lr in (("iii", 0.1), ("vi", 0.01)))
FEW_SEEDS = (*SIZES, *WIDE)
MANY_SEEDS = (*POLYNETS, *NEURONS[STATED], *NEURONS[TENTH])  # shares of runs are judged: 10 of 10 is not above 4/5
LAPTOP = (*SIZES, *POLYNETS, *NEURONS[STATED], *NEURONS[TENTH], *WIDE)

PAPER_SIZES = tuple(_size(n, k) for n, k in ((30, 3), (60, 3), (90, 3), (30, 4), (30, 5), (30, 6)))
PAPER_POLYNETS = tuple(Panel("xv", batch, lr, every=100 if batch == 1 else 10) for batch, lr in BATCHES)
ROW_3 = (("*i", 0.1), ("*ii", 0.01), ("vii", 0.1), ("viii", 0.1), ("xi", 0.1), ("xii", 0.1))
PAPER_STATED = tuple(_single(setting, lr) for setting, lr in ROW_3)
PAPER_TENTH = tuple(_single(setting, lr / 10) for setting, lr in ROW_3)
PAPER_WIDE = (
    _single("iii", 0.1), Panel("iii", 1024, 0.1), _single("vi", 0.001), Panel("vi", 1024, 0.01),
    Panel("*iii", 32, 0.0003), Panel("*iii", 1024, 0.0003),
)  # fmt: skip
PAPER = (*PAPER_SIZES, *PAPER_POLYNETS, *PAPER_STATED, *PAPER_TENTH, *PAPER_WIDE)
SMOKE = (Panel("ii", 32, 0.5, n=12, k=2, steps=300), Panel("xv", 32, 0.1, n=12, k=2, steps=300))


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Every panel."""
    if scale == "smoke":
        return panel_runs(SMOKE, seeds or 2, FIRST_SEED)
    if scale == "laptop":
        counts = ((FEW_SEEDS, 10), (MANY_SEEDS, 50), (WIDE_LARGE_BATCH, 5))
        return [run for panels, count in counts for run in panel_runs(panels, seeds or count, FIRST_SEED)]
    return panel_runs(PAPER, seeds or 25, 0)


# -- claims -----------------------------------------------------------------------------------------------------------


def larger_takes_longer(frame: pl.DataFrame) -> Finding:
    """Two shares: median time on (30, 3) over that on (45, 3) and over that on (30, 4)."""
    return _growth(frame, [(SIZES[0], SIZES[1]), (SIZES[0], SIZES[2])])


def each_size_takes_longer(frame: pl.DataFrame) -> Finding:
    """Median time of each (n, k) over that of the next larger, along n and along k, all of them finite."""
    by_n, by_k = PAPER_SIZES[:3], (PAPER_SIZES[0], *PAPER_SIZES[3:])
    growth = _growth(frame, [*pairwise(by_n), *pairwise(by_k)])
    if growth is NOT_ENOUGH:
        return growth
    medians = (bootstrap(median, panel.times(frame)) for panel in PAPER_SIZES)
    return all_of([growth, *(Finding(found, at_most(PAPER_SIZES[0].steps)) for found in medians)], growth.detail)


def polynets_converge(frame: pl.DataFrame) -> Finding:
    """Smallest share of converged PolyNet runs among the six batch sizes."""
    return least_converged(frame, POLYNETS, 4 / 5)


def neurons_converge_at_a_tenth(frame: pl.DataFrame) -> Finding:
    """Smallest share of converged runs of (vii), (xi), (xii) from single examples, rate 0.01, within 60,000 steps."""
    return least_converged(frame, NEURONS[TENTH], 3 / 5)


def neurons_converge_as_stated(frame: pl.DataFrame) -> Finding:
    """Smallest share of converged runs of (vii), (xi), (xii) from single examples at the rate the paper states."""
    return least_converged(frame, NEURONS[STATED], 0.2)


def row_3_converges_as_stated(frame: pl.DataFrame) -> Finding:
    """Smallest share of converged runs among the six panels of row 3 at the rates the paper states."""
    finding = least_converged(frame, PAPER_STATED, 0.2)
    return replace(finding, detail=listed(frame, (*PAPER_STATED, *PAPER_TENTH)))


def wide_networks_converge(frame: pl.DataFrame) -> Finding:
    """Smallest share of converged runs among the six panels of row 4."""
    return least_converged(frame, PAPER_WIDE, 0.2)


def no_plateau_at_large_batches(frame: pl.DataFrame) -> Finding:
    """Median plateau index of (vi), B = 1024."""
    found = _indices(PAPER_WIDE[3], frame)
    if not enough(found):
        return NOT_ENOUGH
    return Finding(bootstrap(median, found), at_most(NO_PLATEAU), "", ", ".join(f"{i:.2f}" for i in sorted(found)))


def less_plateau_at_large_batches(frame: pl.DataFrame) -> Finding:
    """Median plateau index of (vi) minus that of (iii), B = 1024."""
    return _plateau_gap(frame, PAPER_WIDE[1], PAPER_WIDE[3])


def less_plateau_from_single_examples(frame: pl.DataFrame) -> Finding:
    """Median plateau index of (vi) minus that of (iii), B = 1."""
    return _plateau_gap(frame, PAPER_WIDE[0], PAPER_WIDE[2])


def _plateau_gap(frame: pl.DataFrame, relu: Panel, cubic: Panel) -> Finding:
    indices = [_indices(panel, frame) for panel in (relu, cubic)]
    if not enough(*indices):
        return NOT_ENOUGH
    gap = bootstrap(lambda a, b: median(b) - median(a), *indices)
    detail = f"(iii) {median(indices[0]):.2f}, (vi) {median(indices[1]):.2f}"
    return Finding(gap, below(0), "", detail)


def _indices(panel: Panel, frame: pl.DataFrame) -> list[float]:
    found = [plateau_index(row) for row in panel.rows(frame).iter_rows(named=True)]
    return [index for index in found if not math.isnan(index)]


def _growth(frame: pl.DataFrame, pairs: Sequence[tuple[Panel, Panel]]) -> Finding:
    """The ratio of each smaller problem's median time to the larger one's: below 1 if the larger takes longer."""
    cells = [(small.times(frame), large.times(frame)) for small, large in pairs]
    if not enough(*(sample for pair in cells for sample in pair)):
        return NOT_ENOUGH
    detail = "; ".join(
        f"({a.n},{a.k}) {time_in_words(median(small))} → ({b.n},{b.k}) {time_in_words(median(large))}"
        for (a, b), (small, large) in zip(pairs, cells, strict=True)
    )
    return each((bootstrap(median_ratio, small, large) for small, large in cells), below(1), "times", detail)


CLAIMS = (
    Claim(
        "6-sizes",
        "The same network adapts to n and k, and takes longer on larger problems",
        "Figure 6, row 1",
        "median time on (30, 3) below those on (45, 3) and on (30, 4)",
        larger_takes_longer,
        ("laptop",),
    ),
    Claim(
        "6-all-sizes",
        "The same network adapts to n up to 90 and k up to 6",
        "Figure 6, row 1",
        "median times are finite and grow from each n to the next and each k to the next",
        each_size_takes_longer,
        ("paper",),
    ),
    Claim(
        "6-polynet",
        "The PolyNet learns from every batch size, down to single examples",
        "Figure 6, row 2",
        "≥ 4/5 of the runs converge at each of six batch sizes",
        polynets_converge,
        note=MORE_RUNS,
    ),
    Claim(
        "6-single-examples",
        "The smallest networks learn from single examples, at a tenth of the stated rate",
        "Figure 6, row 3",
        "≥ 3/5 of the runs of each of (vii), (xi), (xii) converge by 60,000 steps at rate 0.01",
        neurons_converge_at_a_tenth,
        ("laptop",),
        source="ours",
        note=f"the paper states a rate of 0.1: see 6-single-as-stated; {MORE_RUNS}",
    ),
    Claim(
        "6-single-as-stated",
        "The smallest networks learn from single examples with reasonable probability at the stated rate",
        "Figure 6, row 3",
        "≥ 20% of the runs of each of (vii), (xi), (xii) converge at rate 0.1",
        neurons_converge_as_stated,
        ("laptop",),
        note=MORE_RUNS,
    ),
    Claim(
        "6-row-3",
        "The smallest networks learn from single examples with reasonable probability at the stated rates",
        "Figure 6, row 3",
        "≥ 20% of the runs of each of six settings converge",
        row_3_converges_as_stated,
        ("paper",),
    ),
    Claim(
        "6-row-4",
        "Large networks tolerate small and large batches",
        "Figure 6, row 4",
        "≥ 20% of the runs of each of six panels converge",
        wide_networks_converge,
        ("paper",),
    ),
    Claim(
        "6-no-plateau",
        "The wide cubic network has no plateau",
        "Figure 6, row 4; Section 3.1",
        "median plateau index of (vi) ≤ 0.45 at B = 1024 (a straight line has 0.2)",
        no_plateau_at_large_batches,
        note="sharpened after rows were seen: before, only less of a plateau than (iii) was asked for",
    ),
    Claim(
        "6-less-plateau",
        "The wide cubic network has less of a plateau than the wide ReLU network",
        "Figure 6, row 4",
        "median plateau index of (vi) below that of (iii), B = 1024",
        less_plateau_at_large_batches,
    ),
    Claim(
        "6-less-plateau-single",
        "The wide cubic network has less of a plateau than the wide ReLU network, from single examples too",
        "Figure 6, row 4",
        "median plateau index of (vi) below that of (iii), B = 1",
        less_plateau_from_single_examples,
    ),
)


def _figure(frame: pl.DataFrame) -> object:
    panels = PAPER if PAPER_SIZES[1].converged(frame)[1] else (*LAPTOP, *WIDE_LARGE_BATCH, *SMOKE)
    return curves_figure(
        frame,
        panels,
        "More training curves: sizes, batches, single examples, wide networks",
        "test error along online training of the (n, k)-parity, a line per seed",
    )


STUDY = Study(
    name="hidden-progress/more-training-curves",
    title="Training curves across sizes, batch sizes and the smallest and largest networks",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"curves": _figure},
)
