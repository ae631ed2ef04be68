import numpy as np
import pytest

from glassware.studies.margins.s5 import LAMBDA, PAPER_WIDTH, STUDY, WIDTH, last_third
from tests.studies.judged import verdict
from tests.studies.margins.lanes import at_the_end, diverged, lane, table

OWNERS = {"(4,1)": 16, "(3,2)": 25, "(3,1,1)": 38, "(2,2,1)": 25, "(2,1,1,1)": 15, "(1,1,1,1,1)": 1}
ENDS = {"6-one-irrep": WIDTH, "6-near-minimum": WIDTH}


def s5(width=PAPER_WIDTH, **changes):
    return lane("S_5", LAMBDA, **{"owners": OWNERS, "width": width, **changes})


def mass(six):
    """Masses with this share on the irrep of dimension 6."""
    return at_the_end([0.0, 0.3 - six / 2, 0.19, six, 0.19, 0.3 - six / 2, 0.02])


def judged(claim, rows):
    return verdict(STUDY, claim, table(rows))


@pytest.mark.parametrize("claim", [claim.id for claim in STUDY.claims if claim.id != "6-every-irrep"])
def test_all_but_the_texts_reading_hold_at_the_optimum(claim):
    width = ENDS.get(claim, PAPER_WIDTH)
    assert judged(claim, [s5(width)] * 3) == "holds"
    assert judged(claim, [s5(width)] * 2) == "not enough runs"
    assert judged(claim, [s5(width)] * 2 + [diverged(s5(width))]) == "fails"


@pytest.mark.parametrize(
    ("claim", "bad"),
    [
        ("6-one-irrep", {"power_u": [0.9] * 120}),
        ("6-one-irrep", {"curve_test_error": at_the_end(0.01)}),
        ("6-one-irrep", {"first_power": [0.5] * 120}),
        ("6-one-irrep-in-full", {"power_u": [0.97] * 120}),
        ("6-counts", {"owners": OWNERS | {"(3,2)": 40}}),
        ("6-counts", {"neuron_size": [1.0] * 119 + [0.05]}),  # the only neuron of sign
        ("6-near-minimum", {"curve_norm_power": at_the_end(70_000)}),
        ("6-minimum", {"curve_norm_power": at_the_end(53_000)}),
        ("6-minimum", {"curve_norm_power": at_the_end(50_000)}),  # below the minimum
        ("6-margin", {"curve_margin_ratio": at_the_end(0.5)}),
        ("6-margin", {"curve_margin_ratio": [0.9] * 25 + [0.85] * 5}),  # falls
        ("6-margin", {"curve_mean_margin_ratio": at_the_end(0.8)}),
    ],
)
def test_what_fails(claim, bad):
    width = ENDS.get(claim, PAPER_WIDTH)
    assert judged(claim, [s5(width)] * 2 + [s5(width, **bad)]) == "fails"


def test_a_margin_in_between_is_partial():
    assert judged("6-margin", [s5()] * 2 + [s5(curve_margin_ratio=at_the_end(0.75))]) == "too close to call"


@pytest.mark.parametrize(
    ("six", "text", "ours"),
    [(0.0, "fails", "holds"), (0.03, "fails", "holds"), (0.1, "fails", "fails"), (0.33, "holds", "fails")],
)
def test_the_mass_of_the_largest_irrep_decides_between_two_readings(six, text, ours):
    rows = [s5(curve_mass=mass(six + shift)) for shift in (0.0, 0.001, 0.002)]
    assert judged("6-every-irrep", rows) == text
    assert judged("6-no-mass", rows) == ours


def test_lanes_that_disagree_decide_nothing():
    rows = [s5(curve_mass=mass(six)) for six in (0.0, 0.0, 0.1)]
    assert judged("6-no-mass", rows) == "too close to call"


def test_the_last_third_of_a_curve():
    curve = np.concatenate([np.linspace(0, 0.9, 60), np.full(30, 0.9), np.full(10, 0.8)])
    assert last_third({"curve_margin_ratio": curve.tolist()}) == pytest.approx(-0.1)
