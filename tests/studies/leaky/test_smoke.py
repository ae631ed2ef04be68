"""Studies of leaky parities at smoke scale, from end to end."""

import pytest

from glassware.studies import train
from glassware.studies.leaky import STUDIES, lemmas
from tests.studies.made import computed_from_end_to_end


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_smoke_scale_from_end_to_end(study, smoke, tmp_path):
    computed_from_end_to_end(study, smoke(study)[1], tmp_path)


def test_computed_rows_are_the_same_again(smoke):
    study = lemmas.STUDY
    store, rows = smoke(study)
    assert train(study, "smoke", None).equals(rows)
    assert train(study, "smoke", store).equals(rows)
