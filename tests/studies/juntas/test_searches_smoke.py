"""Studies that search for a sample size, at smoke scale from end to end."""

import pytest

from glassware.studies import SCALES, claims, figures, results
from glassware.studies.juntas import architectures, controls, long_contexts, other_functions, sample_complexity

STUDIES = [module.STUDY for module in (sample_complexity, controls, long_contexts, other_functions, architectures)]


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_smoke_scale_from_end_to_end(study, smoke, tmp_path):
    store, rows = smoke(study)
    assert results(study, "smoke", store).equals(rows, null_equal=True)
    assert {judgement.verdict for judgement in claims(study, "smoke", rows)} == {"not judged at this scale"}
    assert {path.stem for path in figures(study, "smoke", rows, tmp_path)} == set(study.figures)
    for claim in study.claims:
        claim.check(rows).text()
        claim.check(rows.clear()).text()
        assert all((claim.threshold, claim.where, claim.check.__doc__))
    assert all(scale in study.about for scale in (*SCALES, "silent"))
