"""Grokking in the success frontier: training error falls early, test error long after (Figure 1, right).

Runs near the feasibility edge that go on after success, with the error on the training sample measured beside the test
error. The grid and the decisions are those of ``success_frontier``.
"""

from __future__ import annotations

import polars as pl

from glassware.foundation.statistics import Estimate, bootstrap, median_ratio, wilson
from glassware.models import MLP, Init
from glassware.studies.cells import ROUNDING, where
from glassware.studies.cells import at_most as reaches
from glassware.studies.claim import Scale
from glassware.studies.pareto.intervals import largest, smallest
from glassware.studies.verdict import NOT_ENOUGH, Finding, all_of, at_least, at_most
from glassware.sweeps import grid
from glassware.tasks import Parity
from glassware.training import Evaluation, Run

BOXES = [(3000, 10_000), (10_000, 1000), (30_000, 1000), (1_000_000, 1000)]  # (m, r) at n = 200


def grokking(scale: Scale, seeds: int | None) -> list[Run]:
    """The curves: runs that go on after success, with the error on the whole training sample (10,000 of it at most)."""
    if scale == "paper":
        base = Run(
            task=Parity(n=200, k=3), model=MLP(width=10), steps=100_000, evaluation=_long(test=10_000, train=10_000)
        )
        boxes = {"m": [m for m, _ in BOXES], "model.width": [r for _, r in BOXES]}
        return grid(base, {"init": [Init(), Init(scheme="sparse", s=2)]}, zips=[boxes], seeds=seeds or 10)
    smoke = scale == "smoke"
    task, steps, test = (
        Parity(n=12 if smoke else 20, k=2 if smoke else 3),
        600 if smoke else 12_000,
        500 if smoke else 2000,
    )
    base = Run(task=task, m=300, model=MLP(width=100), steps=steps, evaluation=_long(test=test, train=300))
    return grid(base, {"init": [Init(), Init(scheme="sparse", s=2)]}, seeds=seeds or (2 if smoke else 40))


def _long(test: int, train: int) -> Evaluation:
    return Evaluation(test=test, train=train, stop=False)


def curve_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of the grokking part."""
    return frame.filter(pl.col("train_size") > 0)


def grokking_delay(frame: pl.DataFrame) -> Finding:
    """Share of dense runs that fit the sample (train error 1%) near chance and pass the test at least twice as late."""
    delays = [_delay(row) for row in where(curve_rows(frame), init="dense").iter_rows(named=True)]
    if not delays:
        return NOT_ENOUGH
    grokked = [d is not None and d[1] >= 2 * d[0] and d[2] >= 0.35 * (1 - ROUNDING) for d in delays]
    known = [d for d in delays if d is not None]
    detail = f"{sum(grokked)} of {len(grokked)} runs"
    if known:
        middle = sorted(t_test / t_train for t_train, t_test, _ in known)[len(known) // 2]
        detail += f"; median t_test / t_train {middle:.1f}"
    return Finding(wilson(sum(grokked), len(grokked)), at_least(0.8), "points", detail)


def grokking_boxes(frame: pl.DataFrame) -> Finding:
    """Largest median(t_test) / median(t_train) of a box, and the smallest of those with m >= 10^5."""
    boxes = [
        (box["m"][0], [d for d in map(_delay, box.iter_rows(named=True)) if d is not None])
        for box in curve_rows(frame).partition_by("init", "m", "width")
    ]
    boxes = [(m, delays) for m, delays in boxes if delays]
    if not boxes:
        return NOT_ENOUGH
    # One interval per box, all right at once: the box with the largest ratio is chosen among them.
    ratios = [(m, _ratio(delays, confidence=1 - 0.05 / len(boxes))) for m, delays in boxes]
    slow = Finding(largest([ratio for _, ratio in ratios]), at_least(3), "times")
    quick = Finding(smallest([ratio for m, ratio in ratios if m >= 100_000]), at_most(1.5), "times")
    return all_of([slow, quick], "; ".join(f"m = {m:,} {ratio.value:.2g}×" for m, ratio in ratios))


def _ratio(delays: list[tuple[float, float, float]], confidence: float) -> Estimate:
    trains, tests = [d[0] for d in delays], [d[1] for d in delays]
    return bootstrap(lambda a, b: median_ratio(b, a), trains, tests, confidence=confidence)


def _delay(row: dict[str, list[float]]) -> tuple[float, float, float] | None:
    """When the training error reached 1%, when the test error reached 10%, and the test error at the former."""
    steps, train, test = row["curve_step"], row["curve_train_error"], row["curve_test_error"]
    fitted = next((i for i, error in enumerate(train) if reaches(error, 0.01)), None)
    passed = next((i for i, error in enumerate(test) if reaches(error, 0.1)), None)
    if fitted is None or passed is None:
        return None
    return float(steps[fitted]), float(steps[passed]), float(test[fitted])
