import math

import polars as pl
import pytest

import glassware as gw
from glassware.studies.hidden_progress.gap_along_sgd import STUDY, TASKS, growth
from tests.studies.made import check


def trial(task, gaps, success=True, errors=(0.5, 0.49, 0.45, 0.0)):
    n, k = task
    steps = [0, 100, 200, 300]
    return {
        "n": n,
        "k": k,
        "success": success,
        "curve_step": steps,
        "curve_gap": list(gaps),
        "curve_test_error": errors,
    }


GOOD, LATE, NEVER_UP = (0.1, 0.2, 0.3, 0.2), (0.1, 0.05, 0.3, 0.2), (0.1, 0.05, 0.05, 0.2)


def made(*trials):
    """These trials in every task."""
    return pl.DataFrame([trial(task, gaps) for task in TASKS for gaps in trials])


@pytest.mark.parametrize(
    ("claim", "frame", "holds"),
    [
        ("starts-positive", made(GOOD, LATE), True),
        ("starts-positive", made(GOOD, (-0.01, 1, 1, 1)), False),
        ("grows", made(GOOD, GOOD, GOOD, LATE, NEVER_UP), True),
        ("grows", made(GOOD, LATE, NEVER_UP), False),
        ("grows-steadily", made(GOOD, GOOD, LATE), True),
        ("grows-steadily", made(GOOD, LATE), False),
    ],
)
def test_claims(claim, frame, holds):
    assert check(STUDY, claim, frame).holds is holds


def test_one_task_can_fail_a_claim():
    frame = pl.concat([made(GOOD), pl.DataFrame([trial((15, 3), NEVER_UP)] * 3)])
    assert check(STUDY, "grows", frame).holds is False


@pytest.mark.parametrize(("claim", "bad", "least"), [("grows", NEVER_UP, 16), ("grows-steadily", LATE, 11)])
def test_the_share_of_trials_that_is_needed(claim, bad, least):
    same = (0.1, 0.1, 0.1, 0.2)  # no more than at the start: not grown
    for count, held in ((least, True), (least - 1, False)):
        for gaps in (bad, same):
            some = [trial((15, 3), GOOD)] * (count - 1) + [trial((15, 3), gaps)] * (20 - count)
            finding = check(STUDY, claim, pl.concat([made(GOOD), pl.DataFrame(some)]))
            assert finding.holds is held
            assert finding.measured.value == count / 20


def test_no_gap_at_all_is_not_a_positive_one():
    assert check(STUDY, "starts-positive", made(GOOD, (0.0, 1, 1, 1))).holds is False
    assert check(STUDY, "starts-positive", made(GOOD, (1e-9, 1, 1, 1))).holds


def test_trials_that_never_learn_do_not_count():
    failed = pl.DataFrame([trial((15, 3), NEVER_UP, success=False)] * 9)
    assert check(STUDY, "grows", pl.concat([made(GOOD), failed])).holds is True
    assert check(STUDY, "grows", failed).holds is None
    assert check(STUDY, "starts-positive", made(GOOD).drop("curve_gap")).holds is None


def test_growth():
    assert growth(trial((15, 3), GOOD)) == pytest.approx((3.0, 2.0))
    assert all(math.isnan(v) for v in growth(trial((15, 3), GOOD, errors=(0.5, 0.5, 0.5, 0.5))))


def test_grids():
    assert len(STUDY.runs("laptop")) == 80
    assert len(STUDY.runs("paper")) == 400
    assert min(run.seed for run in STUDY.runs("laptop")) == 100
    assert len(STUDY.runs("smoke", 2)) == 2


def test_smoke(tmp_path):
    report = gw.reproduce(STUDY, "smoke", store=tmp_path / "store", figures=tmp_path)
    assert len(report.frame) == 4
    assert check(STUDY, "starts-positive", report.frame).holds is not None
    assert len(report.figures) == 4
