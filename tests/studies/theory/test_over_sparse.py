"""Over-sparse neurons, one step and a convex readout: the runs, and claims on rows we choose."""

import math

import polars as pl
import pytest

from glassware.foundation import statistics
from glassware.studies.theory.over_sparse import STUDY
from tests.studies.judged import spread, verdict


@pytest.fixture(autouse=True)
def _resamples(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)


def test_descents_go_on_from_first_steps(smoke):
    _, rows = smoke(STUDY)
    trained = rows.filter(pl.col("id").is_not_null()).sort("s", "schedule")
    assert trained["schedule"].to_list() == ["constant", "inverse"] * 2
    assert trained["start_run"].drop_nulls().to_list() == trained["id"].to_list()[::2]
    assert trained["support"].n_unique() == 2  # a descent is on the parity and the sample of its first step
    assert trained["solved_error"].max() < 0.1
    assert trained["test_error"].to_list()[1::2] == pytest.approx([0.05, 0.05], abs=0.05)


def test_readouts_and_gradients(smoke):
    _, rows = smoke(STUDY)
    assert verdict(STUDY, "readout", rows) == "holds"
    assert verdict(STUDY, "readout-printed", rows) == "fails"
    exact = rows.with_columns(residual=0.0, representable=True)
    assert verdict(STUDY, "readout-printed", exact) == "holds"
    for broken in ({"residual": 1e-3}, {"representable": False}):
        off = exact.with_columns(**{name: pl.when(pl.col("k") == 4).then(pl.lit(value)).otherwise(name)
                                    for name, value in broken.items()})  # fmt: skip
        assert verdict(STUDY, "readout", off) == "fails"
    assert verdict(STUDY, "gradients", rows) == "holds"
    assert verdict(STUDY, "gradients", rows.with_columns(pl.col("gap") + 1e-11)) == "fails"


def learned(s, error, m=3000, how="least-squares", width=0.002):
    """Runs as they are kept: first steps whose readout was solved, or descents from them."""
    names = ("solved_error", "test_error", "schedule")
    rows = lambda e: (0.9, e, "inverse") if how == "descent" else (e, 0.9, "constant")
    place = {"n": 61, "k": 2, "s": s, "width": 100, "m": m}
    return spread(lambda e: [{**place, **dict(zip(names, rows(e), strict=True))}], error, width)


@pytest.mark.parametrize(
    ("wide", "width", "expected"),
    [(0.02, 0.005, "holds"), (0.042, 0.02, "too close to call"), (0.1, 0.005, "fails")],
)
def test_width_buys_data(wide, width, expected):
    rows = [*learned(9, wide, width=width), *learned(41, 0.125)]
    others = [*learned(9, 0.5, 30_000), *learned(41, 0.01, how="descent")]
    assert verdict(STUDY, "trade-off", [*rows, *others]) == expected
    assert verdict(STUDY, "trade-off", rows[:5]) == "not enough runs"


def test_guessing_buys_nothing():
    assert verdict(STUDY, "trade-off", [*learned(9, 0.5), *learned(41, 0.5)]) == "fails"


BEFORE = learned(41, 0.2)  # the narrow network on fewer examples


@pytest.mark.parametrize(
    ("claim", "place", "limit"), [("more-data", {"m": 30_000}, 0.1), ("descent", {"how": "descent"}, 0.25)]
)
@pytest.mark.parametrize("s", [9, 41])
def test_both_networks_learn(claim, place, limit, s):
    other = learned(50 - s, 0.03, **place)
    for error, width, expected in (
        (limit - 0.05, 0.01, "holds"),
        (limit - 0.005, 0.03, "too close to call"),
        (0.5, 0.01, "fails"),
    ):
        rows = [*learned(s, error, width=width, **place), *other]
        assert verdict(STUDY, claim, [*rows, *learned(9, 0.9), *BEFORE]) == expected
    assert verdict(STUDY, claim, [*other, *BEFORE]) == "not enough runs"


@pytest.mark.parametrize(("before", "expected"), [(0.2, "holds"), (0.03, "too close to call"), (0.01, "fails")])
def test_the_narrow_network_needs_the_data(before, expected):
    rows = [*learned(9, 0.03, 30_000), *learned(41, 0.03, 30_000), *learned(9, 0.03)]
    assert verdict(STUDY, "more-data", [*rows, *learned(41, before)]) == expected
    assert verdict(STUDY, "more-data", rows) == "not enough runs"


@pytest.mark.parametrize(
    ("error", "width", "expected"),
    [(0.05, 0.01, "holds"), (0.1, 0.03, "too close to call"), (0.45, 0.03, "fails")],
)
def test_the_printed_offset(error, width, expected):
    offset = lambda size, k: lambda e: [{"part": "offset", "k": k, "offset": size, "error": e}]
    rows = [*spread(offset(1 / 16, 4), error, width), *spread(offset(1.0, 4), 0.5), *spread(offset(1 / 16, 2), 0.5)]
    assert verdict(STUDY, "offset-printed", rows) == expected


@pytest.mark.parametrize(
    ("off", "noise", "expected"),
    [(0.1, 0.02, "holds"), (0.45, 0.5, "too close to call"), (1.0, 0.02, "fails"), (-3.0, 0.02, "fails")],
)
def test_the_exponent_of_every_n_and_k(off, noise, expected):
    rows = [
        {"part": "samples", "n": n, "k": k, "s": s, "m": s**power * math.exp(d * noise)}
        for n, k, power in ((61, 2, 1.0), (61, 4, 3.0 + off))
        for s in (9, 15, 41)
        for d in (-1, 0, 1)
    ]
    assert verdict(STUDY, "samples-exponent", rows) == expected
