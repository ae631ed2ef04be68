"""What runs above and below the threshold must show (see ``validation_curves``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import polars as pl

from glassware.foundation.statistics import Estimate, fisher_exact
from glassware.studies.juntas.shared.training import ACCURATE
from glassware.studies.lanes import Measure, Row, each_lane, lanes, span
from glassware.studies.verdict import NOT_ENOUGH, Finding, all_of, at_least, at_most, below, counted

ENOUGH, FEW = 150, 30  # examples of 100 bits
PAPER_ENOUGH, PAPER_FEW = 200, 50  # of 300


def best_error(row: Row) -> float:
    """The smallest error of a run after its first step."""
    known = [error for error in row["curve_test_error"][1:] if error is not None and not math.isnan(error)]
    return min(known, default=math.inf)


def best_of_restarts(rows: Sequence[Row]) -> list[Row]:
    """Of the runs on each data set the one with the smallest error."""
    ordered = sorted(rows, key=lambda row: row["seed"])
    return [min(trial, key=best_error) for _, trial in groupby(ordered, key=lambda row: row["seed"])]


def learned(rows: Sequence[Row]) -> int:
    """Runs whose accuracy has exceeded 99%."""
    return sum(best_error(row) <= ACCURATE for row in rows)


def threshold_at_hundred(frame: pl.DataFrame) -> Finding:
    """Data sets learned at m = 150, and not learned at m = 30."""
    enough, few = lanes(frame, length=100, m=ENOUGH), lanes(frame, length=100, m=FEW)
    if min(len(enough), len(few)) < 8:
        return NOT_ENOUGH
    return _both_sides(enough, few, 7, len(few) - 4)


def threshold_at_three_hundred(frame: pl.DataFrame) -> Finding:
    """The same at T = 300, best of five runs, and Fisher's exact test between the two."""
    enough, few = (best_of_restarts(lanes(frame, length=300, m=m)) for m in (PAPER_ENOUGH, PAPER_FEW))
    if min(len(enough), len(few)) < 40:
        return NOT_ENOUGH
    p = fisher_exact(learned(enough), len(enough), learned(few), len(few))
    sides = _both_sides(enough, few, 38, len(few) - 31)
    return all_of([sides, Finding(Estimate.exact(p), below(0.01))], f"{sides.detail}; Fisher's p = {p:.2g}")


def fits(frame: pl.DataFrame) -> Finding:
    """The training error at the end, without dropout, and runs that fit the sample and nothing else."""
    if not len(frame):
        return NOT_ENOUGH
    fitted = Measure("final training error", lambda row: row["train_error"], at_most(0.0))
    few = [*lanes(frame, length=100, m=FEW), *lanes(frame, length=300, m=PAPER_FEW)]
    memorised = sum(row["test_error"] > ACCURATE for row in few)
    found = [each_lane(lanes(frame), 16, fitted), counted(memorised, len(few), max(4, len(few) // 10))]
    return all_of(found, f"{found[0].detail}; {memorised} of {len(few)} with too few examples end below 99%")


def spread(frame: pl.DataFrame) -> Finding:
    """The range of final accuracies at m = 30, and beside that at m = 150."""
    few, enough = ([row["test_error"] for row in lanes(frame, length=100, m=m)] for m in (FEW, ENOUGH))
    if min(len(few), len(enough)) < 8:
        return NOT_ENOUGH
    wide, narrow = (max(errors) - min(errors) for errors in (few, enough))
    accuracies = [span([1 - error for error in errors]) for errors in (few, enough)]
    detail = f"accuracies {accuracies[0]} at m = {FEW}, {accuracies[1]} at m = {ENOUGH}"
    ratio = wide / narrow if narrow else math.inf
    return all_of(
        [
            Finding(Estimate.exact(wide), at_least(0.1), "points"),
            Finding(Estimate.exact(ratio), at_least(3.0), "times"),
        ],
        detail,
    )


def loss_on_the_sample(frame: pl.DataFrame) -> Finding:
    """The training loss without dropout, T = 100 at the end and T = 50 at its lowest."""
    at_end = Measure("final loss, T = 100", lambda row: row["train_cross_entropy"], below(1e-3))
    lowest = Measure("lowest loss, T = 50", _lowest_loss, below(1e-4))
    short, long = lanes(frame, length=100), lanes(frame, length=50, m=40)
    found = [each_lane(short, 16, at_end), each_lane(long, 6, lowest)]
    return all_of(found, "; ".join(finding.detail for finding in found))


def loss_of_paper_runs(frame: pl.DataFrame) -> Finding:
    """Runs whose training loss falls below 1e-4."""
    rows = lanes(frame, length=300)
    won = sum(_lowest_loss(row) < 1e-4 for row in rows)
    return counted(won, len(rows), max(400, math.ceil(0.99 * len(rows))))


def _lowest_loss(row: Row) -> float:
    return min((loss for loss in row["curve_train_cross_entropy"][1:] if loss is not None), default=math.nan)


def _both_sides(enough: Sequence[Row], few: Sequence[Row], most: int, missed: int) -> Finding:
    """At least ``most`` of the first are learned, and at least ``missed`` of the second are not."""
    won, lost = learned(enough), len(few) - learned(few)
    detail = f"learned {won} of {len(enough)} with enough examples, {len(few) - lost} of {len(few)} with too few"
    return all_of([counted(won, len(enough), most), counted(lost, len(few), missed)], detail)
