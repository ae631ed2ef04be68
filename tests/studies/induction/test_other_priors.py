"""Losses on other priors: each claim on rows that know frequencies first, and with one lane off."""

import pytest

from glassware.studies.induction.other_priors import MINIMAL, STUDY
from tests.studies.induction.made import from_end_to_end
from tests.studies.induction.transformers import lane, rows
from tests.studies.judged import verdict

STOCHASTIC = "curve_truth_distance_doubly_stochastic"
OFF = [
    ("plateau", {"places": {"truth_distance_unigram": {2: 0.1}}}),
    ("plateau", {STOCHASTIC: [0.1] * 20}),
    ("end", {STOCHASTIC: [0.25] * 20}),
]


def both(*odd):
    """Transformers, and minimal models that show the same."""
    return rows(*odd).vstack(rows(*odd).filter(states=3).with_columns(model=rows(*odd)["model"][:4].replace(
        "causal-transformer", MINIMAL)))  # fmt: skip


@pytest.mark.parametrize(("part", "odd"), OFF)
@pytest.mark.parametrize("model", ["", "minimal-"])
def test_one_lane_that_is_off_is_enough(part, odd, model):
    claim = f"fe6-{model}{part}"
    assert verdict(STUDY, claim, both()) == "holds"
    assert verdict(STUDY, claim, both(lane(3, **odd))) == "fails"
    assert verdict(STUDY, claim, both().head(3)) == "not enough runs"


def test_smoke_scale_from_end_to_end(smoke, tmp_path):
    from_end_to_end(STUDY, smoke(STUDY)[1], tmp_path)
