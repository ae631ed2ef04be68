"""The estimators, as scikit-learn knows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import Tags, column_or_1d
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets

from glassware.foundation.arrays import Float64, Shaped
from glassware.tabular.base import SparseMLP
from glassware.tabular.inputs import DataError
from glassware.tabular.parameters import CONSTRAINTS, Constraints

LARGEST = 0.999 * float(np.finfo(np.float64).max)


class SparseMLPClassifier(ClassifierMixin, SparseMLP):  # type: ignore[misc]
    """Classifies rows of a table by wide networks whose first layer starts sparse; ``classes_`` are the labels.

    Beside the parameters below, ``class_weight`` weighs rows by their class: a dictionary, or ``balanced`` for weights
    inversely proportional to how often classes occur.

    >>> import numpy as np
    >>> from glassware import SparseMLPClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> model = SparseMLPClassifier(32, preset="paper", learning_rate=0.03, epochs=20, random_state=0)
    >>> model.fit(X, X[:, 0] > 0).score(X, X[:, 0] > 0) > 0.8
    True
    """

    _classify = True
    _parameter_constraints: ClassVar[Constraints] = {
        **CONSTRAINTS,
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        hidden_layer_sizes: tuple[int, ...] | int | None = None,
        *,
        init_sparsity: int | None = 2,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        epochs: int | None = None,
        batch_size: int | None = None,
        early_stopping: bool | None = None,
        validation_fraction: float = 0.125,
        n_ensemble: int | None = None,
        guided: bool | None = None,
        cuts: int | None = None,
        screened: bool = True,
        preset: Literal["default", "quick", "patient", "paper"] = "default",
        precision: Literal["exact", "fast"] | None = None,
        missing: Literal["native", "median", "refuse"] = "native",
        class_weight: Mapping[object, float] | Literal["balanced"] | None = None,
        time_limit: float | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, int], object] | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            hidden_layer_sizes,
            init_sparsity=init_sparsity,
            learning_rate=learning_rate,
            weight_decay=weight_decay,
            epochs=epochs,
            batch_size=batch_size,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_ensemble=n_ensemble,
            guided=guided,
            cuts=cuts,
            screened=screened,
            preset=preset,
            precision=precision,
            missing=missing,
            time_limit=time_limit,
            verbose=verbose,
            callback=callback,
            random_state=random_state,
        )
        self.class_weight = class_weight

    def predict_proba(self, X: ArrayLike) -> Float64[np.ndarray, "rows classes"]:
        """Probability of each class, averaged over the networks."""
        return self._probabilities(self._checked(X))

    def predict(self, X: ArrayLike) -> Shaped[np.ndarray, " rows"]:
        """The likeliest class."""
        likeliest = self.predict_proba(X).argmax(axis=1)
        return self.classes_[likeliest]

    def _probabilities(self, x: Float64[np.ndarray, "rows inputs"]) -> Float64[np.ndarray, "rows classes"]:
        logits = self._outputs(x)
        odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return (odds / odds.sum(axis=-1, keepdims=True)).mean(axis=0)

    def _labels(self, y: Shaped[np.ndarray, "..."]) -> Shaped[np.ndarray, " rows"]:
        if y.ndim == 2 and y.shape[1] > 1:
            raise DataError(
                f"y has {y.shape[1]} columns, and the classifier learns one label per row: y should be a 1d array; for"
                " more labels wrap it in sklearn.multioutput.MultiOutputClassifier."
            )
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        return labels

    def _targets(
        self, y: Shaped[np.ndarray, " rows"], weight: Float64[np.ndarray, " rows"]
    ) -> Float64[np.ndarray, "rows outputs"]:
        self.classes_, index = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(f"A classifier needs rows of at least 2 classes; all are of one class, '{y[0]}'.")
        return np.eye(len(self.classes_))[index]

    def _score(self, x: Float64[np.ndarray, "rows inputs"], y: Shaped[np.ndarray, " rows"]) -> float:
        return float(accuracy_score(y, self.classes_[self._probabilities(x).argmax(axis=1)]))

    def _contrast(self, out: Float64[np.ndarray, "rows outputs"]) -> Float64[np.ndarray, "rows outputs"]:
        """Logits minus their mean over classes, which softmax ignores."""
        return out - out.mean(axis=1, keepdims=True)


class SparseMLPRegressor(RegressorMixin, SparseMLP):  # type: ignore[misc]
    """Predicts a number, or several, for rows of a table by wide networks whose first layer starts sparse.

    >>> import numpy as np
    >>> from glassware import SparseMLPRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> model = SparseMLPRegressor(32, preset="paper", learning_rate=0.03, epochs=20, random_state=0)
    >>> model.fit(X, X[:, 0] * X[:, 1]).predict(X[:3]).shape
    (3,)
    """

    _classify = False

    def predict(self, X: ArrayLike) -> Float64[np.ndarray, "..."]:
        """The mean prediction of the networks, shaped like the targets."""
        return self._numbers(self._checked(X))

    def _numbers(self, x: Float64[np.ndarray, "rows inputs"]) -> Float64[np.ndarray, "..."]:
        found = self._outputs(x).mean(axis=0) * self.spread_ + self.centre_
        most = LARGEST / np.maximum(self.unit_, 1.0)  # beyond the largest targets predictions must not become infinite
        found = np.clip(found, -most, most) * self.unit_
        return found if self.several_ else found[:, 0]

    def _labels(self, y: Shaped[np.ndarray, "..."]) -> Float64[np.ndarray, "..."]:
        self.several_ = y.ndim == 2 and y.shape[1] > 1
        return np.asarray(y if self.several_ else column_or_1d(y, warn=True), np.float64)

    def _targets(
        self, y: Float64[np.ndarray, "..."], weight: Float64[np.ndarray, " rows"]
    ) -> Float64[np.ndarray, "rows outputs"]:
        y = y.reshape(len(y), -1)
        largest = np.max(np.abs(y), axis=0)
        self.unit_ = np.where(largest > 0, largest, 1.0)  # sums and squares of numbers near the largest overflow
        y = y / self.unit_
        self.centre_ = np.average(y, axis=0, weights=weight)
        spread = np.sqrt(np.average(np.square(y - self.centre_), axis=0, weights=weight))
        constant = y.max(axis=0) == y.min(axis=0)  # of which a deviation is a rounding error
        self.spread_ = np.where(constant | (spread == 0), 1.0, spread)
        return (y - self.centre_) / self.spread_

    def _score(self, x: Float64[np.ndarray, "rows inputs"], y: Shaped[np.ndarray, "..."]) -> float:
        return float(r2_score(y, self._numbers(x)))

    def _contrast(self, out: Float64[np.ndarray, "rows outputs"]) -> Float64[np.ndarray, "rows outputs"]:
        """Outputs in the units of the target."""
        return out * self.spread_ * self.unit_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


Estimator: TypeAlias = SparseMLPClassifier | SparseMLPRegressor
