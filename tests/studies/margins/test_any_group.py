import pytest

from glassware.studies.margins.any_group import GROUPS, SHARE, STUDY
from glassware.theory.margins.groups import named
from glassware.theory.margins.optimum import max_margin
from tests.studies.judged import verdict
from tests.studies.margins.lanes import at_the_end, diverged, lane, table

CLAIMS = [claim.id for claim in STUDY.claims]


def best(group, **changes):
    return lane(group, SHARE * max_margin(named(group)).margin, **changes)


def judged(claim, rows):
    return verdict(STUDY, claim, table(rows))


def rows(odd=None):
    """Three lanes of every group, of which the last on Q_8 may be odd."""
    made = [best(group) for group in GROUPS for _ in range(3)]
    return made if odd is None else [*(row for row in made if row["group"] != "Q_8"), *[best("Q_8")] * 2, odd]


@pytest.mark.parametrize("claim", CLAIMS)
def test_all_hold_at_the_optimum(claim):
    assert judged(claim, rows()) == "holds"
    assert judged(claim, rows()[2:]) == "not enough runs"
    assert judged(claim, rows(diverged(best("Q_8")))) == "fails"


@pytest.mark.parametrize(
    ("claim", "bad"),
    [
        ("objective", {"curve_test_cross_entropy": at_the_end(0.2)}),
        ("objective", {"curve_test_cross_entropy": at_the_end(0.0)}),  # below the minimum
        ("ratio", {"curve_margin_ratio": at_the_end(0.882)}),  # that of D_4
        ("mass", {"curve_mass": at_the_end([0.0, 0.1412, 0.1412, 0.1412, 0.5765])}),  # that of D_4
        ("one-irrep", {"irrep_w": [0.0, 4.0, 4.0]}),
        ("one-table-two-margins", {"curve_margin": at_the_end(10.0)}),
    ],
)
def test_one_lane_off_fails(claim, bad):
    assert judged(claim, rows(best("Q_8", **bad))) == "fails"


def test_networks_on_d_4_must_pass_the_limit_of_q_8():
    low = [best("D_4", curve_margin=at_the_end(1.0)) if row["group"] == "D_4" else row for row in rows()]
    assert judged("one-table-two-margins", low) == "fails"
