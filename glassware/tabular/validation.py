"""Many fits at once: tables, seeds, folds and settings of one shape are lanes of one program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import polars as pl
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import BaseCrossValidator, ParameterGrid, check_cv
from sklearn.utils import _safe_indexing, indexable

from glassware.tabular.estimators import SparseMLPClassifier, SparseMLPRegressor
from glassware.tabular.fitting import fit_all
from glassware.tabular.inputs import DataError

Estimator = TypeVar("Estimator", SparseMLPClassifier, SparseMLPRegressor)


def fit_many(estimators: Iterable[Estimator], tables: Iterable[tuple[ArrayLike, ArrayLike]]) -> list[Estimator]:
    """Fit each estimator on its table, all at once; each equals the one fitted alone (bit for bit on a CPU).

    Args:
        estimators: unfitted ones, all different objects.
        tables: a pair (rows, targets) for each estimator.

    Returns:
        The estimators, fitted.
    """
    estimators, tables = list(estimators), list(tables)
    if len(estimators) != len(tables):
        raise DataError(f"fit_many takes one table per estimator, not {len(tables)} for {len(estimators)}.")
    for one in estimators:
        if not isinstance(one, SparseMLPClassifier | SparseMLPRegressor):
            raise DataError(f"fit_many takes SparseMLP estimators, not a {type(one).__name__}.")
    if len({id(one) for one in estimators}) < len(estimators):
        raise DataError("fit_many takes distinct estimators; one was given twice: clone it.")
    fresh = [one._blank() for one in estimators]
    try:
        fit_all(fresh, [one._prepare(X, y) for one, (X, y) in zip(fresh, tables, strict=True)])
    finally:  # what one that fails was before stays, and the others are fitted
        for one, made in zip(estimators, fresh, strict=True):
            if hasattr(made, "members_"):
                one._take(made)
    return estimators


def cross_validate_many(
    estimator: SparseMLPClassifier | SparseMLPRegressor,
    X: ArrayLike,
    y: ArrayLike,
    grid: Mapping[str, Sequence[object]] | Sequence[Mapping[str, Sequence[object]]],
    cv: int | BaseCrossValidator = 5,
    seeds: Iterable[int] = (0,),
    scoring: str | Callable[..., float] | None = None,
) -> pl.DataFrame:
    """The test score of every setting, seed and fold; each equals that of fitting alone (bit for bit on a CPU).

    Args:
        estimator: the one to start from.
        X: rows.
        y: targets.
        grid: values of each parameter, as scikit-learn's ParameterGrid takes them.
        cv: number of folds, or a splitter; the same folds for every setting and seed.
        seeds: values of ``random_state``.
        scoring: a scorer or its name; by default the estimator's own score.

    Returns:
        One row per fit: the setting's parameters, ``seed``, ``fold``, ``score``.
    """
    settings, seeds = list(ParameterGrid(grid)), list(seeds)
    if not isinstance(estimator, SparseMLPClassifier | SparseMLPRegressor):
        raise DataError(f"cross_validate_many takes a SparseMLP estimator, not a {type(estimator).__name__}.")
    if any("random_state" in setting for setting in settings):
        raise DataError("random_state belongs in seeds, not in the grid.")
    X, y = indexable(X, y)
    folds = list(check_cv(cv, y, classifier=is_classifier(estimator)).split(X, y))
    scorer = check_scoring(estimator, scoring=scoring)
    parts = [(_safe_indexing(X, kept), _safe_indexing(y, kept)) for kept, _ in folds]
    tests = [(_safe_indexing(X, held), _safe_indexing(y, held)) for _, held in folds]
    rows, ones, tables = list[dict[str, object]](), [], []
    for setting in settings:
        for seed in seeds:
            for fold, part in enumerate(parts):
                ones.append(clone(estimator).set_params(**clone(setting, safe=False), random_state=seed))
                tables.append(part)
                rows.append({**{name: _cell(value) for name, value in setting.items()}, "seed": seed, "fold": fold})
    for i, one in enumerate(fit_many(ones, tables)):
        rows[i]["score"] = float(scorer(one, *tests[i % len(tests)]))  # folds are the innermost loop
    return pl.DataFrame(rows, infer_schema_length=None, strict=False)


def _cell(value: object) -> object:
    """A parameter's value as a table holds it: layer sizes, which may mix numbers and tuples, as text."""
    return str(value) if isinstance(value, tuple | list) else value
