"""How predictions depend on single columns, the others as they are in the rows (Friedman's partial dependence)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from glassware.foundation.arrays import Float, Shaped
from glassware.tabular.columns import Column
from glassware.tabular.encoding import Table, as_columns, select
from glassware.tabular.inputs import DataError

if TYPE_CHECKING:
    from glassware.tabular.estimators import Estimator

MOST_ROWS = 300  # over which predictions are averaged
SCHEMA = {"column": pl.String, "value": pl.Float64, "level": pl.String, "output": pl.String, "prediction": pl.Float64}


def dependence(estimator: Estimator, table: Table, columns: Sequence[str | int] | None, points: int) -> pl.DataFrame:
    """See :meth:`SparseMLPClassifier.dependence`; ``table`` is checked."""
    names = [str(name) for name in getattr(estimator, "feature_names_in_", range(estimator.n_features_in_))]
    if points < 2:
        raise DataError(f"points must be at least 2, not {points}.")
    for column in columns or ():
        if str(column) not in names:
            raise DataError(f"There is no column {column!r}; columns are {', '.join(names[:6])}, ...")
    given = as_columns(table) if isinstance(table, np.ndarray) else table
    count = len(given[0].values)
    chosen = np.zeros(count, bool)
    chosen[np.random.default_rng(0).permutation(count)[:MOST_ROWS]] = True
    kept = select(given, chosen)
    assert isinstance(kept, list)
    outputs = [str(name) for name in estimator.classes_] if estimator._classify else None
    rows = []
    for name in names if columns is None else map(str, columns):
        place = names.index(name)
        values = _values(given[place], points)
        for value in values:
            same = np.full(int(chosen.sum()), value, values.dtype)
            moved = [*kept[:place], kept[place]._replace(values=same), *kept[place + 1 :]]
            for output, mean in enumerate(_means(estimator, moved)):
                word = kept[place].kind == "word"
                rows.append(
                    {
                        "column": name,
                        "value": None if word else float(value),
                        "level": str(value) if word else None,
                        "output": outputs[output] if outputs else f"target {output}",
                        "prediction": float(mean),
                    }
                )
    return pl.DataFrame(rows, schema=SCHEMA)


def _means(estimator: Estimator, columns: list[Column]) -> Float[np.ndarray, " outputs"]:
    x = estimator.encoding_.transform(columns)
    found = estimator._probabilities(x) if estimator._classify else estimator._numbers(x)
    return np.atleast_1d(found.mean(axis=0))


def _values(column: Column, points: int) -> Shaped[np.ndarray, " values"]:
    """Numbers at even quantiles; levels, those of an ordered category in their order."""
    if column.kind == "word":
        found = {word for word in column.values if word is not None}
        return np.array([level for level in column.order or sorted(found) if level in found], object)
    if column.kind == "moment":
        raise DataError(f"Column {column.name!r} holds dates; predictions can follow numbers and words only.")
    known = column.values[~np.isnan(column.values)]
    if not len(known):
        raise DataError(f"Column {column.name!r} has no values.")
    return np.unique(np.quantile(known, np.linspace(0.0, 1.0, points)))
