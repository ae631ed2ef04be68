"""What is left of a target after an additive model."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

from glassware.foundation.arrays import Float

INVERSE_PENALTY = 0.3


class Additive:
    """A linear model, for two classes a logistic one, on whatever inputs it is given."""

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

    def predicted(self, inputs: Float[np.ndarray, "rows inputs"]) -> Float[np.ndarray, "rows outputs"]:
        """What the model, fitted on all rows, says about them."""
        if inputs.shape[1] == 0:
            return np.average(self.truth, axis=0, weights=self.weight)[None]
        if not self.classify or self.truth.shape[1] > 2:  # a logistic model of many classes takes too long
            linear = Ridge(alpha=1.0 / INVERSE_PENALTY).fit(inputs, self.truth, self.weight)
            return np.asarray(linear.predict(inputs)).reshape(self.truth.shape)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nearly converged is enough
            logistic = LogisticRegression(C=INVERSE_PENALTY).fit(inputs, self.truth[:, 1] > 0.5, self.weight)
        return np.asarray(logistic.predict_proba(inputs))

    def residuals(self, inputs: Float[np.ndarray, "rows inputs"]) -> Float[np.ndarray, "rows outputs"]:
        """What is left, of standard deviation 1, weighted; of two classes the first one's is left out."""
        left = self.weight[:, None] * (self.truth - self.predicted(inputs))
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
