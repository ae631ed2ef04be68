import polars as pl

from glassware.foundation.statistics import NEVER
from glassware.studies.cells import counts, pooled, rates, times, where
from tests.studies.made import cell, table

MADE = table(cell(2, 3, width=8, m=30), cell(1, 2, width=8, m=None), cell(0, 2, steps=50, width=16, m=30))


def test_cells_are_found_by_the_values_of_their_columns():
    assert where(MADE, width=8, m=None)["seed"].to_list() == [0, 1]
    assert where(MADE)["width"].to_list() == MADE["width"].to_list()
    assert counts(MADE, width=8, m=30) == (2, 3)
    assert times(MADE, width=8, m=30) == [1000.0, 1000.0, NEVER]
    assert rates(MADE, "width", "m").rows() == [(8, 30, 2, 3, 2 / 3), (8, None, 1, 2, 0.5), (16, 30, 0, 2, 0.0)]


def test_cells_are_pooled_by_their_runs():
    assert pooled([(2, 3), (0, 2), (4, 4)]) == (6, 9)
    assert pooled([]) == (0, 0)


def test_nothing_is_found_in_nothing():
    for frame in (pl.DataFrame(), MADE.clear()):
        assert (counts(frame, m=30), times(frame, m=30), len(where(frame, m=30))) == ((0, 0), [], 0)
