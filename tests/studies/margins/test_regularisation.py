import pytest

from glassware.studies.margins.regularisation import LAMBDAS, STUDY, doublings, runs
from glassware.studies.margins.shared.optima import optimum
from tests.studies.judged import verdict
from tests.studies.margins.lanes import at_the_end, diverged, lane, table


def cells(groups=("S_3",), lanes=5, spoil=lambda row: row, spoiled=0):
    """Lanes of every lambda; so many of the third lambda are spoiled."""
    return [
        (spoil if i < spoiled and lam == LAMBDAS[group][2] else dict)(lane(group, lam))
        for group in groups
        for lam in LAMBDAS[group]
        for i in range(lanes)
    ]


def judged(claim, rows):
    return verdict(STUDY, claim, table(rows))


def ratio(value):
    return lambda row: {**row, "curve_margin_ratio": at_the_end(value)}


def norm(factor):
    return lambda row: {**row, "curve_norm_power": [factor * value for value in row["curve_norm_power"]]}


GROUPS = {"t1-rises": ("S_3",), "t1-objective": ("S_3",), "t1-ratio": ("S_3",), "t1-slower-groups": ("S_4", "Z_23")}


@pytest.mark.parametrize("claim", GROUPS)
def test_all_hold_at_the_optimum(claim):
    groups = GROUPS[claim]
    assert judged(claim, cells(groups)) == "holds"
    assert judged(claim, cells(groups, lanes=4)) == "not enough runs"
    assert judged(claim, cells(groups)[5:]) == "not enough runs"
    by_interval = claim == "t1-rises"
    assert judged(claim, cells(groups, spoil=diverged, spoiled=2)) == ("too close to call" if by_interval else "holds")
    assert judged(claim, cells(groups, spoil=diverged, spoiled=5)) == "fails"


@pytest.mark.parametrize(
    ("claim", "spoil"),
    [
        ("t1-rises", ratio(optimum("S_3", 1e-3).ratio - 1e-3)),
        ("t1-objective", norm(1.05)),
        ("t1-ratio", ratio(optimum("S_3", 1e-4).ratio - 0.02)),
        ("t1-slower-groups", ratio(0.9)),
    ],
)
def test_a_median_off_fails(claim, spoil):
    assert judged(claim, cells(GROUPS[claim], spoil=spoil, spoiled=5)) == "fails"
    assert judged(claim, cells(GROUPS[claim], spoil=spoil, spoiled=2)) != "fails"


def test_rates_of_smaller_lambda_double_more_often_in_one_program():
    steps = {lam: doublings("S_3", lam, 12_000) for lam in LAMBDAS["S_3"]}
    assert [sum(step <= 12_000 for step in at) for at in steps.values()] == [4, 6, 8, 10, 12]
    assert len({len(at) for at in steps.values()}) == 1
    assert len({run.shape() for run in runs("laptop", 1, table([]))}) == 1
