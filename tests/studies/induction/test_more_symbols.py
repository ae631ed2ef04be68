"""More symbols: claims on lanes that show the phases, and with one lane off."""

import pytest

from glassware.studies.induction.more_symbols import STUDY
from tests.studies.induction.made import from_end_to_end, lane, off_by_one_lane
from tests.studies.judged import verdict

PHASES = ["uniform", "unigram", "unigram", *["bigram"] * 7]


def symbols(t=200, phases=PHASES, **changes):
    return lane(phases, **{"length": t, "states": 8, "final": 0.4, **changes})


GOOD, LIKE = [symbols()] * 3, ("length",)
OFF = [("fe4-phases", symbols(phases=["uniform", "bigram", "bigram"])), ("fe4-final", symbols(final=0.6))]


@pytest.mark.parametrize(("claim", "odd"), OFF, ids=[f"{claim}-{i}" for i, (claim, _) in enumerate(OFF)])
def test_one_lane_that_is_off_is_enough(claim, odd):
    off_by_one_lane(STUDY, claim, GOOD, odd, LIKE)


def test_a_plateau_before_the_drop():
    flat = symbols(100, final=1.0)
    level = flat["curve_truth_distance"][-1]
    falls = {**flat, "curve_truth_distance": [level] * 6 + [0.5 * level] * 4}
    assert verdict(STUDY, "fe4-plateau", [falls] * 3) == "holds"
    assert verdict(STUDY, "fe4-plateau", [falls, falls, flat]) == "fails"


def test_smoke_scale_from_end_to_end(smoke, tmp_path):
    from_end_to_end(STUDY, smoke(STUDY)[1], tmp_path)
