"""The measurement of benchmarks/plan.py at a tiny scale: the price is what following the plan costs."""

import pytest

from benchmarks.plan import follow, main
from glassware.sweeps import grid, sweep
from tests.helpers import tiny

# About two fifths of these runs succeed.
BASE = tiny(task={"n": 12, "k": 2}, model={"width": 3}, steps=140, evaluation={"every": 20, "test": 256})


@pytest.fixture
def store(tmp_path):
    sweep(grid(BASE, {"m": [300]}, seeds=60), tmp_path / "store")
    return tmp_path / "store"


def test_following_the_plan_costs_what_it_says(store, capsys):
    found = main(["--store", str(store), "--n", "12", "--k", "2", "--m", "300", "--times", "40"])
    fresh, same = found.iter_rows(named=True)
    assert fresh["predicted_tries"] > 1.1  # luck plays a part
    assert fresh["within"], fresh
    assert fresh["measured"] > 0
    assert fresh["low"] / 1.5 < fresh["measured"] < fresh["high"] * 1.5
    assert same["restarts"] == "same sample"
    assert capsys.readouterr().out.count("predicted") == 2


def test_tries_are_counted_and_the_hopeless_never_end():
    """A cut-off at the first evaluation: nothing succeeds; every try costs the same."""
    hopeless = BASE.model_copy(update={"steps": 20, "m": 300})
    costs, tries = follow(hopeless, 3, same=False, most=2)
    assert costs == [float("inf")] * 3
    assert tries == [2, 2, 2]
