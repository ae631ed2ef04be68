import pytest

from glassware.studies.margins.symmetric_groups import LAMBDA, STUDY
from tests.studies.judged import verdict
from tests.studies.margins.lanes import at_the_end, diverged, lane, table

THREE, FOUR = {"(2,1)": 26, "(1,1,1)": 4}, {"(3,1)": 85, "(2,1,1)": 88, "(2,2)": 22, "(1,1,1,1)": 5}
ON_S_3 = [claim.id for claim in STUDY.claims if claim.id.startswith("d2")]
ON_S_4 = [claim.id for claim in STUDY.claims if claim.id.startswith("d3")]


def s3(**changes):
    return lane("S_3", LAMBDA, **{"owners": THREE, **changes})


def s4(**changes):
    return lane("S_4", LAMBDA, **{"owners": FOUR, **changes})


def judged(claim, rows):
    return verdict(STUDY, claim, table(rows))


@pytest.mark.parametrize("claim", ON_S_3)
def test_all_hold_at_the_optimum_of_s_3(claim):
    assert judged(claim, [s3()] * 16) == "holds"
    assert judged(claim, [s3()] * 2) == "not enough runs"
    assert judged(claim, [s4()] * 16) == "not enough runs"


@pytest.mark.parametrize("claim", ON_S_4)
def test_all_hold_at_the_optimum_of_s_4(claim):
    assert judged(claim, [s4()] * 5) == "holds"
    assert judged(claim, [s4()] * 2) == "not enough runs"
    assert judged(claim, [s4()] * 4 + [diverged(s4())]) == "fails"


@pytest.mark.parametrize("claim", ON_S_3)
def test_a_lane_that_diverges_fails(claim):
    few, many = ([s3()] * (16 - bad) + [diverged(s3())] * bad for bad in (1, 3))
    assert judged(claim, few) == ("holds" if claim in ("d2-gaps", "d2-rank-one") else "fails")  # 14 of 16
    assert judged(claim, many) == "fails"


FIRST = [0.9] + [1.0] * 29
OWNED = {"irrep_w": [0.0] + [1.0] * 25 + [2.0] * 4}


@pytest.mark.parametrize(
    ("claim", "bad", "one", "three"),
    [
        ("d2-margin", {"curve_margin_ratio": at_the_end(0.95)}, "fails", "fails"),
        ("d2-margin", {"curve_margin_ratio": at_the_end(1.01)}, "fails", "fails"),
        ("d2-one-irrep", {"power_v": FIRST}, "fails", "fails"),
        ("d2-one-irrep", {"power_v": FIRST, "neuron_size": [0.01] + [1.0] * 29}, "holds", "holds"),  # not alive
        ("d2-one-irrep", OWNED, "fails", "fails"),
        ("d2-one-irrep", {"power_u": [0.9] * 6 + [1.0] * 24, "neuron_size": [0.01] * 6 + [1.0] * 24}, "fails", "fails"),
        ("d2-counts", {"owners": {"(2,1)": 30}}, "fails", "fails"),
        ("d2-counts", {"owners": {"(2,1)": 15, "(1,1,1)": 15}}, "fails", "fails"),
        ("d2-optimum", {"curve_norm_power": at_the_end(598.7)}, "holds", "fails"),  # the local optimum
        ("d2-optimum", {"curve_norm_power": at_the_end(605.0)}, "fails", "fails"),
        ("d2-optimum", {"curve_mass": at_the_end([0.0, 0.843, 0.157])}, "holds", "fails"),
        ("d2-optimum", {"curve_mass": at_the_end([0.0, 0.850, 0.150])}, "fails", "fails"),
        ("d2-logits", {"class_fit": 0.998}, "fails", "fails"),
        ("d2-gaps", {"class_gaps": [0.0, 13.9, 13.9]}, "holds", "fails"),  # constant, as at the largest margin
        ("d2-rank-one", {"alignment": FIRST}, "holds", "fails"),
    ],
)
def test_what_fails_on_s_3(claim, bad, one, three):
    assert judged(claim, [s3()] * 15 + [s3(**bad)]) == one
    assert judged(claim, [s3()] * 13 + [s3(**bad)] * 3) == three


def test_a_median_below_the_band_fails():
    assert judged("d2-margin", [s3(curve_margin_ratio=at_the_end(0.97))] * 16) == "fails"


MAX_MARGIN = [0.0, 0.412, 0.1495, 0.412, 0.0264]


@pytest.mark.parametrize(
    ("claim", "bad"),
    [
        ("d3-margin", {"curve_margin_ratio": [0.0, 0.85, 0.93]}),
        ("d3-margin", {"curve_margin_ratio": [0.0, 0.89, 0.90]}),
        ("d3-margin", {"curve_margin_ratio": [0.0, 0.89, 0.95]}),
        ("d3-margin", {"curve_margin_ratio": [0.9, 0.9, 0.93], "curve_step": [0, 10_000, 50_000]}),
        ("d3-one-irrep", {"curve_weighted_power": [[1, 1, 1], [1, 0.98, 1], [1, 1, 1]]}),
        ("d3-one-irrep", {"curve_weighted_power": [[1, 1, 1], [1, 1, 1], [0.998, 1, 1]]}),
        ("d3-one-irrep", {"curve_weighted_power": [[1, 1, 1], [1, 1, 1], [1, 1, 0.99]]}),
        ("d3-one-irrep", {"power_u": [0.9] * 12 + [1.0] * 188}),
        ("d3-counts", {"owners": FOUR | {"(4)": 1}}),
        ("d3-counts", {"owners": FOUR | {"(2,2)": 86}}),
        ("d3-optimum", {"curve_mass": at_the_end(MAX_MARGIN)}),
        ("d3-optimum", {"curve_mass": [MAX_MARGIN, MAX_MARGIN, [0.0, 0.39, 0.175, 0.39, 0.045]]}),
        ("d3-logits", {"class_fit": 0.99}),
        ("d3-gaps", {"class_gaps": [0.0, 12.9, 12.9, 12.9, 12.9]}),
        ("d3-rank-one", {"alignment": [0.5] * 10 + [1.0] * 190}),
    ],
)
def test_what_fails_on_s_4(claim, bad):
    assert judged(claim, [s4()] * 4 + [s4(**bad)]) == "fails"


def test_sign_may_be_missing_in_a_third_of_the_lanes():
    without = s4(owners=FOUR | {"(1,1,1,1)": 0})
    assert judged("d3-counts", [s4()] * 4 + [without]) == "holds"
    assert judged("d3-counts", [s4()] * 3 + [without] * 2) == "fails"
