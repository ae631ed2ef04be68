import re

from glassware.sweeps import Store
from tests.calls import SWEEP, call, sentence


def test_a_search_and_what_it_prints(folder):
    (folder / "range.toml").write_text(SWEEP.replace('[30, "online"]', "[20, 200]"))
    result = call("threshold", "range.toml", "--precision", 3, "--budget", 20)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "1 of 1 searches over: m = " in result.stdout
    assert re.search(r"m at 80% +95% interval +trials +succeed +runs +state", result.stdout)
    assert re.search(r"\S+ to \S+ +20 +\d+ +20 +(found|budget spent|above the range)", result.stdout)
    assert len(Store("results/store").ids()) == 20


def test_a_range_that_is_none_is_refused_and_nothing_is_written(folder):
    (folder / "one.toml").write_text(SWEEP.replace('[30, "online"]', "[30]"))
    assert sentence(call("threshold", "one.toml")) == (
        "the axis 'm' needs a range: give its smallest and its largest value"
    )
    assert not (folder / "results").exists()
