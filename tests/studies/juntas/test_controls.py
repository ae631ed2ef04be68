"""Controls of the growth law: claims on rows we choose."""

import math

import polars as pl
import pytest
from scipy.special import expit

from glassware.studies.juntas.controls import LENGTHS, STUDY
from tests.studies.judged import verdict


def rows(method, needed, lengths=LENGTHS, others=1.0):
    """Six sample sizes around what each T needs for 80%."""
    return [
        {
            "method": method,
            "length": length,
            "m": round(m),
            "share": float(expit(math.log(m / needed(length)) / 0.15 + math.log(4))),
            "trials": 200,
            "others": others * 0.5,
            "others_error": 0.01,
            "others_expected": 0.5,
        }
        for length in lengths
        for m in (needed(length) * math.exp(0.15 * step) for step in (-2.7, -1.9, -1.1, -0.3, 0.5, 1.3))
    ]


LOG, LINEAR, BETWEEN = (lambda T: 11 + 4 * math.log(T)), (lambda T: 2 * T), (lambda T: 8 * T**0.25)


@pytest.mark.parametrize(("needed", "log", "linear"), [(LOG, "holds", "fails"), (LINEAR, "fails", "holds")])
def test_the_law_tells_log_from_linear(needed, log, linear):
    assert verdict(STUDY, "search-log", rows("search", needed)) == log
    assert verdict(STUDY, "ridge-linear", rows("ridge", needed, LENGTHS[:5])) == linear
    assert verdict(STUDY, "search-slope", rows("search", needed)) == log


def test_a_power_is_not_a_logarithm():
    assert verdict(STUDY, "search-zero", rows("search", BETWEEN)) == "fails"
    assert verdict(STUDY, "search-zero", rows("search", LOG)) == "holds"


def test_others_as_expected_and_samples_as_unique_as_they_must_be():
    found = rows("search", LOG)
    assert verdict(STUDY, "expected-others", found) == "holds"
    assert verdict(STUDY, "expected-others", rows("search", LOG, others=1.1)) == "fails"
    assert verdict(STUDY, "counting-bound", [{**row, "share": 0.5} for row in found]) == "holds"
    assert verdict(STUDY, "counting-bound", [{**row, "share": 0.3} for row in found]) == "fails"
    assert verdict(STUDY, "search-log", pl.DataFrame(found[:6])) == "not enough runs"
