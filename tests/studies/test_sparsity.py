import polars as pl
import pytest

from glassware.studies.pareto.sparsity import STUDY
from tests.studies.made import cell, check, table

# (successes of 20, median steps) by s.
GOOD = {1: (20, 3500), 2: (20, 2400), 3: (13, 3700), 4: (20, 3700), 8: (10, 4500)}


def frame(**changes):
    made = {**GOOD, **{int(s[1:]): value for s, value in changes.items()}}
    places = {"n": 30, "k": 3, "width": 300, "m": 600, "init": "sparse"}
    return table(*(cell(won, 20, steps, s=s, **places) for s, (won, steps) in made.items()))


@pytest.mark.parametrize(
    ("claim", "made", "holds"),
    [
        ("two-is-luckiest", frame(), True),
        ("two-is-luckiest", frame(s2=(17, 2400)), True),  # 15 points behind; one standard error is 16
        ("two-is-luckiest", frame(s2=(16, 2400)), False),
        ("two-is-fastest", frame(), True),
        ("two-is-fastest", frame(s3=(20, 2400)), True),
        ("two-is-fastest", frame(s3=(20, 2300)), False),
        ("two-is-fastest", frame(s2=(8, 2400)), False),
    ],
)
def test_claims(claim, made, holds):
    assert check(STUDY, claim, made).holds is holds


@pytest.mark.parametrize("claim", ["two-is-luckiest", "two-is-fastest"])
def test_it_needs_two_and_something_beside_it(claim):
    made = frame()
    assert check(STUDY, claim, made.filter(made["s"] != 2)).holds is None
    assert check(STUDY, claim, made.filter(made["s"] == 2)).holds is None


def test_nothing_learned_says_nothing_about_speed():
    assert check(STUDY, "two-is-fastest", frame(**{f"s{s}": (0, 0) for s in GOOD})).holds is None


def test_with_several_cells_half_of_them_decide():
    other = {
        s: frame(**{f"s{s}": (20, 100)}).with_columns(m=pl.lit(m, pl.Int64)) for m, s in ((700, 2), (800, 2), (900, 4))
    }
    assert check(STUDY, "two-is-fastest", pl.concat([frame(), other[2], other[4]])).holds is True
    assert (
        check(
            STUDY, "two-is-fastest", pl.concat([other[4], other[4].with_columns(m=pl.lit(5, pl.Int64)), other[2]])
        ).holds
        is False
    )
