import pickle

import numpy as np
import pytest

from glassware.tabular import SparseMLPClassifier, SparseMLPRegressor, fit_many
from glassware.tabular.screening.screen import screen


def genotypes(rows, columns, seed):
    return np.random.default_rng(seed).binomial(2, 0.5, (rows, columns)).astype(float)


def flipped(label, share, seed):
    return np.asarray(label) ^ (np.random.default_rng(seed).random(len(label)) < share)


def test_noise_has_no_sets():
    """Thirty tables, three sizes of sets each, at a level of 1%: 0.9 are expected."""
    found = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = np.concatenate([genotypes(200, 6, seed), rng.normal(size=(200, 6))], axis=1)
        y = X[:, 0] + X[:, 6] + rng.normal(size=200)  # what single columns say is no interaction
        truth = np.eye(2)[(y > 1).astype(int)] if seed % 2 else ((y - y.mean()) / y.std())[:, None]
        found += screen(X, truth, np.ones(200), bool(seed % 2)).sets
    assert len(found) <= 4


@pytest.fixture(scope="module")
def pair():
    X = genotypes(2500, 30, 0)
    return X, flipped((X[:, 4] == 1) ^ (X[:, 9] == 1), 0.1, 1)


def test_a_pair_is_found_named_and_predicted_as_well_as_can_be(pair):
    X, y = pair
    model = SparseMLPClassifier(random_state=0, n_ensemble=6).fit(X[:500], y[:500])
    assert np.mean(model.predict(X[500:]) != y[500:]) < 0.12  # the best is 0.1
    table = model.interactions(2, X=X[:100], top=3)
    assert table["features"][0].to_list() == [4, 9]
    assert table["p_adjusted"][0] < 1e-6
    assert table["p_adjusted"][1:].null_count() == 2
    assert set(np.argsort(-model.feature_importances_)[:2]) == {4, 9}
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X[:50]), model.predict_proba(X[:50]))


def test_threes_and_fours_are_found():
    x = np.random.default_rng(0).choice([-1.0, 1.0], (2400, 25))
    y = flipped(x[:, [3, 8, 20]].prod(axis=1) > 0, 0.1, 1)
    model = SparseMLPClassifier(random_state=0, n_ensemble=3).fit(x[:400], y[:400])
    assert np.mean(model.predict(x[400:]) != y[400:]) < 0.12
    assert [one.columns for one in model.found_sets_] == [(3, 8, 20)]
    target = x[:, [1, 3, 8, 20]].prod(axis=1) + np.random.default_rng(1).normal(size=len(x))
    model = SparseMLPRegressor(random_state=0, n_ensemble=3).fit(x[:400], target[:400])
    assert model.score(x[400:], target[400:]) > 0.4  # the best is 0.5
    assert [one.columns for one in model.found_sets_] == [(1, 3, 8, 20)]


def test_among_many_useless_columns_networks_read_the_few_that_surely_say_something():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2000, 60)), rng.normal(size=2000)
    model = SparseMLPRegressor(random_state=0, n_ensemble=3)
    two = x[:, 5] + x[:, 7] + noise
    model.fit(x[:300], two[:300])
    assert model.found_sets_ == []
    assert set(np.flatnonzero(model.feature_importances_)) == {5, 7}
    assert model.score(x[300:], two[300:]) > 0.6  # the best is 0.67
    readable = lambda columns: screen(x[:300, columns], two[:300, None], np.ones(300), False).readable()
    assert readable(slice(5, 12)) is None  # two of seven are not few
    assert readable(slice(5, 13)).alone == [0, 2]


def test_without_interactions_a_fit_is_as_it_was():
    x = np.random.default_rng(0).normal(size=(300, 6))
    y = x[:, 0] + x[:, 1] + 0.5 * np.random.default_rng(1).normal(size=300) > 0
    one, other = (SparseMLPClassifier(random_state=0, n_ensemble=3, screened=on).fit(x, y) for on in (True, False))
    np.testing.assert_array_equal(one.predict_proba(x), other.predict_proba(x))
    assert one.found_sets_ == []


def test_fits_side_by_side_are_those_alone(pair):
    X, y = pair
    x = np.random.default_rng(0).normal(size=(300, 30))
    tables = [(X[:300], y[:300]), (x, x[:, 0] > 0), (X[:300], y[:300])]
    make = lambda seed: SparseMLPClassifier(random_state=seed, n_ensemble=2)
    together = fit_many([make(seed) for seed in range(3)], tables)
    for seed, (model, (rows, labels)) in enumerate(zip(together, tables, strict=True)):
        alone = make(seed).fit(rows, labels)
        np.testing.assert_array_equal(model.predict_proba(X[:100]), alone.predict_proba(X[:100]))
        assert model.found_sets_ == alone.found_sets_
