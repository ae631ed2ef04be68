"""The theory of Pareto Frontiers at smoke scale, from end to end."""

import pytest

from glassware.studies.theory import STUDIES
from tests.studies.made import computed_from_end_to_end


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_smoke_scale_from_end_to_end(study, smoke, tmp_path):
    computed_from_end_to_end(study, smoke(study)[1], tmp_path)
