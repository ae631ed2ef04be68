"""Luck, counted and measured: the counts, and claims on rows we choose."""

import math

import numpy as np
import polars as pl
import pytest

from glassware.foundation import statistics
from glassware.studies.theory.good_neurons import STUDY, half_width, runs
from glassware.studies.theory.good_neurons_rows import lucky_neurons
from glassware.theory.pareto.good_neurons import lucky_probability, width_threshold
from tests.studies.judged import verdict


@pytest.fixture(autouse=True)
def _resamples(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 50)


def test_counts(smoke):
    _, rows = smoke(STUDY)
    for claim, column in (("frequencies", "share"), ("gradients", "gap")):
        assert verdict(STUDY, claim, rows) == "holds"
        for off in (-1e-11, 1e-11):
            assert verdict(STUDY, claim, rows.with_columns(pl.col(column) + off)) == "fails"
    shares = rows.filter(part="frequency")["share"].to_list()
    assert shares == pytest.approx([math.comb(10, 3) / math.comb(14, 7), 6 / 91, 15 / 495, 3 / 66])


def test_lucky_neurons_of_a_run_are_those_of_its_initial_weights():
    """Their mean over many runs is the expected number."""
    drawn = runs("smoke", 60, pl.DataFrame())
    found = [lucky_neurons(run) for run in drawn]
    expected = [lucky_probability(10, 3, 2) * run.model.widths[0] for run in drawn]
    assert abs(sum(found) - sum(expected)) < 4 * math.sqrt(sum(expected))
    assert np.corrcoef(found, expected)[0, 1] > 0.5
    assert {run.model.widths[0] for run in drawn} == {round(f * width_threshold(3 / 45)) for f in (1, 4)}


@pytest.mark.parametrize(
    ("wide", "narrow", "networks", "expected"),
    [
        (1.0, 1.0, 1000, "holds"),
        (1.14, 1.0, 1000, "too close to call"),
        (1.0, 1.0, 10, "too close to call"),
        (1.4, 1.0, 1000, "fails"),
        (0.0, 0.0, 1000, "fails"),
        (0.9, 1.5, 1000, "fails"),  # as many in all, but drawn by the wrong networks
    ],
)
def test_lucky_neurons_of_all_runs_and_of_narrow_ones(wide, narrow, networks, expected):
    p = lucky_probability(10, 3, 2)
    row = lambda width, share: {"part": "luck", "n": 10, "width": width, "lucky": share * p * width}
    rows = [row(30, wide), row(7, narrow)] * networks
    assert verdict(STUDY, "drawn", [*rows, {**rows[0], "part": "frequency"}]) == expected
    assert verdict(STUDY, "drawn", rows[:1]) == "not enough runs"


def timed(power, ns=(20, 30, 40), lucky_time=500, other_time=3000, factor=1.0, count=20):
    """Runs that are as fast as luck makes them, with half of them lucky at width factor * n^power / 6."""
    rows = []
    for n in ns:
        half = factor * n**power / 6
        for multiple in (0.25, 0.5, 1.0, 2.0, 4.0):
            for seed in range(count):
                width = round(half * multiple)
                lucky = seed < count * min(1.0, 0.5 * multiple)
                place = {"n": n, "k": 3, "width": width, "seed": seed}
                rows.append({"part": "luck", **place, "lucky": int(lucky)})
                rows.append({**place, "steps_to_success": lucky_time if lucky else other_time, "success": True})
    return pl.DataFrame(rows, infer_schema_length=None)


@pytest.mark.parametrize(
    ("power", "count", "expected"), [(2.0, 200, "holds"), (2.4, 10, "too close to call"), (4.0, 100, "fails")]
)
def test_the_exponent_of_the_half_success_width(power, count, expected):
    made = timed(power, count=count)
    assert verdict(STUDY, "width-exponent", made) == expected
    assert verdict(STUDY, "width-exponent", made.filter(pl.col("n") > 20)) == "not enough runs"
    assert verdict(STUDY, "width-exponent", made.filter(pl.col("part").is_not_null())) == "not enough runs"


@pytest.mark.parametrize(
    ("factor", "count", "expected"),
    [(1.0, 40, "holds"), (2.7, 6, "too close to call"), (8.0, 40, "fails"), (0.1, 40, "fails")],
)
def test_the_half_success_width_of_every_n(factor, count, expected):
    made = pl.concat([timed(2.0, (60,), factor=factor, count=count), timed(2.0, (40,), count=count)])
    assert verdict(STUDY, "width-level", made) == expected
    never = timed(2.0, lucky_time=2000)  # no run within 1,000 steps
    assert verdict(STUDY, "width-level", never) == "not enough runs"


def test_half_of_the_runs():
    made = pl.DataFrame({"width": [10, 10, 40, 40], "steps_to_success": [None, 2000, 100, 100]})
    assert half_width(made, 1000) == pytest.approx(20.0)  # halfway between 10 and 40 in the logarithm
    assert half_width(made, 50) is None


def test_luck_decides():
    assert verdict(STUDY, "luck", timed(2.0, ns=(20, 30, 40, 50, 60, 70))) == "holds"
    assert verdict(STUDY, "luck", timed(2.0, other_time=500)) == "fails"  # luck changes nothing
    assert verdict(STUDY, "luck", timed(2.0, lucky_time=3000, other_time=500)) == "fails"
    assert verdict(STUDY, "luck", timed(2.0, count=2)) == "not enough runs"
    both = pl.concat([timed(2.0, (20, 30)), timed(2.0, (40, 50), other_time=500)])
    assert verdict(STUDY, "luck", both) == "too close to call"
