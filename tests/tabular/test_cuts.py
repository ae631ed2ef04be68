"""Columns cut into pieces: where the cuts are, what a piece says, and which networks read it."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from glassware.tabular import SparseMLPClassifier, SparseMLPRegressor, jobs, network
from glassware.tabular.attempts import attempt
from glassware.tabular.cuts import Cuts, Splits
from glassware.tabular.fitting import fit_all
from glassware.tabular.guide import _splits, guide
from glassware.tabular.inputs import Scaling
from glassware.tabular.network import inputs
from glassware.tabular.recipe import PRESETS

SMALL = {"hidden_layer_sizes": 16, "epochs": 5, "n_ensemble": 4, "random_state": 0, "early_stopping": False}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = (X[:, 0] > 0.2).astype(int)


def even(x, cuts):
    return Cuts.fit(x, np.zeros(x.shape[1]), cuts, None)


def test_pieces_add_up_to_the_column_between_its_ends():
    x = RNG.exponential(size=(200, 2))
    view = even(x, 20)
    rows = np.concatenate([x, [[-5.0, 99.0]]])  # outside of what it was made for
    for column in range(2):
        mine = view.columns == column
        assert mine.sum() == 11
        added = (view.transform(rows) + view.centre)[:, mine] @ (view.end - view.begin)[mine]
        low, high = x[:, column].min(), x[:, column].max()
        np.testing.assert_allclose(added, np.clip(rows[:, column], low, high) - low, atol=1e-12)
    np.testing.assert_allclose(view.transform(x).mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(view.transform(x).std(axis=0), view.size)


def test_without_a_forest_equal_parts_of_the_rows_lie_between_cuts():
    view = even(np.arange(1000.0)[:, None] ** 3, 5)
    np.testing.assert_allclose(np.cbrt(view.begin[1:]), [100, 300, 500, 700, 900], atol=1)
    assert even(np.ones((9, 30)), 29) is None  # less than a cut a column
    assert even(np.ones((9, 3)), 29) is None  # nothing to cut


def test_cuts_lie_where_a_forest_gains_most():
    gain = np.array([20.0, 30.0, 40.0, 8.0, 2.0])
    splits = Splits(np.array([0, 0, 0, 2, 2]), np.array([0.5, -0.5, 0.1, 0.0, 1.0]), gain, np.full(5, -1))
    view = Cuts.fit(X, np.zeros(3), 10, splits)
    assert set(view.columns) == {0, 2}  # column 1 was never split
    inner = {column: set(view.begin[view.columns == column][1:]) for column in (0, 2)}
    # Nine cuts of column 0 at gains of 5, 15, ..., 85 of its 90: thresholds -0.5 (up to 30), 0.1 (70) and 0.5.
    assert inner == {0: {-0.5, 0.1, 0.5}, 2: {0.0}}


def test_columns_of_two_values_no_values_and_huge_ones():
    x = np.column_stack([np.arange(60) % 2, np.ones(60), np.where(np.arange(60) % 3 == 0, -1.7e308, 1.7e308)])
    view = even(x, 30)
    assert view.columns.tolist() == [0, 2]
    pieces = view.transform(x) + view.centre
    np.testing.assert_array_equal(pieces, np.column_stack([x[:, 0], x[:, 2] > 0]))
    view = Cuts.fit(x, np.array([1.0, 1.0, 1.7e308]), 30, None)
    np.testing.assert_array_equal(view.transform(np.full((1, 3), np.nan)) + view.centre, [[1.0, 1.0]])  # filled


@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
def test_gains_of_splits_are_the_forests_importances(forest):
    grown = forest(n_estimators=5, random_state=0).fit(X, Y)
    found = _splits(grown, np.zeros(3), np.ones(3))
    trees = [one.tree_ for one in grown.estimators_]
    whole = [tree.compute_feature_importances(normalize=False) * tree.weighted_n_node_samples[0] for tree in trees]
    np.testing.assert_allclose(np.bincount(found.column, found.gain, minlength=3), np.sum(whole, axis=0))
    assert len(found.column) == sum((tree.children_left >= 0).sum() for tree in trees)
    assert (np.abs(found.threshold[np.argsort(-found.gain)[:5]] - 0.2) < 0.2).all()


def test_every_third_network_reads_pieces_and_starts_dense():
    model = SparseMLPClassifier(**{**SMALL, "learning_rate": 0.0, "n_ensemble": 5}).fit(X, Y)
    assert [type(view) for view in model.views_] == [Scaling, Cuts, Scaling, Scaling, Cuts]
    for params, view in zip(model.members_, model.views_, strict=True):
        weights = params[0]["w"]
        assert weights.shape == (len(view.columns), 16)
        assert (weights != 0).all() if isinstance(view, Cuts) else ((weights != 0).sum(axis=0) <= 2).all()
    keys = {params[1]["w"].tobytes() for params in model.members_}
    assert len(keys) == 5  # all drawn apart
    for more in ({"n_ensemble": 1}, {"cuts": 0, "n_ensemble": 2}):
        without = SparseMLPClassifier(**{**SMALL, **more}).fit(X, Y)
        assert {type(view) for view in without.views_} == {Scaling}


def test_each_view_holds_out_every_row_as_often():
    model = SparseMLPClassifier(n_ensemble=24, random_state=0)
    prepared = model._prepare(X, Y)
    made = attempt(prepared, prepared.recipe)
    pieces = list(range(1, 24, 3))
    assert [part.places.tolist() for part in made.parts] == [sorted({*range(24)} - {*pieces}), pieces]
    for part, often in zip(made.parts, (2, 1), strict=True):
        assert sorted(part.job.held_out.ravel()) == sorted(often * list(range(len(X))))
    assert made.loss([jobs.Outcome([], 1.0), jobs.Outcome([], 4.0)]) == 2.0  # of 16 and 8 networks
    prepared = SparseMLPClassifier(random_state=0)._prepare(X, Y)
    often = [np.bincount(p.job.held_out.ravel(), minlength=120) for p in attempt(prepared, prepared.recipe).parts]
    # Six and three of the default's nine hold out as many of the eight parts.
    assert [np.bincount(count, minlength=2).tolist() for count in often] == [[30, 90], [75, 45]]


def test_steps_are_learnt_by_networks_that_see_pieces():
    """Twelve stairs of one column, up and down: smooth networks need far longer for them than steps of a piece."""
    x = RNG.uniform(size=(1500, 2))
    y = np.floor(12 * x[:, 0]) % 2 > 0
    model = SparseMLPClassifier(32, epochs=40, n_ensemble=2, random_state=0, early_stopping=False).fit(
        x[:1000], y[:1000]
    )
    smooth, cut = ((out.argmax(axis=1) == y[1000:]).mean() for out in model._outputs(x[1000:]))
    assert cut > 0.9
    assert smooth < 0.8
    assert model.feature_importances_.argmax() == 0


def test_pieces_count_for_their_columns_when_a_network_is_read():
    rows = RNG.normal(size=(400, 6))
    numbers = np.abs(rows[:, 2]) + 0.1 * rows[:, 4]
    more = {**SMALL, "epochs": 40, "n_ensemble": 2}
    model = SparseMLPRegressor(**more, screened=False).fit(rows, numbers)
    model.members_, model.views_ = model.members_[1:], model.views_[1:]
    assert isinstance(model.views_[0], Cuts)
    assert model.feature_importances_.shape == (6,)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_.argmax() == 2
    assert model.interactions(1, X=rows, top=1)["features"][0].to_list() == [2]


def test_a_forest_that_was_grown_before_changes_nothing():
    models = [SparseMLPClassifier(**SMALL) for _ in range(2)]
    tables = [model._prepare(X, Y) for model in models]
    grown = guide(tables[0].X, Y, tables[0].weight, True, tables[0].seed)
    fit_all(models[:1], tables[:1], [grown])
    fit_all(models[1:], tables[1:])
    np.testing.assert_array_equal(*(model.predict_proba(X) for model in models))
    fit_all(models[:1], tables[:1], [grown._replace(importance=grown.importance[::-1])])
    assert not np.array_equal(*(model.predict_proba(X) for model in models))  # it is listened to


def test_presets_without_cuts_have_none():
    for preset in ("patient", "paper"):
        prepared = SparseMLPClassifier(preset=preset, random_state=0)._prepare(X, Y)
        assert len(attempt(prepared, prepared.recipe).parts) == 1
    assert attempt(prepared, replace(PRESETS["default"], guided=False)).parts[1].view.columns.max() == 2


def test_accelerators_pad_to_few_sizes(monkeypatch):
    monkeypatch.setattr(jobs, "on_cpu", lambda: False)
    assert jobs._sizes(7, 60, 0) == (32, 512, 0)
    assert jobs._sizes(26, 9000, 1125) == (32, 16_384, 2048)
    assert jobs._sizes(33, 2048, 256) == (48, 2048, 256)
    assert jobs._sizes(280, 2049, 300) == (384, 4096, 512)
    assert jobs._sizes(385, 500, 250) == (512, 512, 256)
    for features in range(1, 600):
        assert jobs._sizes(features, 9, 0)[0] >= features


@pytest.mark.parametrize(("scale", "shift"), [(1e-9, 0.0), (1.0, 1.7e9), (1e39, 0.0), (1e-12, 3.0)])
def test_a_forest_sees_a_column_in_any_unit(scale, shift):
    """Trees know single precision, and take values that lie close together for one."""
    rows = np.round(X, 3)
    plain = guide(rows, Y, np.ones(len(X)), True, 0)
    moved = rows * [scale, 1.0, 1.0] + [shift, 0.0, 0.0]
    found = guide(moved, Y, np.ones(len(X)), True, 0)
    np.testing.assert_allclose(found.importance, plain.importance, rtol=0.2)
    assert found.importance[0] > 2
    best = [one.threshold[one.column == 0][one.gain[one.column == 0].argmax()] for one in (plain.splits, found.splits)]
    assert (best[1] - shift) / scale == pytest.approx(best[0], abs=0.05)


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e160])
def test_numbers_are_learnt_in_any_unit(unit):
    rows = RNG.normal(size=(200, 3))
    model = SparseMLPRegressor(**{**SMALL, "epochs": 60}).fit(rows, unit * rows[:, 1])
    assert np.corrcoef(model.predict(rows) / unit, rows[:, 1])[0, 1] > 0.9
    assert {type(view) for view in model.views_} == {Scaling, Cuts}
    assert model.feature_importances_.argmax() == 1


def test_missing_values_are_filled_before_columns_are_cut():
    holes = X.copy()
    holes[::4, 0] = np.nan
    model = SparseMLPClassifier(**SMALL, missing="median").fit(holes, Y)
    filled = np.where(np.isnan(holes), np.nanmedian(holes, axis=0), holes)
    np.testing.assert_array_equal(model._outputs(holes), model._outputs(filled))
    np.testing.assert_array_equal(model.views_[1].begin, SparseMLPClassifier(**SMALL).fit(filled, Y).views_[1].begin)


def test_a_pickle_has_each_view_once():
    model = pickle.loads(pickle.dumps(SparseMLPClassifier(**SMALL).fit(X, Y)))
    assert len({id(view) for view in model.views_}) == 2
    assert len(model.views_) == 4


def test_long_tables_are_read_in_parts(monkeypatch):
    view = even(X, 12)
    whole = inputs(view, X)
    assert whole.dtype == np.float32
    monkeypatch.setattr(network, "ROWS_AT_ONCE", 7)
    np.testing.assert_array_equal(inputs(view, X), whole)
    np.testing.assert_allclose(whole, view.transform(X), atol=1e-7)
