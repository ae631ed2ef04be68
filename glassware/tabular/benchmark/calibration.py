"""How far predicted probabilities can be trusted: log loss, Brier score and expected calibration error."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from glassware.foundation.arrays import Float64, Int

BINS = 15  # of equal width, into which rows fall by the probability of their likeliest class
LEAST = 1e-15  # a class that was called impossible and came costs no more than the log of this


def probabilities(model: BaseEstimator, X: ArrayLike, classes: int) -> Float64[np.ndarray, "rows classes"]:
    """What a classifier gives each of the classes 0, 1, ...; 0 to those that it has not seen."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = np.asarray(model.predict_proba(X), np.float64)
    every = np.zeros((len(found), classes))
    every[:, np.asarray(model.classes_).astype(int)] = found
    return every


def scores(predicted: Float64[np.ndarray, "rows classes"], y: Int[np.ndarray, " rows"]) -> dict[str, float]:
    """Log loss, Brier score (the squares summed over all classes), and expected calibration error: how far the share of
    rows whose likeliest class is right lies from its probability, averaged over bins of rows by that probability."""
    rows = np.arange(len(y))
    truth = np.zeros_like(predicted)
    truth[rows, y] = 1.0
    confidence, right = predicted.max(axis=1), predicted.argmax(axis=1) == y
    place = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = np.bincount(place, right - confidence, BINS)
    return {
        "log_loss": float(-np.mean(np.log(np.maximum(predicted[rows, y], LEAST)))),
        "brier": float(np.mean(np.sum(np.square(predicted - truth), axis=1))),
        "calibration_error": float(np.abs(gaps).sum() / len(y)),
    }
