"""One truncated step from under-sparse weights: claims on rows we choose."""

import math

import polars as pl
import pytest

from glassware.foundation import statistics
from glassware.studies.theory.under_sparse import STUDY
from tests.studies.judged import spread, verdict


@pytest.fixture(autouse=True)
def _resamples(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 100)


def test_corrected_forms_hold_and_printed_ones_fail_in_every_case(smoke):
    _, rows = smoke(STUDY)
    assert verdict(STUDY, "closed-forms", rows) == "holds"
    assert verdict(STUDY, "closed-forms", rows.with_columns(pl.col("gap") + 1e-11)) == "fails"
    for claim in ("printed-ratio", "printed-weights"):
        assert verdict(STUDY, claim, rows) == "fails"
        assert verdict(STUDY, claim, rows.with_columns(gap=0.0)) == "holds"
    assert rows.filter(part="exact", form="printed")["gap"].min() > 0.05


def needed(power, noise=0.02, levels=(1.0, 1.0, 1.0)):
    """Three repeats per n of (n - 2)^power examples; the law's constant has these levels."""
    return [
        {"part": "m50", "n": n, "k": 4, "s": 2, "m50": 100 * (n - 2) ** power * math.exp(d * noise),
         "signal": math.sqrt(level * math.log(n) / (n - 2) ** power)}
        for n, level in zip((15, 31, 61), levels, strict=True)
        for d in (-1, 0, 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("power", "noise", "expected"),
    [(1.3, 0.1, "holds"), (1.75, 0.5, "too close to call"), (2.5, 0.1, "fails"), (0.0, 0.1, "fails")],
)
def test_the_exponent_of_the_examples(power, noise, expected):
    rows = needed(power, noise)
    assert verdict(STUDY, "slope", [*rows, *({**row, "k": 6, "m50": 1e9} for row in rows)]) == expected
    assert verdict(STUDY, "slope", rows[:6]) == "not enough runs"


@pytest.mark.parametrize(
    ("levels", "noise", "expected"),
    [((1.0, 1.2, 1.4), 0.02, "holds"), ((1.0, 1.0, 3.0), 0.3, "too close to call"), ((1.0, 2.0, 5.0), 0.02, "fails")],
)
def test_the_constant_of_the_law(levels, noise, expected):
    assert verdict(STUDY, "constant", needed(1.3, noise, levels)) == expected


@pytest.mark.parametrize(("claim", "form"), [("subnetwork", "corrected"), ("printed-cutoff", "printed")])
@pytest.mark.parametrize(
    ("level", "expected"), [(0.998, "holds"), (0.99, "too close to call"), (0.8, "fails"), (0.5, "fails")]
)
def test_accuracy_with_the_most_examples(claim, form, level, expected):
    at = lambda m: lambda accuracy: [{"part": "accuracy", "form": form, "m": m, "accuracy": accuracy}]
    assert verdict(STUDY, claim, [*spread(at(100), level), *spread(at(10), 0.6)]) == expected
