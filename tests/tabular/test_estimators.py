"""The estimators beside scikit-learn's tools: pipelines, searches, pickles, weights, sentences."""

import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from glassware.foundation.errors import GlasswareError
from glassware.tabular import SparseMLPClassifier, SparseMLPRegressor
from glassware.tabular.attempts import attempt
from glassware.tabular.guide import guide
from glassware.tabular.inputs import Scaling
from glassware.tabular.jobs import Shape
from glassware.tabular.lanes import train
from glassware.tabular.network import layer_keys

SMALL = {
    "hidden_layer_sizes": 32,
    "epochs": 30,
    "n_ensemble": 2,
    "learning_rate": 0.02,
    "random_state": 0,
    "guided": False,
    "early_stopping": False,  # half the programs to compile: no second try
}
X, Y = make_classification(200, 8, n_informative=4, random_state=0)


def small(**more):
    return SparseMLPClassifier(**{**SMALL, **more})


def first_weights(rows, **more):
    """The networks of two members before the first step, and the job they belong to."""
    model = small(epochs=1, learning_rate=0.0, **more)
    prepared = model._prepare(rows, rows[:, 0] > 0)
    job = attempt(prepared, replace(prepared.recipe, cuts=0)).parts[0].job
    return train([job])[0].members, job


def test_importing_the_package_does_not_import_scikit_learn():
    code = "import glassware, sys; sys.exit('sklearn' in sys.modules or 'glassware.tabular' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_scikit_learn_there_is_one_sentence(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for name in [name for name in sys.modules if name.startswith("glassware.tabular")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(GlasswareError, match=r"needs scikit-learn: pip install 'glassware\[tabular\]'"):
        import glassware.tabular  # noqa: F401


def test_it_learns_classes_and_numbers():
    assert cross_val_score(small(), *load_iris(return_X_y=True), cv=3).min() > 0.9
    rows, numbers = make_regression(300, 5, noise=1.0, random_state=0)
    assert cross_val_score(SparseMLPRegressor(**SMALL), rows, 1000.0 + numbers, cv=3).min() > 0.95


def test_probabilities_are_the_mean_of_the_members():
    both, alone = (small(n_ensemble=size).fit(X, Y) for size in (2, 1))
    for one, other in zip(both.members_[0], alone.members_[0], strict=True):
        np.testing.assert_array_equal(one["w"], other["w"])  # a larger ensemble begins with the smaller one
    second = clone(alone).fit(X, Y)
    second.members_, second.views_ = both.members_[1:], both.views_[1:]
    mean = (alone.predict_proba(X) + second.predict_proba(X)) / 2
    np.testing.assert_allclose(both.predict_proba(X), mean, rtol=1e-12)
    assert not np.array_equal(both.members_[0][0]["w"], both.members_[1][0]["w"])


@pytest.mark.parametrize("features", [5, 8, 19])
def test_neurons_start_with_two_weights(features):
    rows = np.random.default_rng(0).normal(size=(60, features))
    [params, _], _ = first_weights(rows, preset="paper")
    assert params[0]["w"].shape == (features, 32)
    assert set(np.unique(params[0]["w"])) == {0.0, 1.0}
    assert (params[0]["w"].sum(axis=0) == 2).all()
    assert np.abs(params[1]["w"]).max() <= 1 / np.sqrt(32)
    [dense, _], _ = first_weights(rows, init_sparsity=None)
    assert 0.8 / np.sqrt(features) < np.abs(dense[0]["w"]).max() <= 1 / np.sqrt(features)
    assert (dense[0]["w"] != 0).all()


def test_kinks_start_where_rows_are_or_where_the_forest_splits():
    rows = np.random.default_rng(0).normal(size=(60, 12))
    [params, other], job = first_weights(rows)
    weights, bias = params[0]["w"], params[0]["b"]
    assert set(np.unique(weights)) == {-1.0, 0.0, 1.0}
    assert (np.abs(weights).sum(axis=0) == 2).all()
    distance = np.abs(job.table.x @ weights + bias).min(axis=0)  # of each kink from the nearest row
    np.testing.assert_allclose(distance, 0.0, atol=1e-5)
    assert not np.array_equal(weights, other[0]["w"])
    [params, other], job = first_weights(rows, guided=True)
    weights = params[0]["w"]
    assert set(np.unique(weights)) == {-1.0, 0.0, 1.0}
    assert set(np.abs(weights).sum(axis=0)) == {1, 2}
    assert np.sum(weights != 0, axis=1).argmax() == 0  # the label is the sign of column 0
    assert np.mean(weights[0] != 0) > 1.5 * 2 / 12  # more often than by chance
    assert np.mean(np.square(job.table.x[:, 0])) > 3 * np.mean(np.square(job.table.x[:, 1:]))
    assert not np.array_equal(weights, other[0]["w"])


def test_one_column_is_enough_for_a_sparse_start():
    rows = np.random.default_rng(0).normal(size=(80, 1))
    assert small().fit(rows, rows[:, 0] > 0).score(rows, rows[:, 0] > 0) > 0.9


def test_layers_draw_from_streams_of_their_own():
    assert len(np.unique(layer_keys(np.array([1, 2], np.uint32), 3), axis=0)) == 6


def test_a_pickle_holds_numpy_only_and_predicts_the_same():
    fitted = small().fit(X, Y)
    kept = pickle.dumps(fitted)
    assert b"jax" not in kept
    np.testing.assert_array_equal(pickle.loads(kept).predict_proba(X), fitted.predict_proba(X))


def test_in_pipelines_and_searches():
    search = GridSearchCV(
        make_pipeline(StandardScaler(), small()), {"sparsemlpclassifier__weight_decay": [0.0, 0.1]}, cv=2
    ).fit(X, Y)
    assert search.best_score_ > 0.7


def test_rows_of_weight_zero_are_not_there():
    weight = (np.arange(len(X)) % 3 > 0).astype(float)
    np.testing.assert_array_equal(
        small().fit(X, Y, weight).predict_proba(X), small().fit(X[weight > 0], Y[weight > 0]).predict_proba(X)
    )


def test_heavy_rows_win():
    rows = np.repeat([[0.0], [1.0]], 100, axis=0)
    labels = np.tile([0, 1], 100)
    weight = np.where(labels == 1, 4.0, 1.0)
    share = small(preset="paper", epochs=100).fit(rows, labels, weight).predict_proba(rows)[:, 1]
    np.testing.assert_allclose(share, 0.8, atol=0.05)


def test_the_held_out_rows_decide_when_to_stop():
    noise = np.random.default_rng(0).integers(0, 2, len(X))
    long = {"preset": "paper", "epochs": 200, "hidden_layer_sizes": 128}
    stopped, through = (small(early_stopping=early, **long).fit(X, noise) for early in (True, False))
    assert through.score(X, noise) > 0.95
    assert stopped.score(X, noise) < 0.85  # the other was free to learn noise by heart


def test_members_hold_out_different_rows_and_stop_together():
    model = small(n_ensemble=8, early_stopping=True, precision="exact")
    prepared = model._prepare(X, Y)
    job = attempt(prepared, replace(prepared.recipe, cuts=0)).parts[0].job
    assert sorted(job.held_out.ravel()) == list(range(len(X)))  # 8 eighths are all of them
    outcome = train([job])[0]
    held = [
        -np.log(_probability(params, job.table.x[rows])[np.arange(len(rows)), Y[rows]]).mean()
        for params, rows in zip(outcome.members, job.held_out, strict=True)
    ]
    assert outcome.loss == pytest.approx(np.mean(held), rel=1e-4)


def _probability(params, x):
    *hidden, last = params
    for layer in hidden:
        x = np.maximum(x @ layer["w"] + layer["b"], 0.0)
    out = x @ last["w"] + last["b"]
    odds = np.exp(out - out.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def test_a_parity_that_early_stopping_gives_up_on_is_tried_again_with_patience():
    x = np.random.default_rng(0).normal(size=(2500, 20))
    y = np.sign(x[:, [2, 5, 7]]).prod(axis=1) > 0
    model = SparseMLPClassifier(128, n_ensemble=2, screened=False, random_state=0).fit(x[:1500], y[:1500])
    assert model.recipe_.scale == "signs"
    assert model.score(x[1500:], y[1500:]) > 0.9
    assert model.interactions(3, X=x[1500:], top=1)["features"][0].to_list() == [2, 5, 7]


def test_labels_are_smoothed_and_mixed_with_the_votes_and_columns_scaled_by_the_importance_of_a_forest():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    x[:, 0] += y
    model, truth = SparseMLPClassifier(random_state=0), np.eye(3)[y]
    prepared = model._prepare(x, y)
    alone = attempt(prepared, replace(prepared.recipe, guided=False)).parts[0].job
    smooth = 0.95 * truth + 0.05 / 3
    np.testing.assert_allclose(alone.table.target, smooth)
    found = guide(x, y, prepared.weight, True, prepared.seed)
    guided, cut = (part.job for part in attempt(prepared, prepared.recipe).parts)
    vote = np.where(np.isfinite(found.vote), found.vote, truth)
    for job in (guided, cut):
        np.testing.assert_allclose(job.table.target, 0.6 * smooth + 0.4 * vote)
    gain = np.sqrt(found.importance / found.importance.mean())
    np.testing.assert_allclose(guided.table.x, alone.table.x * gain)
    assert gain[0] > 1 > gain[1:].max()
    np.testing.assert_array_equal(guided.table.truth, truth)  # held-out rows are judged by what they are


def test_patience_that_finds_nothing_more_is_not_taken():
    rng = np.random.default_rng(0)
    model = SparseMLPClassifier(8, n_ensemble=2, random_state=0)
    assert model.fit(rng.normal(size=(200, 5)), rng.integers(0, 2, 200)).recipe_.scale == "mixed"


def test_columns_by_their_signs_are_cut_in_the_middle():
    columns = np.array([[-1.0, 0.0, 3.0, 5.0], [1.0, 0.0, 3.0, 6.0], [1.0, 1.0, 3.0, 7.0], [1.0, 0.0, 3.0, 8.0]])
    signs = Scaling.fit(columns, "signs").transform(columns)
    assert signs.T.tolist() == [[-1, 1, 1, 1], [-1, -1, 1, -1], [0, 0, 0, 0], [-1, -1, 1, 1]]


@pytest.mark.parametrize("kind", ["standard", "mixed", "signs"])
def test_a_constant_column_stays_constant(kind):
    """0.1 added up and divided is not 0.1: the deviation is a rounding error, which must not become a scale."""
    column = np.full((1000, 1), 0.1)
    assert column.std() > 0
    scaling = Scaling.fit(column, kind)
    assert scaling.spread.tolist() == [1.0]
    assert np.ptp(scaling.transform(column)) == 0


def test_normal_scores_do_not_mind_tails():
    column = np.exp(5 * np.random.default_rng(0).normal(size=(1000, 1)))
    scaled = Scaling.fit(column, "mixed").transform(column)
    assert np.abs(scaled).max() < 3.2
    assert (np.argsort(scaled[:, 0]) == np.argsort(column[:, 0])).mean() > 0.99
    flags = (np.arange(10) < 3).astype(float)[:, None]
    np.testing.assert_allclose(Scaling.fit(flags, "mixed").transform(flags).std(), 1.0, rtol=0.05)


def test_columns_that_never_change_or_have_wild_tails():
    wild = np.column_stack([X, np.full(len(X), 0.1), np.where(np.arange(len(X)) == 7, 1e12, X[:, 0])])
    assert small().fit(wild, Y).score(wild, Y) > 0.8


def test_sizes_of_layers_may_be_numpys():
    assert small(hidden_layer_sizes=np.int64(8), epochs=1).fit(X, Y).members_[0][0]["w"].shape == (8, 8)


def test_an_odd_batch_size_reaches_the_last_rows():
    rows, numbers = make_regression(250, 3, noise=0.1, random_state=0)
    assert (
        SparseMLPRegressor(**{**SMALL, "batch_size": 200, "epochs": 200}).fit(rows, numbers).score(rows, numbers) > 0.9
    )


def test_a_pickle_is_little_more_than_the_weights():
    fitted = small(hidden_layer_sizes=None, epochs=2).fit(X, Y)
    weights = sum(a.size for params in fitted.members_ for layer in params for a in layer.values())
    assert len(pickle.dumps(fitted)) < 4 * weights + 50_000


def test_columns_that_never_change_give_the_share_of_each_class():
    labels = np.arange(80) % 4 > 0
    for more in ({}, {"preset": "paper"}):
        share = small(guided=None, epochs=60, **more).fit(np.ones((80, 3)), labels).predict_proba(np.ones((1, 3)))
        np.testing.assert_allclose(share[0, 1], 0.75, atol=0.08)
    numbers = SparseMLPRegressor(**SMALL).fit(np.ones((80, 3)), labels).predict(np.ones((1, 3)))
    np.testing.assert_allclose(numbers, 0.75, atol=0.08)


@pytest.mark.parametrize(
    ("rows", "labels", "sentence"),
    [
        (np.ones((5, 2)), np.zeros(5), "needs rows of at least 2 classes; all are of one class"),
        (np.array([[1.0, np.inf], [0.0, 1.0]]), [0, 1], "Input X contains infinity"),
        (np.array([[1, {}], [0, 1]], object), [0, 1], "argument must be a string or a real number"),
        (np.ones((0, 2)), [], r"0 sample\(s\)"),
        (np.ones((4, 0)), [0, 1, 0, 1], r"0 feature\(s\)"),
    ],
)
def test_bad_tables_get_a_sentence(rows, labels, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        small().fit(rows, labels)


def test_ten_thousand_columns():
    x = np.random.default_rng(0).normal(size=(60, 10_000))
    y = np.arange(60) % 2
    x[:, :2000] += 2 * y[:, None]
    fitted = small(guided=True, learning_rate=None).fit(x[:40], y[:40])
    assert fitted.score(x[40:], y[40:]) > 0.8
    assert fitted.feature_importances_.shape == (10_000,)


def test_wide_tables_keep_fewer_weights():
    shape = Shape((10_000, 256, 64, 2), True, 2, 256, 64, 32, True, "cosine", True)
    assert 2 <= shape.checks < 8
    assert shape._replace(sizes=(50, 256, 64, 2)).checks == 16
    assert shape._replace(held_out=0).checks == 1
