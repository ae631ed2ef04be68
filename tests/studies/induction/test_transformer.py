"""Trained transformers: each claim on rows that show the phases, and on the same rows with lanes that do not."""

import pytest

from glassware.studies.induction.transformer import STUDY
from tests.studies.induction.made import from_end_to_end
from tests.studies.induction.transformers import SLOPE, lane, levels, rows
from tests.studies.judged import verdict

NEVER = {"curve_distance_bigram": [0.3] * 20}
SLOW = [0.3 - 0.012 * i for i in range(20)]  # a smooth fall, without plateau and drop
OFF = [
    ("f1-phases", {"k": 2, **NEVER}),
    ("f1-unigrams", {"curve_distance_unigram": [0.1] * 2 + [0.05] * 9 + [0.2] * 9}),
    ("f1-crossing", {"curve_step": [20 * i for i in range(20)]}),
    ("f3-plateau", {"curve_truth_distance": SLOW}),
    ("f3-plateau", {"curve_truth_distance": [0.28] * 11 + [0.03] * 9}),
    ("f3-first-drop", {"curve_distance_bigram": [0.3] * 11 + [0.02] * 9}),
    ("f3-second-drop", {"k": 2, "curve_distance_unigram": [0.1] * 2 + [0.03] * 18}),
    ("f3-positions-drop", {"k": 2, "curve_prev_score": [0.05] * 16 + [0.9] * 4}),
    ("f3-bayes", {"k": 2, "places": {"truth_distance": {19: 0.2}}}),
    ("f3-final", {"k": 2, "places": {"truth_distance": {19: 0.2}}}),
    ("f3-final", {"k": 2, "curve_step": [60 * i for i in range(20)]}),
    ("f3-same-positions", {"places": {"vhat_spread": {10: 0.3}}}),
    ("fe3-seeds", {"k": 2, "curve_step": [120 * i for i in range(20)]}),
    ("fe3-seeds", {"k": 2, **NEVER}),
]


@pytest.mark.parametrize(("claim", "odd"), OFF, ids=[f"{claim}-{i}" for i, (claim, _) in enumerate(OFF)])
def test_one_lane_that_is_off_is_enough(claim, odd):
    odd = lane(**odd)
    assert verdict(STUDY, claim, rows()) == "holds"
    assert verdict(STUDY, claim, rows(odd)) == "fails"
    assert verdict(STUDY, claim, rows().head(2)) == "not enough runs"


def test_alternation_may_fail_in_one_seed_of_four():
    flat = lane(2, curve_position_scores=[SLOPE] * 20)
    later = lane(2, curve_position_scores=[SLOPE] * 11 + [[0.0, 1.0] * 8] * 9)  # only from the crossing on
    good = rows().filter(states=2)
    one, two = good.head(3).vstack(rows(flat).head(1)), rows(flat).head(1).vstack(rows(later).head(1))
    assert verdict(STUDY, "fe7-alternates", one) == "holds"
    assert verdict(STUDY, "fe7-alternates", two.vstack(good.head(2))) == "fails"
    assert verdict(STUDY, "fe7-alternates", good.head(1)) == "not enough runs"


PAPER = ["f1-phases", "f1-crossing-normed", "f3-long-plateau", "fe7-final", "fe7-alternates-normed", "fe3-ten-seeds"]
OFF_PAPER = [
    ("f1-crossing-normed", {"curve_step": [20 * i for i in range(20)]}),
    ("f3-long-plateau", {"curve_truth_distance": [0.28] * 9 + [0.03] * 11}),
    ("fe7-final", {"k": 2, "places": {"truth_distance": {19: 0.2}}}),
    ("fe3-ten-seeds", {"k": 2, "curve_step": [400 * i for i in range(20)]}),
]


def test_claims_of_paper_scale_hold_on_rows_with_layer_norm_only():
    good = rows(form="normed")
    for claim in PAPER:
        assert verdict(STUDY, claim, good) == "holds", claim
    for claim in PAPER[1:]:
        assert verdict(STUDY, claim, rows()) == "not enough runs", claim
    for claim, odd in OFF_PAPER:
        assert verdict(STUDY, claim, rows(lane(form="normed", **odd), form="normed")) == "fails", claim
    flat = rows(lane(2, form="normed", curve_position_scores=[SLOPE] * 20), form="normed")
    assert verdict(STUDY, "fe7-alternates-normed", flat) == "holds"
    assert verdict(STUDY, "fe7-alternates-normed", flat.head(1).vstack(flat.head(9))) == "fails"


def test_the_levels_stand_in_their_order():
    for k in (2, 3):
        found = levels(k)
        assert found["uniform"] > found["unigram"] > found["unigram_self"] > found["bigram"]


def test_smoke_scale_from_end_to_end(smoke, tmp_path):
    from_end_to_end(STUDY, smoke(STUDY)[1], tmp_path)
    assert len(STUDY.runs("laptop")) == 8
    assert len(STUDY.runs("paper")) == 20
