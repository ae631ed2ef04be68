"""Claims on our estimator beside others: rows that just hold and rows that just fail."""

from functools import partial

import numpy as np
import polars as pl
import pytest

from glassware.foundation import statistics
from glassware.studies.pareto.tabular import STUDY
from glassware.tabular.benchmark.compare import mean_difference, ranking
from tests.studies.made import check
from tests.studies.pareto.tabular_rows import EXACT, method, noisy, on, together

METHODS = [method(name, off) for name, off in (("MLPClassifier", 1), ("XGBoost", 2), ("LightGBM", 3), ("dense", 0.5))]
SMALL = [task for task in EXACT if task.rows <= 11_111]  # 10,000 rows are 90% of them, or more
OURS = together(method("sparse"), method("CatBoost", 9), *METHODS)


@pytest.mark.parametrize(
    ("claim", "frame", "said"),
    [
        ("ours-printed-hundredth", method("sparse", -1), "holds"),
        ("ours-printed-hundredth", noisy(method("sparse", -0.1), 2), "too close to call"),
        ("ours-printed-full", method("sparse", 1), "fails"),
        ("ours-mlp-tenth", OURS, "holds"),
        ("ours-dense-tenth", together(noisy(method("sparse", 0.4), 2), *METHODS), "too close to call"),
        ("ours-dense-tenth", together(method("sparse", 0.6), *METHODS), "fails"),
        ("ours-dense-tenth", together(method("sparse", 0.5), *METHODS), "fails"),  # the same
        ("ours-rank-hundredth", OURS, "holds"),
        ("ours-rank-hundredth", together(noisy(method("sparse", 0.9), 3), method("CatBoost", 9), *METHODS),
         "too close to call"),
        ("ours-rank-hundredth", together(method("sparse", 1.5), method("CatBoost", 9), *METHODS), "fails"),
        ("ours-rank-full", together(method("sparse", 1.5), method("CatBoost", 9), *METHODS), "holds"),
    ],
)  # fmt: skip
def test_claims(claim, frame, said, monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)
    assert check(STUDY, claim, frame).verdict == said


def test_claims_about_our_estimator_are_ours():
    assert {claim.source for claim in STUDY.claims if claim.id.startswith("ours")} == {"ours"}


def test_printed_networks_are_compared_where_as_many_rows_were_used():
    found = check(STUDY, "ours-printed-full", method("sparse", -1))
    assert "/5 tasks" in found.detail  # the tables with at most 11,111 rows
    assert found.measured.value == pytest.approx(-0.01)


def test_a_method_with_fewer_trials_is_ranked_in_a_second_list():
    frame = together(method("sparse"), method("CatBoost", 9), method("RealMLP", -5, trials=1), *METHODS)
    found = check(STUDY, "ours-rank-hundredth", frame)
    assert found.verdict == "holds"
    assert "sparse 1.0, MLPClassifier 2.0" in found.detail
    assert "with RealMLP, mean ranks on 13 tasks, at least 1 trials: RealMLP 1.0, sparse 2.0" in found.detail


def test_the_interval_draws_trials_within_tasks():
    apart = {"a": [0.0] * 9, "b": [1.0] * 9}
    assert mean_difference(apart) == (0.5, 0.5, 0.5)
    low, high = mean_difference({"a": [0.0, 1.0] * 5, "b": [1.0] * 9})[1:]
    assert 0.5 < low < 0.75 < high <= 1.0


def test_ranks_rest_on_what_all_methods_have():
    table = ranking(
        {"good": {"a": {0: 0.1, 1: 0.9}, "b": {0: 0.2}, "c": {0: 0.9}}, "bad": {"a": {0: 0.2}, "b": {0: 0.3}}}
    )
    assert table.to_dicts() == [
        {"method": "good", "tasks": 2, "trials": 1, "error": pytest.approx(15.0), "rank": 1.0},
        {"method": "bad", "tasks": 2, "trials": 1, "error": pytest.approx(25.0), "rank": 2.0},
    ]
    assert not len(ranking({"a": {"x": {0: 0.1}}, "b": {"y": {0: 0.1}}}))


def test_the_mean_over_tables_decides_against_printed_networks():
    made = together(*(method("sparse", -0.9 if t is SMALL[0] else 0.1, tasks=[t]) for t in SMALL))
    found = check(STUDY, "ours-printed-full", made)
    assert found.measured.value == pytest.approx(-0.5 / 500)
    assert "better on 1/5 tasks" in found.detail
    printed, ours = (np.mean([t.mlp.at(1.0) for t in SMALL]) + off for off in (0.0, -0.1))
    assert f"ours {ours:.1f}%, printed {printed:.1f}%" in found.detail
    assert check(STUDY, "ours-printed-full", method("sparse", -1, tasks=SMALL[1:])).verdict == "not enough runs"


def test_the_mean_over_tables_decides_against_a_method():
    made = together(on(12, partial(method, "sparse"), 0.1, -1.3), method("MLPClassifier"))
    found = check(STUDY, "ours-mlp-tenth", made)
    assert found.measured.value == pytest.approx(-0.1 / 1300)
    assert found.detail == "better on 1/13 tasks"


@pytest.mark.parametrize(("off", "place"), [(0.0, 1), (1.5, 2), (2.5, 3), (3.5, 4)])
def test_places_among_all_methods(off, place):
    made = together(method("sparse", off), method("CatBoost", 9), *METHODS)
    for name, need in (("full", 3), ("tenth", 3), ("hundredth", 1)):
        found = check(STUDY, f"ours-rank-{name}", made)
        assert found.verdict == ("holds" if place <= need else "fails")
        assert found.measured.value == place


def test_a_rank_needs_five_methods_our_twin_apart():
    rank = partial(check, STUDY, "ours-rank-tenth")
    assert rank(OURS.filter(pl.col("method") != "CatBoost")).verdict == "not enough runs"
    assert rank(together(OURS, method("RealMLP")).filter(pl.col("method") != "sparse")).verdict == "not enough runs"
    few = pl.when((pl.col("method") != "CatBoost") | (pl.col("trial") == 0)).then(True).otherwise(False)
    assert rank(OURS.filter(few)).verdict == "not enough runs"


@pytest.mark.parametrize(("count", "listed"), [(9, False), (10, True)])
def test_a_method_on_nine_tables_is_not_ranked(count, listed):
    found = check(STUDY, "ours-rank-tenth", together(OURS, method("RealMLP", -5, tasks=EXACT[:count])))
    assert found.measured.value == 1
    assert ("RealMLP" in found.detail) is listed


def test_a_method_that_lacks_trials_on_one_table_is_incomplete():
    lacking = together(method("RealMLP", -5, tasks=EXACT[1:]), method("RealMLP", -5, trials=1, tasks=EXACT[:1]))
    found = check(STUDY, "ours-rank-tenth", together(OURS, lacking))
    assert found.measured.value == 1
    assert "; with RealMLP, " in found.detail
    whole = check(STUDY, "ours-rank-tenth", together(OURS, method("RealMLP", -5)))
    assert whole.measured.value == 2
    assert "; with" not in whole.detail
