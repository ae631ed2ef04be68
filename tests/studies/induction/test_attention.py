"""Attention of trained transformers: each claim on rows of induction heads, and with one lane off."""

import pytest

from glassware.studies.induction.attention import STUDY
from tests.studies.induction.made import from_end_to_end
from tests.studies.induction.transformers import CROSS, lane, rows
from tests.studies.judged import verdict

AFTER = 20 - CROSS
OFF = [
    ("f2-previous", {"places": {"first_peak": {0: 1.3}}}),
    ("f2-previous", {"k": 2, "places": {"prev_score": {19: 0.7}}}),
    ("f2-induction", {"places": {"induction_norm": {19: 0.6}}}),
    ("f2-induction", {"curve_induction_norm": [0.85] * 20}),
    ("x10-statistical", {"k": 2, "places": {"match_evenness": {19: 0.5}}}),
    ("x10-statistical", {"places": {"recency": {19: 2.0}}}),
    ("x10-statistical", {"curve_induction_norm": [0.0] * 20}),  # even to all: no induction head
    ("x2-order", {"k": 2, "transplant_norm": [0.0] * CROSS + [0.8] * AFTER}),
    ("x2-order", {"transplant_norm": [0.0] * 20}),
]


@pytest.mark.parametrize(("claim", "odd"), OFF, ids=[f"{claim}-{i}" for i, (claim, _) in enumerate(OFF)])
def test_one_lane_that_is_off_is_enough(claim, odd):
    odd = lane(**odd)
    assert verdict(STUDY, claim, rows()) == "holds"
    assert verdict(STUDY, claim, rows(odd)) == "fails"
    assert verdict(STUDY, claim, rows().head(2)) == "not enough runs"


def test_layer_norm_is_judged_by_the_largest_weight():
    odd = lane(form="normed", places={"prev_argmax": {19: 0.9}})
    assert verdict(STUDY, "f2-normed", rows(form="normed")) == "holds"
    assert verdict(STUDY, "f2-normed", rows(odd, form="normed")) == "fails"
    assert verdict(STUDY, "f2-normed", rows()) == "not enough runs"


def test_smoke_scale_from_end_to_end(smoke, tmp_path):
    from_end_to_end(STUDY, smoke(STUDY)[1], tmp_path)
