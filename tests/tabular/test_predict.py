"""Predictions: the same however many rows are asked for, and from few bytes."""

import pickle

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from glassware.tabular import SparseMLPClassifier
from glassware.tabular.packing import pack, rounded, unpack

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1500, 8))
Y = (X[:, 0] > 0) + (X[:, 1] > 0.5)


@pytest.fixture(scope="module")
def fitted():
    model = SparseMLPClassifier((64, 32), epochs=5, n_ensemble=4, guided=False, early_stopping=False, random_state=0)
    return model.fit(X[:200], Y[:200])


def test_outputs_are_those_of_the_networks(fitted):
    for rows in (X[:40], X):
        for place, (params, view) in enumerate(zip(fitted.members_, fitted.views_, strict=True)):
            z = view.transform(rows)
            for layer in params[:-1]:
                z = np.maximum(z @ layer["w"].astype(float) + layer["b"], 0.0)
            expected = z @ params[-1]["w"].astype(float) + params[-1]["b"]
            np.testing.assert_allclose(fitted._outputs(rows)[place], expected, atol=1e-4 if len(rows) > 512 else 1e-12)


def test_a_row_is_predicted_alike_in_any_company(fitted):
    whole = fitted.predict_proba(X)
    assert np.abs(whole - np.vstack([fitted.predict_proba(X[i : i + 100]) for i in range(0, 1500, 100)])).max() < 1e-5
    few = fitted.predict_proba(X[:300])
    np.testing.assert_allclose(few[7:8], fitted.predict_proba(X[7:8]), rtol=1e-12)


def test_libraries_have_their_threads_back(fitted):
    before = [one["num_threads"] for one in threadpool_info()]
    fitted.predict(X)
    with pytest.raises(ValueError, match="infinity"):
        fitted.predict(np.full((600, 8), np.inf))
    assert [one["num_threads"] for one in threadpool_info()] == before


def test_a_pickle_takes_less_than_half_of_the_weights(fitted):
    model = SparseMLPClassifier(epochs=1, n_ensemble=6, guided=False, early_stopping=False).fit(X[:200], Y[:200])
    kept = pickle.dumps(model)
    size = sum(layer["w"].nbytes for params in model.members_ for layer in params)
    assert len(kept) < 0.4 * size + 100_000  # and the biases and scales
    again = pickle.loads(kept)
    for one, other in zip(model.members_, again.members_, strict=True):
        for layer, same in zip(one, other, strict=True):
            np.testing.assert_array_equal(layer["w"], same["w"])
            np.testing.assert_array_equal(layer["b"], same["b"])


def test_weights_that_do_not_fit_are_kept_as_they_are():
    draw = lambda *shape: RNG.normal(size=shape).astype(np.float32)
    exact = ({"w": draw(3, 4), "b": draw(4)}, {"w": draw(4, 2), "b": draw(2)})
    mixed = rounded(exact)[0], exact[1]
    for one, other in zip([exact, mixed], unpack(pack([exact, mixed])), strict=True):
        for layer, same in zip(one, other, strict=True):
            np.testing.assert_array_equal(layer["w"], same["w"])
    assert np.abs(rounded(exact)[0]["w"] / exact[0]["w"] - 1).max() <= 2**-8
    np.testing.assert_array_equal(rounded(rounded(exact))[1]["w"], rounded(exact)[1]["w"])
