import json

import polars as pl
import pytest

from glassware.foundation.statistics import difference, wilson
from glassware.luck.side_by_side import side_by_side
from glassware.sweeps.identity import spec_json
from tests.helpers import tiny


def rows(wins, **changes):
    """Ten rows of a run, of which so many succeed."""
    specs = [spec_json(tiny(seed=seed, **changes)) for seed in range(10)]
    steps = [30] * wins + [None] * (10 - wins)
    return [{"spec": s, "success": n is not None, "steps_to_success": n} for s, n in zip(specs, steps, strict=True)]


def test_cells_that_both_have_are_compared_with_intervals():
    plain = pl.DataFrame([*rows(2, m=30), *rows(9, m=100), *rows(9, m=1000)])
    decayed = pl.DataFrame(
        [*rows(8, m=30, optimiser={"name": "adam", "lr": 0.1}), *rows(9, m=100, optimiser={"name": "adam", "lr": 0.1})]
    )
    found = side_by_side(plain, decayed)
    assert ("optimiser.name", "sgd", "adam") in found.differ
    assert found.fields == ("m",)
    assert found.table["m"].to_list() == ["30", "100", "all runs"]
    first = found.table.row(0, named=True)
    assert (first["first_successes"], first["second_successes"], first["second_runs"]) == (2, 8, 10)
    assert (first["first_rate"], first["first_low"], first["first_high"]) == wilson(2, 10)
    assert (first["difference"], first["difference_low"], first["difference_high"]) == difference(8, 10, 2, 10)
    assert (first["first_median_steps"], first["second_median_steps"]) == (None, 30)
    assert found.alone == (1, 0)
    json.dumps(found.plain())


def test_a_selection_beside_itself_does_not_differ():
    frame = pl.DataFrame([*rows(2, m=30), *rows(9, m=100)])
    found = side_by_side(frame, frame)
    assert (found.differ, found.alone) == ((), (0, 0))
    assert found.table["difference"].to_list() == pytest.approx([0, 0, 0])


def test_cells_apart_leave_the_totals():
    found = side_by_side(pl.DataFrame(rows(2, m=30)), pl.DataFrame(rows(9, m=100)))
    assert found.differ == (("m", "30", "100"),)
    assert len(found.table) == 1
