"""What a user must be able to rely on: parameters, failed fits, limits of time, progress."""

import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils._param_validation import InvalidParameterError

from glassware.foundation.errors import GlasswareError
from glassware.tabular import SparseMLPClassifier, SparseMLPRegressor, attempts

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 6))
Y = X[:, 0] * X[:, 1] > 0
SMALL = {"hidden_layer_sizes": 16, "epochs": 20, "n_ensemble": 6, "learning_rate": 0.02, "random_state": 0,
         "guided": False, "early_stopping": False}  # fmt: skip


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"preset": "best"}, "The 'preset' parameter of SparseMLPClassifier must be a str among"),
        ({"hidden_layer_sizes": (0,)}, "hidden_layer_sizes must be whole numbers from 1"),
        ({"init_sparsity": 0}, "The 'init_sparsity' parameter .* must be an int in the range"),
        ({"cuts": -1}, "The 'cuts' parameter .* must be an int in the range"),
        ({"epochs": 2.5}, "The 'epochs' parameter .* Got 2.5 instead"),
        ({"n_ensemble": float("inf")}, "The 'n_ensemble' parameter .* must be an int in the range .* Got inf"),
        ({"learning_rate": float("nan")}, "The 'learning_rate' parameter .* must be a float in the range"),
        ({"precision": "half"}, "The 'precision' parameter .* must be a str among"),
        ({"missing": "drop"}, "The 'missing' parameter .* must be a str among"),
        ({"validation_fraction": 1.0}, "The 'validation_fraction' parameter .* in the range \\(0.0, 1.0\\)"),
        ({"class_weight": "heavy"}, "The 'class_weight' parameter .* must be an instance of 'dict', a str among"),
        ({"time_limit": 0}, "The 'time_limit' parameter .* in the range \\(0.0, inf\\)"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(GlasswareError, match=sentence) as caught:
        SparseMLPClassifier(**{**SMALL, **parameters}).fit(X, Y)
    assert isinstance(caught.value, ValueError)
    assert "hidden" in sentence or isinstance(caught.value, InvalidParameterError)


@pytest.mark.parametrize("kind", [SparseMLPClassifier, SparseMLPRegressor])
def test_a_failed_refit_leaves_the_model_as_it_was(kind):
    model = kind(**SMALL).fit(X, Y)
    kept, before = dict(vars(model)), model.predict(X)
    for more, rows, labels in (
        ({"learning_rate": 1e30}, X[:, :3], np.arange(200) % 5),  # fails when it is trained
        ({"learning_rate": 0.02}, X[:, :2], np.full(200, np.nan)),
        ({"cuts": -1}, X, Y),
    ):
        with pytest.raises(ValueError, match=r"diverged|NaN|'cuts'"):
            model.set_params(**more).fit(rows, labels)
        model.set_params(**{name: SMALL.get(name) for name in more})
        assert vars(model) == kept
    np.testing.assert_array_equal(model.predict(X), before)


def test_a_fit_on_an_array_forgets_the_names_of_a_frame():
    frames = pytest.importorskip("pandas")
    model = SparseMLPClassifier(**SMALL).fit(frames.DataFrame(X, columns=list("abcdef")), Y)
    assert not hasattr(model.fit(X, Y), "feature_names_in_")


def test_when_time_is_up_what_is_trained_is_kept():
    of_all = {**SMALL, "early_stopping": True, "screened": False}
    model = SparseMLPClassifier(**of_all, time_limit=1e-6).fit(X, Y)
    views = {type(view).__name__ for view in model.views_}
    assert views == {"Scaling", "Cuts"}  # at least one network of each kind
    assert len(model.members_) < 6
    whole = clone(model).set_params(time_limit=1000).fit(X, Y)
    assert len(whole.members_) == 6
    np.testing.assert_array_equal(whole.predict(X), clone(model).set_params(time_limit=None).fit(X, Y).predict(X))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_progress_is_told_and_may_end_the_fit(capsys):
    seen = []
    model = SparseMLPClassifier(**SMALL, verbose=True, callback=lambda *done: seen.append(done)).fit(X, Y)
    assert seen == [(i, 6) for i in range(1, 7)]
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 6
    assert said[2].startswith("network 3 of 6, 0:0")
    assert said[2].endswith(" left")
    model.set_params(callback=lambda done, planned: done == 2, verbose=False).fit(X, Y)
    assert 2 <= len(model.members_) <= 4  # what other cores had begun is finished
    assert capsys.readouterr().out == ""


def test_an_interrupted_fit_leaves_the_model_as_it_was():
    model = SparseMLPClassifier(**SMALL).fit(X, Y)
    before = model.predict_proba(X)

    def interrupt(done, planned):
        raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.set_params(callback=interrupt).fit(X, ~Y)
    assert time.monotonic() - started < 30
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_extreme_weights_and_targets():
    weight = np.where(np.arange(200) % 2, 1e308, 5e307)
    heavy, light = (SparseMLPClassifier(**SMALL).fit(X, Y, weight * scale) for scale in (1.0, 1e-307))
    np.testing.assert_allclose(heavy.predict_proba(X), light.predict_proba(X), atol=1e-3)
    huge = np.where(X[:, 0] > 0, 1.7e308, -1.7e308)
    model = SparseMLPRegressor(**SMALL).fit(X, huge)
    found = model.predict(np.vstack([X, 100 * X]))
    assert np.isfinite(found).all()
    assert np.mean(np.sign(found[:200]) == np.sign(huge)) > 0.9
    assert np.abs(found[:200]).max() > 1e308


def test_quick_is_the_default_with_fewer_networks_trees_and_steps(monkeypatch):
    grown = []
    grow = attempts.guide
    monkeypatch.setattr(attempts, "guide", lambda *given, trees, leaf: grown.append(trees) or grow(*given, trees=trees))
    model = SparseMLPClassifier(8, preset="quick", random_state=0).fit(X, Y)
    assert (len(model.members_), grown) == (6, [30])
    whole = SparseMLPClassifier()._recipe("default")
    assert model.recipe_.passes(10_000) == pytest.approx(whole.passes(10_000) / 2, abs=1)
    assert {type(view).__name__ for view in model.views_} == {"Scaling", "Cuts"}
