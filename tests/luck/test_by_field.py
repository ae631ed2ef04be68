"""The summary of a sweep, field by field."""

import json

import polars as pl

import glassware as gw
from glassware.luck.by_field import by_two
from tests.helpers import TINY


def test_a_run_of_a_task_that_is_not_registered_here_is_counted_by_what_its_row_tells():
    frame = gw.sweep(gw.grid(TINY, {"m": [30, 40]}))
    spec = json.loads(frame["spec"][1])
    spec["task"] = {"name": "of-another-process", "size": 3}
    found = gw.summary(frame.with_columns(spec=pl.Series([frame["spec"][0], json.dumps(spec)])))
    assert found.filter(field="m")["value"].to_list() == ["30", "40"]
    assert "not registered here" in found.filter(field="task.name", value="of-another-process")["measure"].item()


def test_two_fields_are_shown_together_and_no_other_number_of_them():
    frame = gw.sweep(gw.grid(TINY, {"m": [30, "online"], "model.width": [4, 8]}, seeds=2))
    table = by_two(frame.with_columns(success=pl.col("m").is_null() & (pl.col("width") == 8)))
    assert table.columns == ["m \\ model.width", "4", "8"]
    assert table.rows() == [("30", "0 of 2", "0 of 2"), ("online", "0 of 2", "2 of 2")]
    assert by_two(frame.filter(width=4)) is None
