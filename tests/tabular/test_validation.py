import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold, cross_val_score

from glassware.tabular import SparseMLPClassifier, cross_validate_many

X, Y = load_iris(return_X_y=True)
BASE = SparseMLPClassifier(16, epochs=5, n_ensemble=2, learning_rate=0.02)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


def test_every_fit_equals_the_one_made_alone():
    grid = {"learning_rate": [0.005, 0.02], "init_sparsity": [None, 2], "hidden_layer_sizes": [16, (8, 8)]}
    table = cross_validate_many(BASE, X, Y, grid, cv=FOLDS, seeds=[3, 4], scoring="neg_log_loss")
    assert table.shape == (2 * 2 * 2 * 2 * 3, 6)
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
    with pytest.raises(ValueError, match="random_state belongs into seeds"):
        cross_validate_many(BASE, X, Y, {"random_state": [1]})
