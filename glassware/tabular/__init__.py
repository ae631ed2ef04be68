"""Wide networks with a sparse first layer, as scikit-learn estimators for tables."""

from importlib.util import find_spec

from glassware.foundation.errors import GlasswareError

if find_spec("sklearn") is None:
    raise GlasswareError("glassware.tabular needs scikit-learn: pip install 'glassware[tabular]'.")

from glassware.tabular.estimators import SparseMLPClassifier, SparseMLPRegressor
from glassware.tabular.inputs import DataError
from glassware.tabular.validation import cross_validate_many, fit_many

__all__ = ["DataError", "SparseMLPClassifier", "SparseMLPRegressor", "cross_validate_many", "fit_many"]
