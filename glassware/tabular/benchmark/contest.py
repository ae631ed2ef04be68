"""Our estimator, its dense twin and the baselines, cross-validated on one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from sklearn.model_selection import StratifiedKFold

from glassware.foundation.statistics import cross_validated, wilson
from glassware.tabular.benchmark.baselines import OURS, SPARSE, fitted, installed, make, predictions
from glassware.tabular.benchmark.own_table import OwnTable
from glassware.tabular.inputs import DataError

SLOW = ("RealMLP",)  # run only if named: minutes per fit
MOST_SET = 3


@dataclass(frozen=True)
class Contest:
    """The result of a contest.

    Attributes:
        folds: one row per method, repeat and fold, with its error.
        table: one row per method, best first: mean error, interval, and how much more than ours on the same folds.
        interactions: sets of columns that our networks use together, fitted on all rows.
        importances: columns by how much the first layer reads them.
    """

    folds: pl.DataFrame
    table: pl.DataFrame
    interactions: pl.DataFrame
    importances: pl.DataFrame

    def plain(self) -> dict[str, list[dict[str, object]]]:
        """As lists and dictionaries for JSON."""
        return {name: getattr(self, name).to_dicts() for name in ("table", "interactions", "importances", "folds")}


def usual() -> list[str]:
    """The default methods of a contest."""
    return [*OURS, *(name for name in installed() if name not in SLOW)]


def check_methods(names: Sequence[str]) -> list[str]:
    """These names, with ``all`` replaced by all that are installed; an error for one that is not."""
    known = [*OURS, *installed()]
    if list(names) == ["all"]:
        return known
    for name in names:
        if name not in known:
            raise DataError(f"there is no method {name!r}; methods are {', '.join(known)}, or all.")
    return list(dict.fromkeys([SPARSE, *names]))


def contest(
    table: OwnTable,
    methods: Sequence[str] | None = None,
    *,
    folds: int = 5,
    seeds: int = 1,
    k: int = 2,
    tell: Callable[[str], None] = lambda line: None,
) -> Contest:
    """Cross-validate methods on the same stratified folds, and read our networks.

    Args:
        table: from :func:`glassware.tabular.benchmark.own_table.read_table`.
        methods: names; our estimator is always among them.
        folds: number of folds; fewer if a class has fewer rows.
        seeds: how often folds are drawn again.
        k: columns of an interaction, at most 3.
        tell: called with what is being fitted.
    """
    if folds < 2 or seeds < 1 or not 1 <= k <= MOST_SET:
        raise DataError(f"folds must be at least 2, seeds at least 1 and k between 1 and {MOST_SET}.")
    chosen = check_methods(methods if methods is not None else usual())
    count = min(folds, int(np.bincount(table.y).min()))
    splits = [
        (seed, fold, train, test)
        for seed in range(seeds)
        for fold, (train, test) in enumerate(
            StratifiedKFold(count, shuffle=True, random_state=seed).split(table.X, table.y)
        )
    ]
    parts = [_filled(table.X[train], table.X[test]) for _, _, train, test in splits]
    rows = []
    for place, method in enumerate(chosen, start=1):
        tell(f"method {place} of {len(chosen)}: {method}, {len(splits)} fits")
        tables = [(X, table.y[train]) for (X, _), (_, _, train, _) in zip(parts, splits, strict=True)]
        models = fitted(method, tables, [seed for seed, *_ in splits])
        for model, (_, X_test), (seed, fold, _, test) in zip(models, parts, splits, strict=True):
            error = float(np.mean(predictions(model, X_test) != table.y[test]))
            rows.append({"method": method, "seed": seed, "fold": fold, "error": error})
    found = pl.DataFrame(rows)
    tell("reading our networks")
    interactions, importances = _reading(table, min(k, table.X.shape[1]))
    return Contest(found, _summary(found, len(table.y)), interactions, importances)


def _filled(X: np.ndarray, X_test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Missing values filled by the training rows' medians; 0 where a column has none."""
    if not np.isnan(X).any() and not np.isnan(X_test).any():
        return X, X_test
    known = ~np.isnan(X)
    medians = np.array([np.median(X[rows, i]) if rows.any() else 0.0 for i, rows in enumerate(known.T)])
    return np.where(known, X, medians), np.where(np.isnan(X_test), medians, X_test)


def _summary(found: pl.DataFrame, rows: int) -> pl.DataFrame:
    errors = {str(name): part["error"].to_numpy() for (name,), part in found.group_by(["method"], maintain_order=True)}
    held_out = 1 / (found["fold"].n_unique() - 1)
    summary = []
    for method, values in errors.items():
        error = cross_validated(values.tolist(), held_out)
        least = wilson(round(error.value * rows), rows)  # no fold had an error: the next one might
        more = cross_validated((values - errors[SPARSE]).tolist(), held_out)
        summary.append(
            {"method": method, "error": error.value,
             "low": max(0.0, min(error.low, least.low)), "high": min(1.0, max(error.high, least.high)),
             "more": more.value, "more_low": more.low, "more_high": more.high}
        )  # fmt: skip
    return pl.DataFrame(summary).sort("error", maintain_order=True)


def _reading(table: OwnTable, k: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    X, _ = _filled(table.X, table.X[:0])
    frame = pl.DataFrame(X, schema=list(table.columns), orient="row")
    model = make(SPARSE, 0).fit(frame, table.y)
    importances = pl.DataFrame({"column": table.columns, "share": model.feature_importances_})
    return model.interactions(k, frame, table.y, top=5), importances.sort("share", descending=True).head(10)
