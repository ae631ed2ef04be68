"""How much leak is needed: claims on rows we choose."""

import pytest

from glassware.foundation import statistics
from glassware.studies.leaky.leak_needed import STUDY
from tests.studies.judged import verdict
from tests.studies.leaky.made import solved

MEANS = {0.0: 0.5, 0.05: 0.7, 0.1: 0.9, 0.25: 0.998, 0.5: 0.998, 0.75: 0.998, 0.95: 0.8}


def leaks(share, level, width=0.001):
    """Three runs per share; those of one share lie around this level."""
    return [
        solved((level if p == share else mean) + d * (width if p == share else 0.001), leak=p, m=1000)
        for p, mean in MEANS.items()
        for d in (-1, 0, 1)
    ]


@pytest.mark.parametrize(
    ("claim", "share", "level", "width", "expected"),
    [
        ("no-leak", 0.0, 0.5, 0.001, "holds"),
        ("no-leak", 0.0, 0.54, 0.02, "too close to call"),
        ("no-leak", 0.0, 0.7, 0.001, "fails"),
        ("no-leak", 0.5, 0.5, 0.001, "fails"),  # guessing everywhere
        ("enough", 0.25, 0.998, 0.001, "holds"),
        ("enough", 0.25, 0.98, 0.01, "too close to call"),
        ("enough", 0.75, 0.9, 0.01, "fails"),
        ("little", 0.1, 0.9, 0.01, "holds"),
        ("little", 0.1, 0.71, 0.02, "too close to call"),
        ("little", 0.1, 0.6, 0.01, "fails"),
        ("too-much", 0.95, 0.7, 0.01, "holds"),
        ("too-much", 0.95, 0.89, 0.05, "too close to call"),
        ("too-much", 0.95, 0.97, 0.01, "fails"),
        ("too-much", 0.5, 0.8, 0.001, "fails"),  # the fair mixture is no better
    ],
)
def test_levels_of_leak(claim, share, level, width, expected):
    rows = leaks(share, level, width)
    assert verdict(STUDY, claim, rows) == expected
    assert verdict(STUDY, claim, [row for row in rows if row["leak"] != share]) == "not enough runs"


@pytest.mark.parametrize(
    ("power", "noise", "expected"),
    [(-0.5, 0.001, "holds"), (-0.68, 0.045, "too close to call"), (-0.1, 0.001, "fails"), (0.5, 0.001, "fails")],
)
def test_the_threshold_share_falls_as_a_power(power, noise, expected, monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)
    edges = [(m, 0.1 * (m / 10_000) ** power) for m in (10_000, 100_000, 1_000_000)]
    rows = [
        solved(u + d * noise, leak=p, m=m)
        for m, at in edges
        for p, u in ((at / 4, 0.9), (at * 4, 1.0))
        for d in (-1, 0, 1)
    ]
    assert verdict(STUDY, "threshold", rows) == expected
    assert verdict(STUDY, "threshold", [row for row in rows if row["m"] > 10_000]) == "not enough runs"
