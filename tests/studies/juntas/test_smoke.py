"""Studies of juntas that train, at smoke scale from end to end."""

import pytest

from glassware.studies import SCALES, figures, train
from glassware.studies.juntas import attention, online_parity, repeats, validation_curves
from glassware.sweeps import Store

STUDIES = [module.STUDY for module in (validation_curves, repeats, attention, online_parity)]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("store"))


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_smoke_scale_from_end_to_end(study, store, tmp_path):
    rows = train(study, "smoke", store)
    assert rows["rejected"].min() >= 0
    paths = figures(study, "smoke", rows, tmp_path)
    assert {path.stem for path in paths} == set(study.figures)
    for made in (rows, rows.clear()):
        assert {claim.check(made).verdict for claim in study.claims} == {"not enough runs"}
    assert all(claim.threshold and claim.where and claim.check.__doc__ for claim in study.claims)
    assert all(scale in study.about for scale in SCALES)
    assert "silent" in study.about
