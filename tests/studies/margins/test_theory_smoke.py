"""Studies that execute the theory, at smoke scale from end to end."""

import pytest

from glassware.studies.margins import beyond_the_theorem, constructions
from tests.studies.made import computed_from_end_to_end


@pytest.mark.parametrize("module", [constructions, beyond_the_theorem], ids=lambda module: module.STUDY.name)
def test_smoke_scale_from_end_to_end(module, smoke, tmp_path):
    computed_from_end_to_end(module.STUDY, smoke(module.STUDY)[1], tmp_path)
