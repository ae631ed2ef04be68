import pytest

from glassware.foundation.quantities import about, clock_text, runs_text, short


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "1 s"), (39.2, "40 s"), (90, "90 s"), (91, "2 min"), (5400, "90 min"), (5401, "2 h"), (10**6, "12 days")],
)
def test_about(seconds, text):
    assert about(seconds) == text


def test_clock_text():
    assert [clock_text(s) for s in (0, 59.6, 61, 3600, 100_000)] == ["0:00", "1:00", "1:01", "1:00:00", "27:46:40"]


def test_short():
    numbers = (0, 999, 1000, 12_345, 999_949, 999_950, 2_700_000, 19_440_000_000)
    assert [short(n) for n in numbers] == ["0", "999", "1k", "12.3k", "1M", "1M", "2.7M", "19.4G"]


def test_runs_text():
    assert [runs_text(count) for count in (0, 1, 2020)] == ["0 runs", "1 run", "2,020 runs"]
