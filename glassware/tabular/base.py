"""What the classifier and the regressor share: parameters, the checked table, fitted networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import ClassVar, Literal, Self

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_consistent_length, check_random_state
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import check_is_fitted, validate_data

from glassware.foundation.arrays import Float, Float64, Shaped
from glassware.tabular.attempts import Attempt, Prepared
from glassware.tabular.columns import dense, typed
from glassware.tabular.dependence import dependence
from glassware.tabular.encoding import Encoding, Table, check_columns, select
from glassware.tabular.export import export
from glassware.tabular.fitting import fit_all
from glassware.tabular.inputs import DataError
from glassware.tabular.jobs import Outcome
from glassware.tabular.packing import Packed, pack, rounded, unpack
from glassware.tabular.parameters import CONSTRAINTS, Constraints, ParameterError
from glassware.tabular.predict import outputs
from glassware.tabular.reading import importances, interactions
from glassware.tabular.recipe import Recipe, recipe
from glassware.tabular.row_weights import row_weights


class SparseMLP(BaseEstimator):
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
        preset: ``default``, one recipe for all tables; ``quick``, with fewer and smaller networks; ``patient``, for
            tables whose columns are uninformative one by one, which the default falls back to when it has learnt
            little; ``paper``, that of Pareto Frontiers.
        precision: ``exact`` trains in float32, as the paper's preset does; ``fast`` rounds what is multiplied to
            bfloat16 (eight significant bits), sums in float32, and keeps weights, optimiser and predictions as they
            are, in 0.6 to 0.7 of the time for layers of 256 neurons. On a CPU without AVX512-BF16 instructions the
            kernel does exactly what it does for ``exact``.
        missing: ``native``: a missing number becomes the training column's median, and a further input says that it was
            missing; ``median``: the median alone; ``refuse`` NaN with a sentence.
        time_limit: seconds after which no further network is started; at least one of each kind is trained. On an
            accelerator, where all are trained at once, it decides only whether there is a second try.
        verbose: print a line per network, with the time that is left.
        callback: called as ``callback(done, networks)`` after each network; if it returns True, no further one is
            started.
        random_state: seed for weights and row order.

    Attributes:
        recipe_: the recipe that was used: the preset with the parameters filled in.
        members_: each network's layers, as a tuple of ``{"w": (in, out), "b": (out,)}`` NumPy arrays.
        views_: what each network reads of a row: scaled columns, or columns cut into pieces.
        found_sets_: sets of inputs that screening found to say something together, with p-values.
        n_features_in_: number of columns. feature_names_in_: their names, for frames.
        encoding_: how columns become numbers.
    """

    _classify: bool
    _parameter_constraints: ClassVar[Constraints] = CONSTRAINTS

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        cls.__doc__ = f"{cls.__doc__}\n\n{SparseMLP.__doc__}"  # help() shows the parameters of both

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
        time_limit: float | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, int], object] | None = None,
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
        self.time_limit = time_limit
        self.verbose = verbose
        self.callback = callback
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on the rows of ``X``; rows of weight zero are left out. If it fails, what was fitted before stays."""
        fresh = self._blank()
        fit_all([fresh], [fresh._prepare(X, y, sample_weight)])
        self._take(fresh)
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

    def dependence(self, X: ArrayLike, columns: Sequence[str | int] | None = None, points: int = 30) -> pl.DataFrame:
        """The mean prediction over rows of ``X`` as single columns change; of each column at ``points`` quantiles, or
        at its levels. Columns: ``column``, ``value`` or ``level``, ``output``, ``prediction``."""
        return dependence(self, self._new(X), columns, points)

    def export(self, path: str | PathLike[str]) -> None:
        """Write arrays (``.npz``) from which ``examples/tabular/predict_exported.py`` predicts with NumPy alone."""
        check_is_fitted(self)
        export(self, path)

    def _blank(self) -> Self:
        """An unfitted estimator with the same parameters, the same objects."""
        return type(self)(**self.get_params(deep=False))

    def _take(self, fresh: Self) -> None:
        """Become what was fitted, all at once."""
        parameters = self.get_params(deep=False)
        for name in [name for name in vars(self) if name.endswith("_") and name not in parameters]:
            delattr(self, name)
        for name, value in vars(fresh).items():
            if name not in parameters:
                setattr(self, name, value)

    def _prepare(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Prepared:
        """Everything before training that does not depend on the recipe: checks, columns, targets."""
        self._validate_params()
        first = self._recipe(self.preset)
        table, labels = self._read(X, y)
        weight = row_weights(labels, sample_weight, getattr(self, "class_weight", None))
        used = weight > 0
        if not used.all():  # copy only then: fits of one table share it
            table, labels, weight = select(table, used), labels[used], weight[used]
        weight = weight / weight.mean()
        truth = self._targets(labels, weight)
        seed = int(check_random_state(self.random_state).randint(2**31))
        self.encoding_, rows = Encoding.fit(table, truth, weight, self.missing, seed)
        sparsity = int(self.init_sparsity or 0)
        return Prepared(first, rows, labels, truth, weight, seed, self._classify, sparsity, self.validation_fraction)

    def _validate_params(self) -> None:
        try:
            super()._validate_params()
        except InvalidParameterError as error:
            raise ParameterError(str(error)) from None

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
        halves = made.recipe.precision == "fast"  # training has multiplied by no more of a weight
        self.members_ = [rounded(params) if halves else params for params, _ in networks]
        self.views_ = [view for _, view in networks]

    def _read(self, X: ArrayLike, y: ArrayLike) -> tuple[Table, Shaped[np.ndarray, "..."]]:
        """Checked columns and targets."""
        X = dense(X)
        columns = typed(X)
        if columns is None:
            with np.errstate(over="ignore", invalid="ignore"):  # the check sums targets, which may be huge
                table, labels = validate_data(
                    self, X, y, multi_output=True, dtype=np.float64, ensure_all_finite="allow-nan"
                )
        else:
            labels = validate_data(self, y=y, multi_output=True)
            validate_data(self, X, y, skip_check_array=True)  # names and number of the columns
            check_consistent_length(X, labels)
            table = columns
        check_columns(table, getattr(self, "feature_names_in_", None), self.missing)
        return table, self._labels(labels)

    def _new(self, X: ArrayLike) -> Table:
        """Checked new rows."""
        check_is_fitted(self)
        X = dense(X)
        table: Table | None = typed(X)
        if table is None:
            table = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        else:
            validate_data(self, X, skip_check_array=True, reset=False)
        check_columns(table, getattr(self, "feature_names_in_", None), self.missing)
        return table

    def _checked(self, X: ArrayLike) -> Float64[np.ndarray, "rows inputs"]:
        """New rows as the networks' views take them: encoded."""
        table = self._new(X)  # first: an unfitted estimator has no encoding
        return self.encoding_.transform(table)

    def _outputs(self, X: Float64[np.ndarray, "rows inputs"]) -> Float64[np.ndarray, "members rows outputs"]:
        """Outputs of each network for encoded rows."""
        return outputs(self.members_, self.views_, X)

    def _labels(self, y: Shaped[np.ndarray, "..."]) -> Shaped[np.ndarray, "..."]:
        raise NotImplementedError

    def _targets(
        self, y: Shaped[np.ndarray, "..."], weight: Float64[np.ndarray, " rows"]
    ) -> Float64[np.ndarray, "rows outputs"]:
        raise NotImplementedError

    def _contrast(self, out: Float64[np.ndarray, "rows outputs"]) -> Float64[np.ndarray, "rows outputs"]:
        raise NotImplementedError

    def __getstate__(self) -> dict[str, object]:
        state = super().__getstate__()
        return {**state, "members_": pack(state["members_"])} if "members_" in state else state

    def __setstate__(self, state: dict[str, object]) -> None:
        packed = state.get("members_")
        super().__setstate__({**state, "members_": unpack(packed)} if isinstance(packed, Packed) else state)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "members_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "refuse"
        tags.input_tags.sparse = tags.input_tags.categorical = True
        return tags
