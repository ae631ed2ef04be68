"""Stores written by earlier versions, kept here as they were written.

``stores/format-1`` is of 0.1.0, ``stores/format-2`` of the version that introduced it: ``RUNS`` (and ``KEPT``), swept.
"""

import hashlib
import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from glassware.foundation.errors import StoreError
from glassware.sweeps import Store, make_plan, run_id, sweep
from glassware.sweeps.rows import SCHEMA
from tests.calls import snapshot
from tests.helpers import tiny

STORES = Path(__file__).parent / "stores"

RUNS = [
    {},
    {
        "m": 30,
        "seed": 1,
        "init": {"scheme": "sparse"},
        "probes": ["neuron_norms"],
        "optimiser": {"name": "sgd", "lr": 0.1, "momentum": 0.9},
    },
    {"m": 50, "model": {"name": "kernel-ridge", "kernel": "rbf"}},
]
KEPT = {"seed": 2, "m": 50, "keep": ["final"], "evaluation": {"every": 10, "test": 100, "stop": False}}


@pytest.fixture(params=[1, 2])
def old(request, tmp_path):
    """A copy of the store of a format, its number, and the runs it has."""
    path = shutil.copytree(STORES / f"format-{request.param}", tmp_path / "store")
    return path, request.param, [tiny(**run) for run in [*RUNS, *([KEPT] if request.param > 1 else [])]]


def test_a_store_of_any_format_opens_with_todays_columns(old):
    path, format_, runs = old
    store = Store(path)
    assert store.format == format_
    rows = {row["id"]: row for row in store.read().to_dicts()}
    assert set(SCHEMA) <= set(store.read().columns)
    found = [rows[run_id(run, store.semantics)] for run in runs]
    assert [row["momentum"] for row in found][:3] == [None, 0.9, None]
    assert [row["every"] for row in found][:2] == [10, 10]
    assert [row["model"] for row in found][:3] == ["mlp", "mlp", "kernel-ridge"]
    assert [row["n"] for row in found][:3] == [20, 20, 20]
    assert [row["init"] for row in found][:3] == ["dense", "sparse", None]
    assert len(found[1]["neuron_norms"]) == 8
    assert len(found[0]["curve_test_error"]) == len(found[0]["curve_step"]) == 7
    assert store.read(["momentum", "id"]).columns == ["momentum", "id"]


def test_nothing_is_left_to_train_of_what_it_has(old, trained):
    path, _, runs = old
    plan = make_plan(runs, Store(path))
    assert (plan.finished, plan.todo) == (len(runs), {})
    before = snapshot(path)
    table = sweep(runs, path)
    assert table["seed"].to_list() == [run.seed for run in runs]
    assert trained == []
    assert snapshot(path) == before


def test_a_store_of_earlier_semantics_is_shown_but_not_added_to(tmp_path, trained):
    path = shutil.copytree(STORES / "format-1", tmp_path / "store")
    before = snapshot(path)
    with pytest.raises(StoreError) as caught:
        sweep([tiny(**RUNS[0]), tiny(seed=77)], path)
    assert str(caught.value) == (
        f"store {path} was written by an older glassware, whose runs drew other random numbers: its rows can be shown "
        "(glassware claims, figures, show) but not added to; give another folder"
    )
    assert trained == []
    assert snapshot(path) == before


def test_a_store_of_todays_format_goes_on(tmp_path, trained):
    path = shutil.copytree(STORES / "format-2", tmp_path / "store")
    new, runs = tiny(seed=77), [tiny(**run) for run in [*RUNS, KEPT]]
    assert len(sweep([*runs, new], path)) == len(runs) + 1
    assert trained == [new]
    assert Store(path).weights(run_id(runs[-1]))["0.w"].shape == (20, 8)


def test_a_part_that_is_not_known_here_keeps_its_row(tmp_path):
    path = shutil.copytree(STORES / "format-1", tmp_path / "store")
    (part,) = Store(path).parts()
    table = pl.read_parquet(part)
    foreign = [json.dumps({**json.loads(spec), "task": {"name": "elsewhere"}}) for spec in table["spec"]]
    ids = [hashlib.sha256(f"1:{spec}".encode()).hexdigest()[:20] for spec in foreign]
    table = table.with_columns(id=pl.Series(ids), spec=pl.Series(foreign))
    table.write_parquet(part)
    assert Store(path).read().select(table.columns).drop("spec").equals(table.drop("spec"), null_equal=True)
