from functools import partial

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier

from glassware.tabular.benchmark.best import FOREST, best, best_forests
from glassware.tabular.benchmark.forests import (
    DEPTHS,
    TREES,
    distinct,
    forest_errors,
    forest_seconds,
    forest_trial,
    mtry,
    probabilities,
)
from glassware.tabular.benchmark.plan import Job, forest_jobs, ordered, work
from glassware.tabular.benchmark.protocol import Cell, Split


@pytest.fixture(scope="module", params=[load_breast_cancer, load_iris])
def table(request):
    return request.param(return_X_y=True)


def test_the_first_trees_are_the_smaller_forest(table):
    X, y = table
    large = RandomForestClassifier(20, random_state=3).fit(X[::2], y[::2])
    for _, trees, found in probabilities(large, X[1::2], [None], [4, 20]):
        small = RandomForestClassifier(trees, random_state=3).fit(X[::2], y[::2])
        np.testing.assert_array_equal(found, small.predict_proba(X[1::2]))


@pytest.mark.parametrize(("depth", "columns"), [(1, 4), (2, 4), (3, 1), (4, 1), (10, 1)])
def test_a_tree_cut_at_a_depth_is_the_tree_grown_to_it(depth, columns):
    # All columns at every split: nothing is left to chance but the rows each tree draws, and which column is taken
    # where two part the rows alike. That happens in small nodes, so that deep cuts are compared on a single column.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, columns))
    y = (X[:, 0] * X[:, -1] + 0.5 * rng.normal(size=300) > 0.3).astype(int)
    full = RandomForestClassifier(8, max_features=None, random_state=1).fit(X[:200], y[:200])
    grown = RandomForestClassifier(8, max_features=None, random_state=1, max_depth=depth).fit(X[:200], y[:200])
    ((_, _, cut),) = probabilities(full, X[200:], [depth], [8])
    np.testing.assert_array_equal(cut, grown.predict_proba(X[200:]))
    assert np.abs(cut - full.predict_proba(X[200:])).max() > 0.05  # else a cut that does nothing would pass


def test_cut_forests_err_like_grown_ones_where_columns_are_drawn(table):
    # Here only the distributions agree: the mean over forests must, within what chance allows.
    X, y = table
    rows = Split(X[::2], y[::2], X[1::2], y[1::2])
    cut, grown = [], []
    for seed in range(20):
        forest = RandomForestClassifier(5, max_features=1, random_state=seed).fit(rows.X, rows.y)
        ((_, _, found),) = probabilities(forest, rows.X_test, [2], [5])
        cut.append(np.mean(found.argmax(1) != rows.y_test))
        other = RandomForestClassifier(5, max_features=1, max_depth=2, random_state=1000 + seed).fit(rows.X, rows.y)
        grown.append(np.mean(other.predict(rows.X_test) != rows.y_test))
    error = np.hypot(np.std(cut), np.std(grown)) / np.sqrt(20)
    assert abs(np.mean(cut) - np.mean(grown)) < 4 * error


def test_a_forest_answers_for_all_depths_and_sizes(table):
    X, y = table
    found = forest_errors(Split(X[::2], y[::2], X[1::2], y[1::2]), "sqrt", seed=0, trees=10)
    assert [(row["max_depth"], row["n_estimators"]) for row in found] == [(depth, 10) for depth in DEPTHS]
    direct = RandomForestClassifier(10, random_state=0).fit(X[::2], y[::2])
    assert found[0]["error"] == pytest.approx(1 - direct.score(X[1::2], y[1::2]))


def test_values_of_max_features_that_mean_the_same_share_a_forest():
    assert distinct(10) == [(1,), (2,), (3, "sqrt"), (4,), ("all",)]
    assert distinct(419) == [(1,), (2,), (3,), (4,), ("sqrt",), ("all",)]
    assert [mtry(value, 26) for value in (1, "sqrt", "all")] == [1, 5, 26]
    assert mtry(4, 3) == 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4)).astype(np.float32)
    frame = pl.DataFrame({f"x{i}": X[:, i] for i in range(4)} | {"target": (X[:, 0] > 0).astype(np.int8)})
    frame.write_parquet(folder / "pol.parquet")
    return folder


def test_a_trial_has_a_row_a_configuration(folder):
    rows = forest_trial(str(folder), Cell("pol", 0.1), 2, (2, "sqrt"), 10)
    assert rows["max_features"].unique().sort().to_list() == ["2", "sqrt"]
    assert len(rows) == 2 * len(DEPTHS)
    assert rows.select("train_rows", "test_rows", "columns", "rows").unique().row(0) == (36, 40, 4, 400)
    assert rows["error"].max() < 0.3
    again = forest_trial(str(folder), Cell("pol", 0.1), 2, (2, "sqrt"), 10)
    assert rows.drop("seconds").equals(again.drop("seconds"))


def test_jobs_cover_the_grid_and_say_what_they_cost(folder):
    jobs = forest_jobs(str(folder), trials=2)
    assert len({job.key for job in jobs}) == len(jobs)
    assert len(jobs) == 2 * 2 * len(distinct(4))  # 1% would be three rows (A11), and no cell exceeds the cap
    assert jobs == ordered(reversed(jobs))
    assert jobs[-1].compute.args[-1] == TREES[-1]  # few rows: forests of 1000 trees in every trial
    key, rows, seconds = work(Job("made", 1.0, partial(forest_trial, str(folder), Cell("pol", 0.1), 0, (1,), 10)))
    assert (key, rows["n_estimators"].max()) == ("made", 10)
    assert seconds > 0
    assert forest_seconds(10_000, 10, "all", 100) > 5 * forest_seconds(1000, 10, "all", 100)


def test_best_of_grid_is_the_lowest_median_over_all_trials():
    def row(error, depth, trial):
        return {
            "task": "pol", "fraction": 0.1, "cap": 10_000, "max_depth": depth, "max_features": "1", "n_estimators": 10,
            "error": error, "trial": trial, "train_rows": 907, "rows": 10_082, "columns": 26,
        }  # fmt: skip

    rows = pl.DataFrame([*(row(e, 2, t) for t, e in enumerate([0.1, 0.3, 0.2])), *(row(0.25, 3, t) for t in range(3))])
    lucky = pl.DataFrame([row(0.0, 4, 0)])  # one trial only: not comparable
    found = best(pl.concat([rows, lucky]), FOREST)
    assert found.select("max_depth", "error", "trials").row(0) == (2, 0.2, 3)
    beside = best_forests(rows)
    assert beside["exact"].to_list() == [True]
    assert beside["difference"].item() == pytest.approx(20.0 - 4.0)
