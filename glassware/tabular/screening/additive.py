"""What is left of a target after an additive model, and how well such a model predicts rows it has not seen."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

from glassware.foundation.arrays import Float

INVERSE_PENALTY = 0.3


class Additive:
    """A linear or logistic model on whatever inputs it is given."""

    def __init__(
        self, truth: Float[np.ndarray, "rows outputs"], weight: Float[np.ndarray, " rows"], classify: bool
    ) -> None:
        """
        Args:
            truth: targets: of each class, or a number.
            weight: of rows.
            classify: whether targets are classes.
        """
        self.truth, self.weight, self.classify = truth, weight, classify

    def predicted(
        self, inputs: Float[np.ndarray, "rows inputs"], learnt: np.ndarray, asked: np.ndarray
    ) -> Float[np.ndarray, "asked outputs"]:
        """What a model fitted on some rows says about others."""
        truth, weight = self.truth[learnt], self.weight[learnt]
        if inputs.shape[1] == 0 or (self.classify and (truth.sum(axis=0) == 0).any()):
            return np.repeat(np.average(truth, axis=0, weights=weight)[None], len(asked), axis=0)
        if not self.classify:
            linear = Ridge(alpha=1.0 / INVERSE_PENALTY).fit(inputs[learnt], truth, weight)
            return np.asarray(linear.predict(inputs[asked])).reshape(len(asked), -1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nearly converged is enough
            logistic = LogisticRegression(C=INVERSE_PENALTY, max_iter=100)
            logistic.fit(inputs[learnt], truth.argmax(axis=1), weight)
        return np.asarray(logistic.predict_proba(inputs[asked]))

    def residuals(self, inputs: Float[np.ndarray, "rows inputs"]) -> Float[np.ndarray, "rows outputs"]:
        """What is left, of standard deviation 1, weighted; of two classes the first one's is left out."""
        rows = np.arange(len(self.truth))
        left = self.weight[:, None] * (self.truth - self.predicted(inputs, rows, rows))
        left = left[:, 1:] if left.shape[1] == 2 else left
        left -= left.mean(axis=0)
        spread = left.std(axis=0)
        return np.asarray(left / np.where(spread > 0, spread, 1.0))


def whitened(left: Float[np.ndarray, "rows outputs"]) -> Float[np.ndarray, "rows fewer"]:
    """Residuals turned so that they are uncorrelated and of variance 1; directions without any are left out."""
    if left.shape[1] == 1:
        return left
    u, size, _ = np.linalg.svd(left - left.mean(axis=0), full_matrices=False)
    return np.asarray(np.sqrt(len(left)) * u[:, size > 1e-6 * max(float(size[0]), 1e-300)])
