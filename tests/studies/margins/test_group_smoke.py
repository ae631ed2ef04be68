"""Studies of networks trained on groups at smoke scale, from end to end."""

import pytest

from glassware.studies import SCALES, claims, figures
from glassware.studies.margins import any_group, memorising_start, regularisation, s5, symmetric_groups
from glassware.sweeps import run_id

STUDIES = [module.STUDY for module in (symmetric_groups, s5, regularisation, memorising_start, any_group)]


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_smoke_scale_from_end_to_end(study, smoke, tmp_path):
    _, rows = smoke(study)
    assert {run_id(run) for run in study.runs("smoke")} == set(rows["id"])
    assert {judgement.verdict for judgement in claims(study, "smoke", rows)} == {"not judged at this scale"}
    for claim in study.claims:
        assert claim.measure(rows).verdict == "not enough runs"  # other groups, few lanes
        assert all((claim.threshold, claim.where, claim.check.__doc__))
    paths = figures(study, "smoke", rows, tmp_path)
    assert {path.stem for path in paths} == set(study.figures)
    assert all(path.stat().st_size > 3000 for path in paths)
    assert all(scale in study.about for scale in SCALES)
    assert "silent" in study.about


SIZES = [(21, 64), (3, 5), (25, 60), (11, 41), (18, 60)]  # laptop, paper


@pytest.mark.parametrize(("study", "sizes"), [*zip(STUDIES, SIZES, strict=True)])
def test_lanes(study, sizes):
    assert (study.size("laptop"), study.size("paper")) == sizes
