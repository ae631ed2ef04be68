"""What the estimators' parameters may be, as scikit-learn checks it."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, TypeAlias

from sklearn.utils._param_validation import Interval, InvalidParameterError, StrOptions

from glassware.tabular.inputs import DataError
from glassware.tabular.recipe import PRESETS

Constraints: TypeAlias = dict[str, list[Any]]


class ParameterError(DataError, InvalidParameterError):
    """A parameter that cannot be used, as scikit-learn's own estimators say it."""


CONSTRAINTS: Constraints = {
    "hidden_layer_sizes": ["array-like", Interval(Integral, 1, None, closed="left"), None],
    "init_sparsity": [Interval(Integral, 1, None, closed="left"), None],
    "learning_rate": [Interval(Real, 0, None, closed="left"), None],
    "weight_decay": [Interval(Real, 0, None, closed="left"), None],
    "epochs": [Interval(Integral, 1, None, closed="left"), None],
    "batch_size": [Interval(Integral, 1, None, closed="left"), None],
    "early_stopping": ["boolean", None],
    "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
    "n_ensemble": [Interval(Integral, 1, None, closed="left"), None],
    "guided": ["boolean", None],
    "cuts": [Interval(Integral, 0, None, closed="left"), None],
    "screened": ["boolean"],
    "preset": [StrOptions({*PRESETS})],
    "precision": [StrOptions({"exact", "fast"}), None],
    "missing": [StrOptions({"native", "median", "refuse"})],
    "time_limit": [Interval(Real, 0, None, closed="neither"), None],
    "verbose": ["verbose"],
    "callback": [callable, None],
    "random_state": ["random_state"],
}
