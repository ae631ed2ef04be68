"""From intervals to verdicts, with the numbers that trip such code: unknown ones, infinite ends, exact thresholds."""

import math

import polars as pl
import pytest

from glassware.foundation.statistics import Estimate, wilson
from glassware.studies.claim import Claim, judge
from glassware.studies.verdict import (
    NOT_ENOUGH,
    Finding,
    above,
    all_of,
    all_within,
    at_least,
    at_most,
    below,
    between,
    coin,
    counted,
)

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("threshold", "low", "high", "verdict"),
    [
        (at_least(0.5), 0.5, 0.9, "holds"),
        (at_least(0.5), 0.49, 0.9, "too close to call"),
        (at_least(0.5), 0.1, 0.5, "too close to call"),
        (at_least(0.5), 0.1, 0.49, "fails"),
        (above(0.5), 0.51, 0.9, "holds"),
        (above(0.5), 0.5, 0.9, "too close to call"),
        (above(0.5), 0.1, 0.5, "fails"),
        (at_most(0.5), 0.1, 0.5, "holds"),
        (at_most(0.5), 0.5, 0.6, "too close to call"),
        (at_most(0.5), 0.51, 0.6, "fails"),
        (below(0.5), 0.1, 0.49, "holds"),
        (below(0.5), 0.1, 0.5, "too close to call"),
        (below(0.5), 0.5, 0.9, "fails"),
        (between(0.4, 0.6), 0.4, 0.6, "holds"),
        (between(0.4, 0.6), 0.3, 0.5, "too close to call"),
        (between(0.4, 0.6), 0.3, 0.7, "too close to call"),
        (between(0.4, 0.6), 0.61, 0.7, "fails"),
        (between(0.4, 0.6), 0.1, 0.39, "fails"),
    ],
)
def test_the_whole_interval_decides(threshold, low, high, verdict):
    assert threshold.verdict(Estimate((low + high) / 2, low, high)) == verdict


@pytest.mark.parametrize(
    ("threshold", "value", "verdict"),
    [
        (at_least(2), 2, "holds"),
        (above(2), 2, "fails"),
        (at_most(2), 2, "holds"),
        (below(2), 2, "fails"),
        (at_most(1e-12), 0.0, "holds"),
        (at_most(1e-12), INF, "fails"),
    ],
)
def test_an_exact_number_is_never_too_close(threshold, value, verdict):
    assert threshold.verdict(Estimate.exact(value)) == verdict


@pytest.mark.parametrize("measured", [Estimate(NAN), Estimate(NAN, 0.0, 1.0), Estimate(0.9), Estimate(0.9, NAN, NAN)])
@pytest.mark.parametrize("threshold", [at_least(0.5), at_most(0.5), above(0.5), below(0.5), between(0, 1)])
def test_an_unknown_number_or_interval_judges_nothing(threshold, measured):
    assert threshold.verdict(measured) == "not enough runs"


def test_an_interval_with_one_unknown_end_is_unknown():
    assert at_least(0.5).verdict(Estimate(0.9, 0.8, NAN)) == "not enough runs"
    assert at_most(0.5).verdict(Estimate(0.9, NAN, 1.0)) == "not enough runs"


@pytest.mark.parametrize(
    ("threshold", "measured", "verdict"),
    [
        (at_least(2), Estimate(4.0, 3.0, INF), "holds"),  # some of its resamples never succeeded
        (at_least(2), Estimate(4.0, 1.0, INF), "too close to call"),
        (at_most(2), Estimate(4.0, 3.0, INF), "fails"),
        (at_most(2), Estimate(4.0, 1.0, INF), "too close to call"),
        (at_most(2), Estimate(INF, 3.0, INF), "fails"),
        (at_most(2), Estimate(INF, INF, INF), "fails"),
        (at_least(2), Estimate(INF, INF, INF), "holds"),
        (below(2), Estimate(1.0, -INF, 1.5), "holds"),
        (between(1, 3), Estimate(2.0, 1.5, INF), "too close to call"),
        (between(1, 3), Estimate(4.0, 3.5, INF), "fails"),
    ],
)
def test_an_open_end_counts_as_far_as_it_goes(threshold, measured, verdict):
    assert threshold.verdict(measured) == verdict


def test_infinity_meets_a_strict_threshold_on_the_other_side():
    assert above(2).verdict(Estimate(INF, INF, INF)) == "holds"
    assert above(2).verdict(Estimate(4.0, 3.0, INF)) == "holds"
    assert below(2).verdict(Estimate(0.0, -INF, 1.0)) == "holds"


def test_rounding_does_not_move_a_number_across_its_threshold():
    assert at_most(0.3).verdict(Estimate.exact(0.1 + 0.2)) == "holds"
    assert at_least(0.3).verdict(Estimate.exact(0.7 - 0.4)) == "holds"
    assert at_most(1e-12).verdict(Estimate.exact(2e-12)) == "fails"


def test_a_threshold_that_nothing_meets_is_refused():
    with pytest.raises(ValueError, match="nothing meets"):
        between(0.6, 0.4)
    with pytest.raises(ValueError, match="nothing meets"):
        at_least(NAN)


def test_an_interval_upside_down_is_refused():
    with pytest.raises(ValueError, match="upside down"):
        at_least(0.5).verdict(Estimate(0.6, 0.7, 0.2))


def test_counts_are_judged_by_themselves_and_show_a_coins_chance():
    assert counted(9, 10, 9).verdict == "holds"
    assert counted(8, 10, 9).verdict == "fails"
    assert counted(8, 8, 9).verdict == "not enough runs"
    assert counted(9, 10, 9).measured == wilson(9, 10)
    assert "probability 0.011" in counted(9, 10, 9, "of ten").detail
    assert coin(10, 9) == pytest.approx(11 / 1024)
    assert coin(3, 2) == 0.5


def test_all_conditions_must_hold_and_the_worst_is_shown():
    holds, fails = Finding(Estimate(0.9, 0.8, 1.0), at_least(0.5)), Finding(Estimate(0.2, 0.1, 0.3), at_least(0.5))
    close = Finding(Estimate(0.5, 0.4, 0.6), at_least(0.5), detail="close")
    assert all_of([holds, holds]).verdict == "holds"
    assert all_of([holds, close]).verdict == "too close to call"
    assert all_of([holds, close]).measured == close.measured
    assert all_of([close, NOT_ENOUGH]).verdict == "not enough runs"
    assert all_of([close, NOT_ENOUGH, fails]).verdict == "fails"
    assert all_of([holds, close]).detail == "close"
    assert all_of([holds, close], "both").detail == "both"
    assert all_of([]).verdict == "not enough runs"


def test_a_finding_shows_its_number_and_interval():
    assert Finding(Estimate(0.5, 0.4, 0.6), at_least(0.5), "points").text() == "50% [40%, 60%]"
    assert Finding(Estimate(0.004, 0.0038, 0.0047), at_most(0.05), "points").text() == "0.40% [0.38%, 0.47%]"
    assert Finding(Estimate(4.0, 3.0, INF), at_least(2), "times").text() == "4× [3×, ∞]"
    assert Finding(Estimate(INF, 3.0, INF), at_least(2)).text() == "∞ [3, ∞]"
    assert Finding(Estimate.exact(0.25), at_least(0.1)).text() == "0.25"
    assert Finding(Estimate(0.25), at_least(0.1)).text() == "0.25"
    assert NOT_ENOUGH.text() == "–"


def test_a_claim_is_judged_at_its_scales_and_on_rows_alone():
    claim = Claim("c", "s", "w", "≥ 1/2", lambda rows: Finding(Estimate(0.9, 0.8, INF), at_least(0.5)), ("laptop",))
    rows = pl.DataFrame({"success": [True]})
    judged = judge("a/b", claim, "laptop", rows)
    assert (judged.verdict, judged.value, judged.low, judged.high) == ("holds", 0.9, 0.8, None)  # JSON has no infinity
    assert judge("a/b", claim, "laptop", pl.DataFrame()).verdict == "not enough runs"
    assert judge("a/b", claim, "paper", rows).verdict == "not judged at this scale"


def test_rows_that_lack_what_a_check_measures_are_not_enough_and_say_why():
    rows = pl.DataFrame({"gap": [None, None]}, schema={"gap": pl.Float64})
    lacking = Claim("c", "s", "w", "≤ 1", lambda rows: Finding(Estimate.exact(max(rows["gap"])), at_most(1)))
    judged = judge("a/b", lacking, "laptop", rows)
    assert (judged.verdict, judged.value) == ("not enough runs", None)
    assert "cannot be measured on these rows (TypeError" in judged.detail
    misspelt = Claim("c", "s", "w", "≤ 1", lambda rows: Finding(Estimate.exact(rows["gpa"][0]), at_most(1)))
    assert judge("a/b", misspelt, "laptop", rows).verdict == "error"
    assert judge("a/b", lacking, "laptop", rows, own=True).verdict == "error"


@pytest.mark.parametrize(
    ("distances", "verdict"),
    [
        ([0.0, 1e-13], "holds"),
        ([0.0, -1e-11], "fails"),
        ([0.0, NAN], "not enough runs"),
        ([0.0, None], "not enough runs"),
        ([], "not enough runs"),
    ],
)
def test_an_exact_statement_needs_every_case(distances, verdict):
    assert all_within(distances, 1e-12).verdict == verdict
