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
    ("claim", "bad", "verdicts"),
    [
        ("grows", NEVER_UP, {20: "holds", 18: "too close to call", 10: "fails", 0: "fails"}),
        ("grows-steadily", LATE, {18: "holds", 13: "too close to call", 5: "fails", 0: "fails"}),
    ],
)
def test_the_share_of_trials_that_is_needed_in_every_task(claim, bad, verdicts):
    same = (0.1, 0.1, 0.1, 0.2)  # no more than at the start: not grown
    others = [trial(task, GOOD) for task in TASKS[1:] for _ in range(20)]
    for good, verdict in verdicts.items():
        for gaps in (bad, same):
            some = [trial(TASKS[0], GOOD)] * good + [trial(TASKS[0], gaps)] * (20 - good)
            finding = check(STUDY, claim, pl.DataFrame(some + others))
            assert finding.verdict == verdict
            assert finding.measured.value == good / 20


def test_trials_that_never_learn_do_not_count():
    failed = pl.DataFrame([trial((15, 3), NEVER_UP, success=False)] * 9)
    assert check(STUDY, "grows", pl.concat([made(*[GOOD] * 20), failed])).verdict == "holds"
    assert check(STUDY, "grows", failed).verdict == "not enough runs"
    assert check(STUDY, "grows", made(GOOD).drop("curve_gap")).verdict == "not enough runs"


def test_growth():
    assert growth(trial((15, 3), GOOD)) == pytest.approx((3.0, 2.0))
    assert all(math.isnan(v) for v in growth(trial((15, 3), GOOD, errors=(0.5, 0.5, 0.5, 0.5))))


def test_grids():
    assert len(STUDY.runs("laptop")) == 400
    assert len(STUDY.runs("paper")) == 400
    assert min(run.seed for run in STUDY.runs("laptop")) == 100
    assert len(STUDY.runs("smoke", 2)) == 2


def test_smoke(tmp_path):
    report = gw.reproduce(STUDY, "smoke", store=tmp_path / "store", figures=tmp_path)
    assert len(report.frame) == 4
    assert (report.frame["curve_gap"].list.first() > 0).all()  # it cannot be otherwise, so it is no claim
    assert len(report.figures) == 4
