"""Trigrams: claims on lanes that show four phases, and with one lane off."""

import math

import pytest

from glassware.studies.induction.shared.phases import crossings, longest
from glassware.studies.induction.trigrams import STUDY
from tests.studies.induction.made import from_end_to_end, lane, off_by_one_lane
from tests.studies.judged import verdict

FOUR = ["uniform", "unigram", "unigram", "bigram", "bigram", "trigram", "trigram"]
THREE = ["uniform", "unigram", "unigram", "bigram", "bigram", "bigram", "bigram"]


def heads(count=3, phases=None, final=0.3, **changes):
    usual = FOUR if count == 3 else THREE
    return lane(phases or usual, of="bigram", order=3, **{"final": final, "heads": count, "length": 200, **changes})


GOOD, LIKE = [*[heads()] * 3, *[heads(1, final=0.95)] * 3], ("heads",)
OFF = [
    ("f5-phases", heads(phases=THREE)),
    ("f5-phases", heads(phases=["uniform", "bigram", "bigram", "trigram", "trigram"])),
    ("f5-final", heads(final=0.6)),
    ("x1-one-head", heads(1, final=0.7)),
    ("x1-one-head", heads(1, final=2.5)),  # as good as untrained
    ("x1-one-head", heads(1, final=0.9, phases=[*FOUR, "trigram"])),
]


@pytest.mark.parametrize(("claim", "odd"), OFF, ids=[f"{claim}-{i}" for i, (claim, _) in enumerate(OFF)])
def test_one_lane_that_is_off_is_enough(claim, odd):
    off_by_one_lane(STUDY, claim, GOOD, odd, LIKE)


def test_three_heads_come_near_the_trigram_level():
    near, far = (heads(final=final) for final in (0.5, 4.0))
    assert verdict(STUDY, "f5-bayes", [near] * 3) == "holds"
    assert verdict(STUDY, "f5-bayes", [near, near, far]) == "fails"
    assert verdict(STUDY, "f5-bayes", [{**near, "length": 100}] * 3) == "not enough runs"
    assert verdict(STUDY, "f5-final", [{**near, "lr": 0.03}] * 3) == "not enough runs"  # the text's rate


def test_crossings_and_longest_phase():
    assert crossings(heads(steps=600)) == [100.0, 300.0, 500.0]
    assert math.isnan(crossings(heads(phases=THREE))[2])
    assert (longest(heads(), "unigram"), longest(heads(phases=THREE), "trigram")) == (2, 0)


def test_smoke_scale_from_end_to_end(smoke, tmp_path):
    from_end_to_end(STUDY, smoke(STUDY)[1], tmp_path)
