"""Rates of the minimal model: claims on lanes that cross the later the slower W is, and with one lane off."""

import pytest

from glassware.studies.induction.minimal_variants import STUDY
from tests.studies.induction.made import from_end_to_end, lane, off_by_one_lane

CROSSES = {1.0: 3, 0.1: 9, 0.01: 10}  # the checkpoint, of ten, by the rate of W; the last is none


def rate(factor=1.0, crosses=None, seed=0):
    at = CROSSES[factor] if crosses is None else crosses
    phases = ["uniform", *["unigram"] * (at - 1), *["bigram"] * (10 - at)]
    columns = {"model": "minimal-induction", "v": 0.01, "layer_rates": [1.0, factor], "length": 100}
    return lane(phases, seed=seed, **columns)


GOOD, LIKE = [rate(factor, seed=i) for factor in CROSSES for i in range(4)], ("layer_rates",)
OFF = [
    ("x7-later", rate(0.1, crosses=5)),
    ("x7-never", rate(0.01, crosses=9)),
    ("x7-time", rate(0.1, crosses=6)),
    ("x7-time", rate(1.0, crosses=8)),
]


@pytest.mark.parametrize(("claim", "odd"), OFF, ids=[f"{claim}-{i}" for i, (claim, _) in enumerate(OFF)])
def test_one_lane_that_is_off_is_enough(claim, odd):
    off_by_one_lane(STUDY, claim, GOOD, odd, LIKE)


def test_smoke_scale_from_end_to_end(smoke, tmp_path):
    from_end_to_end(STUDY, smoke(STUDY)[1], tmp_path)
