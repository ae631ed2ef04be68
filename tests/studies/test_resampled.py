"""Intervals of statistics of whole tables."""

import math

import numpy as np
import polars as pl
import pytest

from glassware.foundation import statistics
from glassware.foundation.statistics import power_law_exponent
from glassware.studies.resampled import resampled


@pytest.fixture(autouse=True)
def _enough_resamples(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)


def slope(frame):
    return power_law_exponent(frame["n"].to_numpy(), frame["m"].to_numpy())


def noisy(spread, runs=10):
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        [{"n": n, "m": n**2 * math.exp(spread * rng.standard_normal())} for n in (10, 20, 40) for _ in range(runs)]
    )


def test_the_interval_surrounds_the_value_and_grows_with_the_noise():
    widths = []
    for spread in (0.05, 0.5):
        value, low, high = resampled(noisy(spread), ["n"], slope)
        assert low < value < high
        assert low < 2 < high
        widths.append(high - low)
    assert 5 < widths[1] / widths[0] < 20


def test_rows_are_drawn_within_their_cell():
    """Every resample has as many rows of every n: their mean never changes."""
    assert resampled(noisy(0.5), ["n"], lambda frame: float(frame["n"].mean())) == pytest.approx((70 / 3,) * 3)


def test_what_the_rows_do_not_determine_is_unknown():
    assert math.isnan(resampled(noisy(0.5), ["n"], lambda frame: None).value)
    alone = resampled(noisy(0.5, runs=1), ["n"], slope)  # one run per cell says nothing of its noise
    assert math.isfinite(alone.value)
    assert math.isnan(alone.low)
    answers = iter([1.0] + [None, 1.0] * 100)
    assert math.isnan(resampled(noisy(0.5), ["n"], lambda frame: next(answers)).low)
