"""What is read of a large store, and what becomes of its many small parts."""

import polars as pl
import pytest

import glassware as gw
from glassware.foundation.errors import StoreError
from glassware.sweeps import Store, grid, sweep
from glassware.sweeps import store as store_module
from glassware.sweeps.rows import frame
from tests.helpers import TINY

RUNS = grid(TINY, {"m": [30, "online"], "model.width": [8, 9]}, seeds=3)
DRAWN = ["m", "width", "success", "steps_to_success"]


@pytest.fixture(scope="module")
def rows():
    return sweep(RUNS)


@pytest.fixture
def store(rows, tmp_path):
    """The rows in four parts."""
    made = Store(tmp_path)
    with made.writing():
        for start in range(0, len(rows), 3):
            made.append(rows[start : start + 3])
    return made


def test_rows_of_some_runs_come_in_the_order_asked_for(store, rows):
    ids = [rows["id"][i] for i in (7, 2, 11)]
    assert store.read(ids=[*ids, "not there"]).equals(rows[[7, 2, 11]], null_equal=True)
    assert store.read(["m"], ids).rows() == rows[[7, 2, 11]].select("m").rows()
    nothing = store.read(["m", "success"], [])
    assert (nothing.columns, len(nothing)) == (["m", "success"], 0)


def test_a_damaged_row_is_refused_whichever_runs_are_wanted(store, rows):
    part = store.parts()[0]
    pl.read_parquet(part).with_columns(spec=pl.lit("null")).write_parquet(part.with_name("0.parquet"))
    part.unlink()
    with pytest.raises(StoreError, match="no JSON object"):
        store.read(["m"], [rows["id"][11]])


def test_of_rows_that_are_there_twice_those_of_the_runs_wanted_are_compared(store, rows):
    again = rows[3:5].with_columns(steps_taken=pl.col("steps_taken") + 1)
    store.append(rows[4:6])
    assert store.read(["m"]).rows() == rows.select("m").rows()
    assert store.read(["m", "cell"], rows["id"]).select("m").rows() == rows.select("m").rows()
    store.append(again)
    for wanted in (None, rows["id"][3:5]):
        with pytest.raises(StoreError, match=r"has two rows .* with different results"):
            store.read(["m"], wanted)


def test_a_figure_of_cells_is_that_of_specifications(store):
    few = store.read([*DRAWN, "cell"])
    assert few["cell"].dtype == pl.Categorical
    assert few["cell"].n_unique() == 4
    for shown in ({"x": "m", "y": "width"}, {"x": "width", "y": "width"}):  # the second pools over m, and says so
        drawn = [
            gw.charts.success_heat_map(frame, title="", column=None, **shown).to_dict()
            for frame in (few, store.read([*DRAWN, "spec"]))
        ]
        assert drawn[0] == drawn[1]
    assert "pooled over m" in str(drawn[0])


def test_a_read_outlives_writers_that_merge_parts_again_and_again(store, rows, monkeypatch):
    whole, merged = store_module.read_part, []

    def read(part, *more):
        found = whole(part, *more)
        if len(merged) < 3 and len(parts := store.parts()) > 1:
            merged.append(1)  # before the next merge, which reads parts, too
            store.join_parts(parts[-2:])
        return found

    monkeypatch.setattr(store_module, "read_part", read)
    assert store.read()["id"].to_list() == rows["id"].to_list()
    assert len(merged) == 3


def test_a_long_sweep_merges_its_parts_as_it_goes(tmp_path, rows, monkeypatch):
    monkeypatch.setattr(store_module, "MERGE_PARTS", 3)
    store, most = Store(tmp_path), []
    with store.writing() as writer:
        for row in rows.to_dicts():
            writer.add(row)
            writer.flush()
            most.append(len(store.parts()))
        assert set(writer.parts) == set(store.parts())
    assert max(most) == 5  # three that are merged, and two that are not yet
    assert store.read().equals(rows.cast(dict(frame([]).schema)), null_equal=True)
