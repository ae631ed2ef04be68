"""What both sides pay as k grows: claims on rows we choose."""

import polars as pl
import pytest

from glassware.foundation import statistics
from glassware.studies.leaky.separation import FEATURES, NETWORK, STUDY, by_method, threshold
from tests.studies.judged import verdict
from tests.studies.leaky.made import solved


@pytest.fixture(autouse=True)
def _resamples(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 100)


def sized(method, k, *pairs, width=0.002, leaking=1.0):
    """Three runs per size around these mean accuracies."""
    named = {NETWORK: ("mirrored", "half", None), FEATURES: ("random-features", "count", "relu")}
    network, column, function = named[method]
    sizes = {"half": None, "count": None}
    return [
        solved(u + d * width, leaking, model="readout", network=network, function=function, n=31, k=k, m=1,
               **{**sizes, column: size})
        for size, u in pairs
        for d in (-1, 0, 1)
    ]  # fmt: skip


LEARNED = [*sized(NETWORK, 3, (50, 0.99), (200, 0.99)), *sized(NETWORK, 5, (50, 0.5), (200, 0.99))]


@pytest.mark.parametrize(
    ("level", "width", "expected"),
    [(0.99, 0.005, "holds"), (0.955, 0.02, "too close to call"), (0.9, 0.005, "fails"), (0.5, 0.01, "fails")],
)
@pytest.mark.parametrize("k", [3, 5])
def test_the_network_of_both_k(k, level, width, expected):
    rows = [row for row in LEARNED if (row["k"], row["half"]) != (k, 200)]
    assert verdict(STUDY, "network", [*rows, *sized(NETWORK, k, (200, level), width=width)]) == expected
    assert verdict(STUDY, "network", rows) == "not enough runs"


@pytest.mark.parametrize(
    ("level", "width", "leaking", "expected"),
    [(0.5, 0.01, 0.98, "holds"), (0.74, 0.03, 1.0, "too close to call"), (0.9, 0.01, 1.0, "fails"),
     (0.5, 0.01, 0.5, "fails")],
)  # fmt: skip
def test_the_most_features(level, width, leaking, expected):
    rows = sized(FEATURES, 5, (100, 1.0), (3000, level), width=width, leaking=leaking)
    assert verdict(STUDY, "features", [*rows, *LEARNED]) == expected
    assert verdict(STUDY, "features", rows) == "not enough runs"
    assert verdict(STUDY, "features", [*rows, *sized(NETWORK, 5, (200, 0.5))]) == "fails"


def test_the_threshold_is_the_smallest_size_that_learns():
    rows = by_method(pl.DataFrame(sized(NETWORK, 3, (10, 0.9), (20, 0.96), (50, 0.9))))
    assert threshold(rows, NETWORK, 3) == 20
    assert threshold(rows, NETWORK, 5) == float("inf")


def test_how_thresholds_grow():
    for size, expected in ((4000, "holds"), (900, "fails")):
        sizes = {3: 100, 5: 800, 7: size}
        rows = [row for k, s in sizes.items() for row in sized(FEATURES, k, (10, 0.5), (s, 1.0))]
        assert verdict(STUDY, "features-grow", rows) == expected
        assert verdict(STUDY, "features-grow", rows[:6]) == "not enough runs"
    unsure = [*sized(FEATURES, 3, (100, 1.0)), *sized(FEATURES, 5, (200, 0.95), (800, 1.0), width=0.03)]
    assert verdict(STUDY, "features-grow", unsure) == "too close to call"
    for last, expected in ((40, "holds"), (200, "fails")):
        rows = [*sized(NETWORK, 3, (10, 1.0)), *sized(NETWORK, 9, (20, 0.5), (last, 1.0))]
        assert verdict(STUDY, "network-grows", rows) == expected
        assert verdict(STUDY, "network-grows", rows[:3]) == "not enough runs"
