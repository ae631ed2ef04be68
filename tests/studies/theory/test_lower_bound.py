"""The lower bound beside the frontier: claims on rows we choose."""

import polars as pl
import pytest

from glassware.studies.pareto.panels import full_grid
from glassware.studies.theory.lower_bound import STUDY
from glassware.sweeps import run_id
from tests.studies.judged import verdict
from tests.studies.made import check, pretend


def test_it_shares_the_runs_of_the_frontier():
    assert {run_id(run) for run in STUDY.runs("smoke")} == {run_id(run) for run in full_grid("smoke", None)}


def test_one_cell_that_the_bound_limits_is_enough():
    made = pretend(full_grid("smoke", 2), lambda run: run.m is None or run.m > 100)
    assert verdict(STUDY, "informative", made) == "fails"
    assert "decades above the bound" in check(STUDY, "informative", made).detail
    # A network of three numbers trained for one step on one example: far below C(40, 20).
    tiny = made.with_columns(n=40, k=20, width=1, m=1, steps=1)
    assert verdict(STUDY, "informative", tiny) == "holds"
    assert verdict(STUDY, "informative", pl.DataFrame({"part": ["parseval"]})) == "not enough runs"


def energies(neuron, parity=0.5):
    row = {"part": "parseval", "function": "neuron", "energy": 0.01, "bound": 0.5}
    return [row, {**row, "energy": neuron}, {**row, "function": "parity", "energy": parity}]


@pytest.mark.parametrize(
    ("neuron", "parity", "expected"),
    [(0.4, 0.5, "holds"), (0.6, 0.5, "fails"), (0.4, 0.4, "fails"), (0.4, 0.0, "fails")],
)
def test_correlations_stay_below_a_bound_that_a_parity_attains(neuron, parity, expected):
    assert verdict(STUDY, "parseval", energies(neuron, parity)) == expected
    assert verdict(STUDY, "parseval", energies(neuron)[:2]) == "not enough runs"


@pytest.mark.parametrize(
    ("hidden", "same", "easy", "expected"),
    [(50, True, False, "holds"), (49, True, False, "fails"), (50, False, False, "fails"), (50, True, True, "fails")],
)
def test_noise_hides_one_target_and_not_the_other(hidden, same, easy, expected):
    hard = {"part": "adversary", "k": 6, "hidden": hidden, "steps": 50, "same": same}
    rows = [hard, {**hard, "k": 1, "hidden": 0, "same": easy}]
    assert verdict(STUDY, "adversary", rows) == expected
