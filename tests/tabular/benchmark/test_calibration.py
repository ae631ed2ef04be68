import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import brier_score_loss, log_loss

from glassware.tabular.benchmark.calibration import probabilities, scores

RNG = np.random.default_rng(0)


def test_log_loss_and_brier_are_scikit_learns():
    chances = RNG.dirichlet(np.ones(3), 200)
    y = RNG.integers(0, 3, 200)
    found = scores(chances, y)
    assert found["log_loss"] == pytest.approx(log_loss(y, chances))
    two = np.column_stack([1 - chances[:, 0], chances[:, 0]])
    assert scores(two, y % 2)["brier"] == pytest.approx(2 * brier_score_loss(y % 2, two[:, 1]))


def test_honest_probabilities_have_no_calibration_error_and_bold_ones_have():
    sure = RNG.uniform(0.5, 1.0, 100_000)
    y = (RNG.random(100_000) > sure).astype(int)
    honest = scores(np.column_stack([sure, 1 - sure]), y)
    bold = scores(np.tile([0.99, 0.01], (100_000, 1)), y)
    assert honest["calibration_error"] < 0.01
    assert bold["calibration_error"] == pytest.approx(0.99 - 0.75, abs=0.01)


def test_a_class_that_was_not_seen_is_called_impossible():
    X = RNG.normal(size=(20, 2))
    model = RandomForestClassifier(5, random_state=0).fit(X, np.arange(20) % 2 * 2)
    found = probabilities(model, X, 4)
    assert found.shape == (20, 4)
    assert not found[:, [1, 3]].any()
    assert scores(found, np.ones(20, int))["log_loss"] == pytest.approx(-np.log(1e-15))
