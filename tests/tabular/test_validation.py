import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold, cross_val_score

from glassware.tabular import SparseMLPClassifier, SparseMLPRegressor, attempts, cross_validate_many, fit_many, lanes

X, Y = load_iris(return_X_y=True)
BASE = SparseMLPClassifier(16, epochs=5, n_ensemble=2, learning_rate=0.02, guided=False, early_stopping=False)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


def test_every_fit_equals_the_one_made_alone():
    grid = {"learning_rate": [0.005, 0.02], "init_sparsity": [None, 2], "hidden_layer_sizes": [16, (8, 8)]}
    table = cross_validate_many(BASE, X, Y, grid, cv=FOLDS, seeds=[3], scoring="neg_log_loss")
    assert table.shape == (2 * 2 * 2 * 3, 6)
    for row in table.filter(fold=0).to_dicts():
        sizes = (8, 8) if row["hidden_layer_sizes"] == "(8, 8)" else 16
        one = clone(BASE).set_params(
            learning_rate=row["learning_rate"],
            init_sparsity=row["init_sparsity"],
            hidden_layer_sizes=sizes,
            random_state=row["seed"],
        )
        kept, held = next(FOLDS.split(X, Y))
        alone = one.fit(X[kept], Y[kept]).predict_proba(X[held])
        assert row["score"] == pytest.approx(np.log(alone[np.arange(len(held)), Y[held]]).mean(), rel=1e-9)


def test_all_folds_come_back_in_order():
    scores = cross_validate_many(BASE, X, Y, {}, cv=FOLDS, seeds=[1], scoring="neg_log_loss")["score"]
    alone = cross_val_score(clone(BASE).set_params(random_state=1), X, Y, cv=FOLDS, scoring="neg_log_loss")
    np.testing.assert_array_equal(scores, alone)


def test_seeds_are_not_a_parameter():
    with pytest.raises(ValueError, match="random_state belongs in seeds"):
        cross_validate_many(BASE, X, Y, {"random_state": [1]})


def test_tables_of_different_sizes_are_fitted_at_once():
    tables = [(X, Y), (X[:90, :3], Y[:90]), (X[::2], Y[::2] == 1)]
    wanted = [clone(BASE).set_params(random_state=i, guided=i == 2, early_stopping=i == 2) for i in range(3)]
    fitted = fit_many(wanted, tables)
    assert all(one is other for one, other in zip(fitted, wanted, strict=True))
    for one, (rows, labels) in zip(fitted, tables, strict=True):
        np.testing.assert_array_equal(one.predict_proba(rows), clone(one).fit(rows, labels).predict_proba(rows))
    numbers, classes = fit_many([SparseMLPRegressor(8, epochs=2, preset="paper"), clone(BASE)], [(X, X[:, 0]), (X, Y)])
    assert numbers.predict(X).dtype == float
    assert set(classes.predict(X)) <= {0, 1, 2}


def test_many_fits_need_a_table_and_an_estimator_each():
    with pytest.raises(ValueError, match="one table per estimator, not 1 for 2"):
        fit_many([clone(BASE), clone(BASE)], [(X, Y)])
    with pytest.raises(ValueError, match="one was given twice"):
        fit_many([BASE, BASE], [(X, Y), (X, Y)])
    with pytest.raises(ValueError, match="takes SparseMLP estimators, not a str"):
        fit_many(["x"], [(X, Y)])


def test_lanes_that_step_together_give_the_same_networks(monkeypatch):
    """The way of an accelerator, on a CPU."""
    ones = [clone(BASE).set_params(random_state=i, epochs=2, early_stopping=True, preset="patient") for i in range(2)]
    tables = [(X, Y), (X[20:], Y[20:])]
    alone = [one.fit(*table).predict_proba(X) for one, table in zip(ones, tables, strict=True)]
    lanes._program.cache_clear()
    monkeypatch.setattr(lanes, "on_cpu", lambda: False)
    together = [one.predict_proba(X) for one in fit_many(ones, tables)]
    lanes._program.cache_clear()
    np.testing.assert_allclose(together, alone, atol=1e-4)


def test_a_table_that_many_share_is_scaled_once(monkeypatch):
    scaled = []
    fit = attempts.Scaling.fit
    monkeypatch.setattr(attempts.Scaling, "fit", lambda X, kind: scaled.append(kind) or fit(X, kind))
    ones = [clone(BASE).set_params(random_state=i, screened=False) for i in range(3)]
    fit_many(ones, [(X, Y), (X, Y), (X[::2], Y[::2])])
    assert len(scaled) == 2


def test_one_that_diverges_leaves_the_others_fitted():
    wild, tame = clone(BASE).set_params(learning_rate=1e30), clone(BASE)
    with pytest.raises(ValueError, match="Training diverged"):
        fit_many([wild, tame], [(X, Y), (X, Y)])
    assert tame.score(X, Y) > 0.5
    assert not hasattr(wild, "members_")


def test_the_forest_of_a_second_try_is_that_of_the_first(monkeypatch):
    asked = []
    grow = attempts.guide
    monkeypatch.setattr(attempts, "guide", lambda *given, **more: asked.append(1) or grow(*given, **more))
    noise = np.random.default_rng(0).integers(0, 2, len(X))
    model = SparseMLPClassifier(8, epochs=2, n_ensemble=2, guided=True, random_state=0).fit(X, noise)
    assert model.recipe_.guided
    assert len(asked) == 1
