"""Searching for the value at which runs succeed: the curve, the design, runs from rows, and the whole of it."""

import math

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

import glassware as gw
from glassware.luck.curve import Cell, Fit, offset
from glassware.luck.design import Design, explore
from glassware.luck.threshold import TRY, Search, advance, searches
from glassware.training import Run
from tests.helpers import TINY, tiny
from tests.luck.made import NEVER, made, table


def rate(value, truth, width, lapse, level):
    return (1 - lapse) * expit(np.log(value / truth) / width + offset(level, lapse))


def simulate(design, rng, truth, width, lapse):
    """A whole search on trials that succeed by a known curve."""
    return explore(design, lambda value: rng.random() < rate(value, truth, width, lapse, design.level))


@pytest.mark.parametrize(("level", "truth", "width", "lapse"), [(0.8, 70, 0.15, 0.0), (0.5, 110, 0.3, 0.04)])
def test_intervals_contain_the_truth_although_values_are_chosen_by_what_was_seen(level, truth, width, lapse):
    rng, design = np.random.default_rng(5), Design(20, 200, level=level, budget=60)
    found = [Fit.of(simulate(design, rng, truth, width, lapse), level).at for _ in range(60)]
    assert np.mean([low <= truth <= high for _, low, high in found]) >= 0.88  # 92% or more, measured on 200
    assert abs(np.median([math.log(value / truth) for value, _, _ in found])) < 0.1
    assert np.median([high / low for _, low, high in found]) < 1.7


def test_the_search_ends_where_it_should():
    design = Design(20, 200, budget=60)
    always, never = simulate(design, np.random.default_rng(0), 1, 0.1, 0.0), [Cell(v, 0, 12) for v in (20, 60, 200)]
    assert design.state(always) == "below the range"
    assert Fit.of(always).at.low == 0 < Fit.of(always).at.high < 20
    assert design.state(never) == "above the range"
    assert math.isnan(Fit.of(never).at.value)
    assert design.state([Cell(50, 0, 30), Cell(55, 30, 30)]) == "found"
    assert design.next([Cell(50, 0, 30), Cell(55, 30, 30)]) == []
    assert design.state([Cell(20, 10, 30), Cell(200, 20, 30)]) == "budget spent"


def test_a_round_goes_to_the_ends_of_the_interval_and_stays_within_range_and_budget():
    design = Design(20, 200, budget=26)
    (low, a), (middle, b), (high, c) = design.next([Cell(20, 0, 4), Cell(63, 2, 4), Cell(200, 4, 4)])
    at = Fit.of([Cell(20, 0, 4), Cell(63, 2, 4), Cell(200, 4, 4)]).at
    assert (low, middle, high) == (round(at.low), round(at.value), round(min(at.high, 200)))
    assert a == b == c == 4
    assert sum(n for _, n in design.next([Cell(20, 0, 8), Cell(63, 4, 8), Cell(200, 8, 8)])) == 2


def test_trials_are_tried_again_on_the_same_data_before_the_search_goes_on():
    search = Search(tiny(m=30, seed=7), "m", Design(20, 320, trials=2, budget=40), tries=2)
    first = search.next(pl.DataFrame())
    assert [run.m for run in first[::2]] == [20, 40, 80, 160, 320]
    assert {run.seed for run in first} == {7, 8}
    rows = table(*(made([NEVER, 20], m=m) for m in (20, 40, 80, 160, 320)))  # seeds 0 and 1; the first fails
    earlier = Search(tiny(), "m", search.design, tries=2)
    again = earlier.next(rows)
    assert [(run.m, run.seed, run.init.seed) for run in again] == [(m, 0, TRY) for m in (20, 40, 80, 160, 320)]
    assert all(run.cell() == tiny(m=run.m).cell() for run in again)  # the same sample and support
    retried = pl.concat(
        [rows, table(*(made([20], m=m, init={"seed": TRY}) for m in (160, 320)))], how="diagonal_relaxed"
    )
    assert [cell.won for cell in earlier.cells(retried)] == [1, 1, 1, 2, 2]
    assert earlier.state(retried) == "searching"


def test_rows_of_other_cells_do_not_count_and_an_axis_may_be_at_its_default():
    rows = table(made([20, NEVER], m=40), made([20], m=40, model={"width": 9}), made([20], m=80))
    assert Search(tiny(), "m", Design(20, 100)).cells(rows) == [Cell(40, 1, 2), Cell(80, 1, 1)]
    default = Run.model_fields["steps"].default
    rows = table(made([20], steps=default), made([NEVER], steps=500))
    assert [cell.value for cell in Search(tiny(), "steps", Design(100, 10**6)).cells(rows)] == [500, default]


def test_a_search_from_a_grid_goes_on_where_it_was_stopped(tmp_path):
    runs = gw.grid(TINY, {"m": [20, 200], "model.width": [4, 8]})
    whole = gw.threshold(runs, "m", tmp_path, precision=3, budget=20, trials=2)
    assert whole.columns[:4] == ["model.width", "value", "low", "high"]
    assert whole["model.width"].to_list() == [4, 8]
    assert set(whole["state"]) <= {"found", "budget spent", "above the range"}
    assert set(whole["trials"]) <= set(range(10, 21))
    trained = len(gw.Store(tmp_path).ids())
    assert trained == whole["runs"].sum()
    assert gw.threshold(runs, "m", tmp_path, precision=3, budget=20, trials=2).equals(whole)
    assert len(gw.Store(tmp_path).ids()) == trained
    assert len(advance(searches(runs, "m"), pl.DataFrame())) == 2 * 5 * 4


@pytest.mark.parametrize(
    ("axes", "options", "said"),
    [
        ({"m": [30]}, {}, "the axis 'm' needs a range: give its smallest and its largest value"),
        ({"m": [30, "online"]}, {}, "the axis 'm' must have numbers to search between, not None"),
        ({"m": [30, 90]}, {"axis": "mm"}, "the run has no field 'mm' to search"),
        ({"m": [30, 90]}, {"level": 1.0}, "level must be between 0.05 and 0.95, not 1"),
        ({"m": [30, 90]}, {"precision": 1}, "precision must be above 1, as 1.25, not 1"),
        ({"m": [30, 90]}, {"budget": 3}, "budget must allow the first round, 5 values of 4 trials, not 3 trials"),
        ({"m": [30, 90]}, {"tries": 0}, "tries must be at least 1, not 0"),
    ],
)
def test_bad_input_is_one_sentence(axes, options, said):
    with pytest.raises(gw.GlasswareError, match=said) as caught:
        gw.threshold(gw.grid(TINY, axes), **options)
    assert "\n" not in str(caught.value)
