import pytest

from glassware.foundation.errors import GlasswareError
from tests.helpers import tiny


def test_one_probe_or_step_needs_no_list():
    """As ``--set keep=final`` gives it: the command line has no lists."""
    assert tiny(keep="final").keep == tiny(keep=("final",)).keep == ("final",)
    assert tiny(keep=60).keep == (60,)
    assert tiny(probes="movement").probes == ("movement",)


@pytest.mark.parametrize("given", [True, 1.5, "never"])
def test_what_is_no_step_is_refused(given):
    with pytest.raises(GlasswareError, match="keep"):
        tiny(keep=given)
