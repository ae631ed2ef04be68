import polars as pl
import pytest

import glassware as gw
from glassware.foundation import statistics
from glassware.studies.hidden_progress.disjoint_sgd import STUDY, compute, with_sign
from tests.studies.made import check


def theorem(good=40, runs=40, late=1.0, schedule="printed", **bad):
    """Runs with a positive product for every size, and two without; those that are not good have other numbers."""
    usual = {"drift": 0.2, "undershoot": -0.4, "grown": 5.0, "final_error": 0.0}
    rows = []
    for block in (3, 4, 5, 8):
        cell = {"part": "theorem", "schedule": schedule, "block": block, "k": 2, "schedule_steps": 1000}
        cell["first_hit"] = 10.0 * block ** (3 * late)
        rows += [{**cell, "positive": True, **usual, **({} if i < good else bad)} for i in range(runs)]
        rows += [{**cell, "positive": False, "drift": 9.0, "undershoot": 9.0, "grown": 0.0, "final_error": 0.5}] * 2
    return pl.DataFrame(rows)


def plain(*runs):
    """Plain runs from (relevant weights, whether they learn)."""
    rows = [
        {
            "model": "polynet",
            "n": 6,
            "k": 3,
            "support": [0, 2, 4],
            "success": success,
            "curve_step": [0, 20, 40],
            "curve_test_error": [0.5, 0.44, 0.04 if success else 0.44],
            **{f"curve_weight_0_{2 * i}": [w, 9.0, 9.0] for i, w in enumerate(weights)},
        }
        for weights, success in runs
    ]
    return pl.DataFrame(rows)


UNTRAINED = {"good": 0, "drift": 0.0, "undershoot": 3.9, "grown": 0.0, "final_error": 0.5}
BAD = {"learns": {"final_error": 0.101}, "growth": {"grown": 0.99}}


@pytest.mark.parametrize("claim", ["learns", "growth"])
def test_nine_of_ten_runs_of_every_size(claim):
    for good, runs, verdict in ((40, 40, "holds"), (36, 40, "too close to call"), (20, 40, "fails")):
        finding = check(STUDY, claim, theorem(good, runs, **BAD[claim]))
        assert finding.verdict == verdict
        assert finding.measured.value == good / runs
    assert check(STUDY, claim, theorem(**UNTRAINED)).verdict == "fails"
    one_size = pl.concat([theorem(), theorem(0, 40, **BAD[claim]).with_columns(k=pl.lit(3, pl.Int64))])
    assert check(STUDY, claim, one_size).verdict == "fails"


@pytest.mark.parametrize(("column", "value"), [("drift", 0.51), ("undershoot", 0.01), ("grown", 0.5)])
def test_each_promise_about_the_weights_must_be_kept(column, value):
    assert check(STUDY, "growth", theorem(0, 40, **{column: value})).verdict == "fails"


def test_the_two_schedules_have_a_claim_each():
    corrected = theorem(schedule="corrected")
    assert check(STUDY, "learns", corrected).verdict == "not enough runs"
    assert check(STUDY, "learns-corrected", corrected).verdict == "holds"
    bad = theorem(20, 40, schedule="corrected", final_error=0.5)
    assert check(STUDY, "learns-corrected", bad).verdict == "fails"
    assert check(STUDY, "learns", pl.concat([theorem(), bad])).verdict == "holds"


@pytest.mark.parametrize(("late", "verdict"), [(0.9, "holds"), (1.1, "fails")])
def test_the_exponent_of_the_median_hit(late, verdict):
    # Of a size's forty runs a quarter are at once there and a quarter never get there: the median is the others'.
    place = pl.int_range(pl.len()) % 42
    hit = pl.when(place < 10).then(1.0).when(place > 29).then(None).otherwise("first_hit")
    finding = check(STUDY, "exponent", theorem(late=late).with_columns(first_hit=hit))
    assert finding.verdict == verdict
    assert finding.measured.value == pytest.approx(3 * late)
    assert check(STUDY, "exponent", theorem(late=late).with_columns(k=3)).verdict == "not enough runs"
    assert check(STUDY, "exponent", theorem().filter(pl.col("block") > 4)).verdict == "not enough runs"


def test_an_exponent_that_could_be_larger(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)
    spread = pl.col("first_hit") * (1 + pl.int_range(pl.len()) % 7)
    assert check(STUDY, "exponent", theorem().with_columns(first_hit=spread)).verdict == "too close to call"


def test_every_plain_run_with_a_positive_product():
    good, negative = ((1.0, 1.0, 1.0), True), ((-1.0, 1.0, 1.0), False)
    other = plain(((1.0, 1.0, 1.0), False)).with_columns(model=pl.lit("mlp"))
    finding = check(STUDY, "plain", pl.concat([plain(*[good] * 10, negative), other]))
    assert finding.verdict == "holds"
    assert "10 of 10, 10 needed" in finding.detail
    assert finding.detail.endswith("median step of 45% error 20, of 5% 40; negative product 0/1")
    assert check(STUDY, "plain", plain(*[good] * 10, ((1.0, 1.0, 1.0), False))).verdict == "fails"
    assert check(STUDY, "plain", plain(*[good] * 9, negative)).verdict == "not enough runs"


def test_missing_parts_are_not_enough():
    assert check(STUDY, "plain", theorem()).verdict == "not enough runs"
    for claim in ("learns", "learns-corrected", "growth", "exponent"):
        assert check(STUDY, claim, plain(((1.0, 1.0, 1.0), True))).verdict == "not enough runs"


def test_the_sign_is_that_of_the_first_weights():
    found = with_sign(plain(((1.0, -1.0, 1.0), True), ((-2.0, -0.1, 1.0), True)))
    assert found["positive"].to_list() == [False, True]
    assert len(with_sign(theorem())) == 0


def test_grids():
    assert len(STUDY.runs("laptop")) == 40
    assert len(STUDY.runs("paper")) == 200
    assert all(run.seed >= 100 and run.batch == 1 for run in STUDY.runs("laptop"))


def test_smoke(tmp_path):
    report = gw.reproduce(STUDY, "smoke", store=tmp_path / "store", figures=tmp_path)
    assert len(report.frame) == 8 + 4
    assert len(with_sign(report.frame)) == 4
    assert len(report.figures) == 4


def test_promises_are_kept_by_runs_of_the_schedule():
    found = compute("smoke", 40).filter("positive")
    assert (found["drift"] <= 0.5).all()
    assert (found["undershoot"] <= 0).all()
    assert (found["grown"] >= 1).all()
