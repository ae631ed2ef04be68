import math

import polars as pl
import pytest

from glassware.charts.cells import cells
from glassware.foundation.statistics import NEVER, median, wilson
from tests.charts.made import cell, frontier


def test_counts_intervals_and_medians_are_those_of_the_statistics() -> None:
    frame = frontier()
    table = cells(frame, ["init", "m", "width"])
    assert len(table) == 18
    for row in table.iter_rows(named=True):
        runs = frame.filter(pl.col("init") == row["init"], pl.col("width") == row["width"])
        runs = runs.filter(pl.col("m").is_null() if row["m"] is None else pl.col("m") == row["m"])
        hits, trials = int(runs["success"].sum()), len(runs)
        assert (row["successes"], row["trials"]) == (hits, trials)
        assert (row["rate"], row["low"], row["high"]) == pytest.approx(wilson(hits, trials))
        middle = median([NEVER if t is None else t for t in runs["steps_to_success"]])
        assert row["median"] == (middle if math.isfinite(middle) else None)


@pytest.mark.parametrize(("hits", "drawn"), [(4, None), (5, 500.0), (8, 500.0)])
def test_a_median_needs_more_than_half(hits: int, drawn: float | None) -> None:
    assert cells(cell(hits, 8), ["m"])["median"].item() == drawn


def test_sparsities_are_not_pooled() -> None:
    frame = pl.concat([cell(1, 2, init="sparse", s=1), cell(2, 2, init="sparse", s=2), cell(0, 2)])
    assert sorted(cells(frame, ["init"])["successes"]) == [0, 1, 2]
