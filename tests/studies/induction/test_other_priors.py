"""Losses on other priors: each claim on rows that know frequencies first, and with one lane off."""

import pytest

from glassware.studies import claims, figures
from glassware.studies.induction.other_priors import MINIMAL, STUDY
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
    _, trained = smoke(STUDY)
    assert {j.verdict for j in claims(STUDY, "smoke", trained)} == {"not judged at this scale"}
    paths = figures(STUDY, "smoke", trained, tmp_path)
    assert {path.stem for path in paths} == set(STUDY.figures)
    for claim in STUDY.claims:
        assert claim.check(trained).verdict == claim.check(trained.clear()).verdict == "not enough runs"
        assert claim.check.__doc__
    assert all(word in STUDY.about for word in ("smoke", "laptop", "paper", "silent"))
