import math

from glassware.foundation.statistics import Estimate
from glassware.studies.hidden_progress.shared.findings import each, enough, every_run
from glassware.studies.verdict import above, at_most, below

HIGH, LOW, UNSURE, UNKNOWN = Estimate(3, 2, 4), Estimate(0.5, 0.2, 0.8), Estimate(1.2, 0.9, 1.5), Estimate(math.nan)


def test_each_number_is_judged_by_its_own_interval():
    assert each([HIGH, HIGH], above(1)).verdict == "holds"
    assert each([HIGH, UNSURE], above(1)).verdict == "too close to call"
    assert each([HIGH, UNSURE, UNKNOWN], above(1)).verdict == "not enough runs"
    assert each([UNKNOWN, UNSURE, LOW], above(1)).verdict == "fails"
    assert each([], above(1)).verdict == "not enough runs"


def test_the_number_shown_is_the_one_that_decides():
    assert each([HIGH, Estimate(2, 1.5, 2.5)], above(1)).measured.value == 2
    assert each([Estimate(1, 1, 1), Estimate(3, 3, 3), LOW], at_most(2)).measured.value == 3
    assert each([LOW, Estimate(0.1, 0.1, 0.1)], below(1)).measured.value == 0.5


def test_every_run_means_five_runs_or_more():
    assert every_run([True] * 4).verdict == "not enough runs"
    assert every_run([True] * 5).verdict == "holds"
    assert every_run([True] * 8 + [False]).verdict == "fails"


def test_a_sample_of_four_has_no_interval():
    assert enough([1.0] * 5, [2.0] * 9)
    assert not enough([1.0] * 5, [2.0] * 4)
