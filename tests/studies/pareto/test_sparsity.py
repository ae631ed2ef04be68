import polars as pl
import pytest

from glassware.foundation import statistics
from glassware.studies.pareto.sparsity import STUDY
from tests.studies.made import cell, check, table

CLAIMS = ["two-is-luckiest", "two-is-fastest"]
# (successes of 40, median steps) by s.
GOOD = {1: (32, 3500), 2: (40, 2400), 3: (26, 3700), 4: (32, 3700), 8: (20, 4500)}


@pytest.fixture(autouse=True)
def _resamples(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)


def at(s, won, trials=40, steps=1000, m=600):
    return cell(won, trials, steps, s=s, n=30, k=3, width=300, m=m, init="sparse")


def frame(**changes):
    made = {**GOOD, **{int(s[1:]): value for s, value in changes.items()}}
    return table(*(at(s, won, 40, steps) for s, (won, steps) in made.items()))


@pytest.mark.parametrize(
    ("claim", "made", "said"),
    [
        ("two-is-luckiest", frame(), "holds"),
        ("two-is-luckiest", frame(s4=(40, 3700)), "too close to call"),
        ("two-is-luckiest", frame(s2=(26, 2400), s4=(40, 3700)), "fails"),
        ("two-is-fastest", frame(), "holds"),
        ("two-is-fastest", frame(s3=(40, 2400)), "fails"),  # as fast
        ("two-is-fastest", frame(s3=(40, 2300)), "fails"),
        ("two-is-fastest", frame(s2=(21, 2400)), "too close to call"),  # the median may be for ever
    ],
)
def test_claims(claim, made, said):
    assert check(STUDY, claim, made).verdict == said


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("won", [0, 20, 40])
def test_equal_counts_do_not_pass(claim, won):
    assert check(STUDY, claim, frame(**{f"s{s}": (won, 1000) for s in GOOD})).verdict != "holds"


@pytest.mark.parametrize("claim", CLAIMS)
def test_it_needs_two_and_something_beside_it(claim):
    made = frame()
    for part in (made.filter(made["s"] != 2), made.filter(made["s"] == 2)):
        assert check(STUDY, claim, part).verdict == "not enough runs"


@pytest.mark.parametrize("claim", CLAIMS)
def test_one_other_sparsity_is_enough_and_dense_networks_are_none(claim):
    made = table(at(2, 40), at(3, 20, steps=1500), at(None, 40, steps=10))
    finding = check(STUDY, claim, made)
    assert finding.measured.value == pytest.approx(0.5 if claim == "two-is-luckiest" else float("inf"))
    assert finding.verdict == "holds"


def test_the_median_lead_of_cells_with_every_sparsity():
    leads = {600: 1500, 700: 1200, 800: 9000}
    full = [part for m, steps in leads.items() for part in (at(2, 40, steps=1000, m=m), at(3, 40, steps=steps, m=m))]
    without, unlearned = at(3, 40, steps=10, m=900), [at(2, 0, m=5), at(3, 0, m=5)]
    finding = check(STUDY, "two-is-fastest", table(*full, without, *unlearned))
    assert finding.measured.value == pytest.approx(1.5)
    assert check(STUDY, "two-is-fastest", table(at(2, 40), without)).verdict == "not enough runs"


def test_success_is_averaged_over_cells():
    made = pl.concat([frame(), frame(s4=(40, 3700)).with_columns(m=pl.lit(700, pl.Int64))])
    assert check(STUDY, "two-is-luckiest", made).measured.value == pytest.approx(0.1)
