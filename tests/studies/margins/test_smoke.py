"""Studies of feature emergence that train and compute nothing else, at smoke scale from end to end."""

import pytest

from glassware.studies import SCALES, claims, figures, train
from glassware.studies.margins import STUDIES
from glassware.sweeps import Store

TRAINED = [study for study in STUDIES if study.compute is None]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """One for all: studies that share runs train them once."""
    return Store(tmp_path_factory.mktemp("store"))


@pytest.mark.parametrize("study", TRAINED, ids=lambda study: study.name)
def test_smoke_scale_from_end_to_end(study, store, tmp_path):
    rows = train(study, "smoke", store)
    assert {j.verdict for j in claims(study, "smoke", rows)} <= {"holds", "not judged at this scale"}
    paths = figures(study, "smoke", rows, tmp_path)
    assert paths
    assert all(path.stat().st_size > 3000 for path in paths)
    for made in (rows, rows.clear()):
        for claim in study.claims:
            assert claim.check(made).verdict == "not enough runs" or "smoke" in claim.scales
            assert all((claim.threshold, claim.where, claim.check.__doc__))
    assert len({claim.id for claim in study.claims}) == len(study.claims)
    assert all(scale in study.about for scale in SCALES)
    assert "silent" in study.about
