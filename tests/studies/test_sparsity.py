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


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


@pytest.mark.parametrize(("won", "held"), [(90, True), (89, False)])
def test_two_may_be_one_standard_error_behind(won, held):
    """Of a hundred runs each: one standard error of the difference is at most 7.07 points."""
    places = {"n": 30, "k": 3, "width": 300, "m": 600, "init": "sparse"}
    made = [cell(won_, 100, 1000, s=s, **places) for s, won_ in ((1, 50), (2, won), (3, 97))]
    finding = check(STUDY, "two-is-luckiest", table(*made))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx((97 - won) / 100)


@pytest.mark.parametrize(("steps", "held"), [(2400, True), (2399, False)])
def test_the_median_of_every_other_sparsity(steps, held):
    made = frame(s3=(20, 9999)).with_row_index()
    third = made.filter(pl.col("s") == 3)["index"].to_list()
    quick, slow = pl.col("index").is_in(third[:9]), pl.col("index").is_in(third[9:11])
    times = pl.when(quick).then(1).when(slow).then(steps).otherwise("steps_to_success")
    finding = check(STUDY, "two-is-fastest", made.with_columns(steps_to_success=times))
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(steps / 2400)


def at(s, won, trials, steps=1000, m=600):
    return cell(won, trials, steps, s=s, n=30, k=3, width=300, m=m, init="sparse")


@pytest.mark.parametrize(("won", "held"), [(90, True), (89, False)])
def test_the_standard_error_is_that_of_fewer_runs_and_the_best_is_best_by_its_share(won, held):
    """Of 50 runs one standard error is 10 points; s = 1 has more successes, s = 4 the larger share."""
    made = table(at(1, 150, 300), at(2, won, 100), at(4, 50, 50))
    finding = check(STUDY, "two-is-luckiest", made)
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(1 - won / 100)


@pytest.mark.parametrize("claim", ["two-is-luckiest", "two-is-fastest"])
def test_one_other_sparsity_is_enough_and_dense_networks_are_none(claim):
    made = table(at(2, 20, 20, 1000), at(3, 19, 20, 1500), at(None, 20, 20, 10))
    finding = check(STUDY, claim, made)
    assert finding.holds is True
    assert finding.measured.value == pytest.approx(-0.05 if claim == "two-is-luckiest" else 1.5)


def test_the_median_lead_of_cells_with_every_sparsity():
    leads = {600: 1500, 700: 1200, 800: 9000}
    full = [part for m, steps in leads.items() for part in (at(2, 20, 20, 1000, m), at(3, 20, 20, steps, m))]
    without, unlearned = at(3, 20, 20, 10, 900), [at(2, 0, 20, m=5), at(3, 0, 20, m=5)]
    finding = check(STUDY, "two-is-fastest", table(*full, without, *unlearned))
    assert finding.measured.value == pytest.approx(1.5)
    assert check(STUDY, "two-is-fastest", table(at(2, 20, 20), without)).holds is None
