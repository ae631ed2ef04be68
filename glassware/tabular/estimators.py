"""The estimators, as scikit-learn knows them."""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import Tags, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from glassware.foundation.arrays import Float, Float64, Shaped
from glassware.tabular.attempts import Attempt, Prepared
from glassware.tabular.fitting import fit_all
from glassware.tabular.inputs import DataError, refuse_categories, refuse_missing
from glassware.tabular.jobs import Outcome
from glassware.tabular.network import outputs
from glassware.tabular.reading import importances, interactions
from glassware.tabular.recipe import Recipe, recipe


class _SparseMLP(BaseEstimator):
    """Parameters that are None take the preset's value.

    Args:
        hidden_layer_sizes: widths of the hidden layers, first to last; a number means one layer.
        init_sparsity: every first-layer neuron starts with this many incoming weights (of size 1), the rest at 0 and
            free to grow; with ``guided``, with fewer where a path of the forest has fewer columns. None: all weights
            drawn. Nothing is masked.
        learning_rate: the peak learning rate.
        weight_decay: lambda.
        epochs: passes over the rows.
        batch_size: rows per step.
        early_stopping: each network holds out rows of its own, and networks with the same inputs keep the weights from
            when these rows, all together, were predicted best.
        validation_fraction: share of the rows that a network holds out.
        n_ensemble: networks trained side by side; their predictions are averaged.
        guided: a forest on the same rows tells which columns neurons should start on and where they should bend (the
            default preset's), how columns are scaled and where they are cut, and its vote softens labels.
        cuts: every third network of an ensemble reads, instead of scaled columns, pieces of columns made by this many
            cuts in all, and starts dense. None does at 0, or where there is nothing to cut (without ``guided``: if
            there are more columns than cuts).
        screened: before training, look through all pairs, threes and fours of columns for what they say only together;
            where that explains clearly more, networks read the columns found, with what they say together, instead of
            all (the default preset's).
        preset: ``default``, one recipe for all tables; ``patient``, for tables whose columns are uninformative one by
            one, which the default falls back to when it has learnt little; ``paper``, that of Pareto Frontiers.
        precision: ``exact`` trains in float32, as the paper's preset does; ``fast`` rounds what is multiplied to
            bfloat16 (eight significant bits), sums in float32, and keeps weights, optimiser and predictions as they
            are, in 0.6 to 0.7 of the time for layers of 256 neurons. On a CPU without AVX512-BF16 instructions the
            kernel does exactly what it does for ``exact``.
        missing: ``refuse`` NaN with a sentence, or fill it with the training column's ``median``.
        random_state: seed for weights and row order.

    Attributes:
        recipe_: the recipe that was used: the preset with the parameters filled in.
        members_: each network's layers, as a tuple of ``{"w": (in, out), "b": (out,)}`` NumPy arrays.
        views_: what each network reads of a row: scaled columns, or columns cut into pieces.
        found_sets_: sets of columns that screening found to say something together, with p-values.
        n_features_in_: number of columns. feature_names_in_: their names, for frames.
    """

    _classify: bool

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        cls.__doc__ = f"{cls.__doc__}\n\n{_SparseMLP.__doc__}"  # help() shows the parameters of both

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
        preset: Literal["default", "patient", "paper"] = "default",
        precision: Literal["exact", "fast"] | None = None,
        missing: Literal["refuse", "median"] = "refuse",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.init_sparsity = init_sparsity
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.epochs = epochs
        self.batch_size = batch_size
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_ensemble = n_ensemble
        self.guided = guided
        self.cuts = cuts
        self.screened = screened
        self.preset = preset
        self.precision = precision
        self.missing = missing
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on the rows of ``X``; rows of weight zero are left out."""
        fit_all([self], [self._prepare(X, y, sample_weight)])
        return self

    @property
    def feature_importances_(self) -> Float[np.ndarray, " columns"]:
        """How much the first layer reads each column, weighted by what follows; sums to 1."""
        check_is_fitted(self)
        return importances(self)

    def interactions(
        self, k: int = 3, X: ArrayLike | None = None, y: ArrayLike | None = None, top: int = 10
    ) -> pl.DataFrame:
        """Sets of ``k`` columns used together: what screening found, then what neurons read, strongest first.

        Args:
            k: size of the sets.
            X: rows to measure on. Without them sets are ranked by the first layer's weights alone.
            y: their targets; adds what the score loses when the set is shuffled.
            top: number of sets.

        Returns:
            ``features`` (names, or numbers for arrays), ``weight`` (share of the first layer's reading), ``strength``
            (standard deviation of the part of the output that only the whole set explains), ``score_drop``,
            ``p_adjusted`` (of sets that screening found: the probability that chance alone looks so clear).
        """
        check_is_fitted(self)
        return interactions(self, k, X, y, top)

    def _prepare(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Prepared:
        """Everything before training that does not depend on the recipe: checks, columns, targets."""
        if self.init_sparsity is not None and not (
            self.init_sparsity >= 1 and int(self.init_sparsity) == self.init_sparsity
        ):
            raise DataError(f"init_sparsity must be a whole number from 1, or None, not {self.init_sparsity!r}.")
        if not 0 < self.validation_fraction < 1:
            raise DataError(f"validation_fraction must lie between 0 and 1, not {self.validation_fraction!r}.")
        if self.missing not in ("refuse", "median"):
            raise DataError(f"missing must be 'refuse' or 'median', not {self.missing!r}.")
        first = self._recipe(self.preset)
        rows, labels = self._columns(X, y)
        weight = _check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
        used = weight > 0
        if not used.any():
            raise DataError("sample_weight must have a positive entry; all are zero.")
        if not used.all():  # copy only then: fits of one table share it
            rows, labels, weight = rows[used], labels[used], weight[used]
        truth = self._targets(labels, weight)
        seed = int(check_random_state(self.random_state).randint(2**31))
        sparsity = int(self.init_sparsity or 0)
        mean = weight / weight.mean()
        return Prepared(first, rows, labels, truth, mean, seed, self._classify, sparsity, self.validation_fraction)

    def _recipe(self, preset: str) -> Recipe:
        """A preset with this estimator's parameters filled in."""
        names = (
            "hidden_layer_sizes",
            "learning_rate",
            "weight_decay",
            "epochs",
            "batch_size",
            "n_ensemble",
            "early_stopping",
            "guided",
            "cuts",
            "precision",
        )
        return recipe(preset, **{name: getattr(self, name) for name in names})

    def _finish(self, made: Attempt, outcomes: list[Outcome]) -> None:
        """Keep the trained networks."""
        networks = made.networks(outcomes)
        if not all(np.isfinite(layer["w"]).all() for params, _ in networks for layer in params):
            raise DataError(f"Training diverged: learning_rate = {made.recipe.learning_rate} is too large.")
        self.recipe_ = made.recipe
        self.members_, self.views_ = [params for params, _ in networks], [view for _, view in networks]

    def _columns(
        self, X: ArrayLike, y: ArrayLike
    ) -> tuple[Float64[np.ndarray, "rows columns"], Shaped[np.ndarray, " rows"]]:
        """Checked columns and targets."""
        refuse_categories(X)
        rows, labels = validate_data(self, X, y, multi_output=True, dtype=np.float64, ensure_all_finite="allow-nan")
        self._refuse_missing(rows)
        return rows, column_or_1d(labels, warn=True)

    def _refuse_missing(self, rows: Float64[np.ndarray, "rows columns"]) -> None:
        if self.missing == "refuse":
            refuse_missing(rows, getattr(self, "feature_names_in_", None))

    def _outputs(self, X: Float64[np.ndarray, "rows columns"]) -> Float64[np.ndarray, "members rows outputs"]:
        """Outputs of each network for checked rows."""
        return outputs(self.members_, self.views_, X)

    def _checked(self, X: ArrayLike) -> Float64[np.ndarray, "rows columns"]:
        """Columns of new rows."""
        check_is_fitted(self)
        refuse_categories(X)
        rows = np.asarray(validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False))
        self._refuse_missing(rows)
        return rows

    def _targets(
        self, y: Shaped[np.ndarray, " rows"], weight: Float64[np.ndarray, " rows"]
    ) -> Float64[np.ndarray, "rows outputs"]:
        raise NotImplementedError

    def _contrast(self, out: Float64[np.ndarray, "rows outputs"]) -> Float64[np.ndarray, "rows outputs"]:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "members_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "median"
        return tags


class SparseMLPClassifier(ClassifierMixin, _SparseMLP):  # type: ignore[misc]
    """Classifies rows of a table by wide networks whose first layer starts sparse; ``classes_`` are the labels.

    >>> import numpy as np
    >>> from glassware import SparseMLPClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> model = SparseMLPClassifier(32, preset="paper", learning_rate=0.03, epochs=20, random_state=0)
    >>> model.fit(X, X[:, 0] > 0).score(X, X[:, 0] > 0) > 0.8
    True
    """

    _classify = True

    def predict_proba(self, X: ArrayLike) -> Float64[np.ndarray, "rows classes"]:
        """Probability of each class, averaged over the networks."""
        logits = self._outputs(self._checked(X))
        odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return (odds / odds.sum(axis=-1, keepdims=True)).mean(axis=0)

    def predict(self, X: ArrayLike) -> Shaped[np.ndarray, " rows"]:
        """The likeliest class."""
        likeliest = self.predict_proba(X).argmax(axis=1)
        return self.classes_[likeliest]

    def _targets(
        self, y: Shaped[np.ndarray, " rows"], weight: Float64[np.ndarray, " rows"]
    ) -> Float64[np.ndarray, "rows outputs"]:
        check_classification_targets(y)
        self.classes_, index = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(f"A classifier needs rows of at least 2 classes; all are of one class, '{y[0]}'.")
        return np.eye(len(self.classes_))[index]

    def _contrast(self, out: Float64[np.ndarray, "rows outputs"]) -> Float64[np.ndarray, "rows outputs"]:
        """Logits minus their mean over classes, which softmax ignores."""
        return out - out.mean(axis=1, keepdims=True)


class SparseMLPRegressor(RegressorMixin, _SparseMLP):  # type: ignore[misc]
    """Predicts a number for rows of a table by wide networks whose first layer starts sparse.

    >>> import numpy as np
    >>> from glassware import SparseMLPRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> model = SparseMLPRegressor(32, preset="paper", learning_rate=0.03, epochs=20, random_state=0)
    >>> model.fit(X, X[:, 0] * X[:, 1]).predict(X[:3]).shape
    (3,)
    """

    _classify = False

    def predict(self, X: ArrayLike) -> Float64[np.ndarray, " rows"]:
        """The mean prediction of the networks."""
        scaled = self._outputs(self._checked(X)).mean(axis=0)[:, 0]
        return scaled * self._y_spread + self._y_centre

    def _targets(
        self, y: Shaped[np.ndarray, " rows"], weight: Float64[np.ndarray, " rows"]
    ) -> Float64[np.ndarray, "rows outputs"]:
        y = np.asarray(y, np.float64)
        self._y_centre = float(np.average(y, weights=weight))
        largest = float(np.max(np.abs(y - self._y_centre))) or 1.0  # squaring could overflow
        spread = largest * float(np.sqrt(np.average(np.square((y - self._y_centre) / largest), weights=weight)))
        self._y_spread = spread or 1.0
        return ((y - self._y_centre) / self._y_spread)[:, None]

    def _contrast(self, out: Float64[np.ndarray, "rows outputs"]) -> Float64[np.ndarray, "rows outputs"]:
        """Outputs in the units of the target."""
        return out * self._y_spread


Estimator: TypeAlias = SparseMLPClassifier | SparseMLPRegressor
