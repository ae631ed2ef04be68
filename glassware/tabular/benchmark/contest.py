"""Our estimator, its dense twin and the baselines, cross-validated on one table."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from sklearn.model_selection import StratifiedKFold

from glassware.foundation.quantities import about
from glassware.foundation.statistics import cross_validated, wilson
from glassware.tabular.benchmark.baselines import OURS, SPARSE, fitted, installed, make
from glassware.tabular.benchmark.calibration import probabilities, scores
from glassware.tabular.benchmark.own_table import OwnTable
from glassware.tabular.inputs import DataError

SLOW = ("RealMLP",)  # run only if named: minutes per fit
MOST_SET = 3
TRUST = ("log_loss", "brier", "calibration_error")


@dataclass(frozen=True)
class Contest:
    """The result of a contest.

    Attributes:
        folds: one row per method, repeat and fold, with its error.
        table: one row per method, best first: mean error, interval, how much more than ours on the same folds, log
            loss, Brier score and expected calibration error.
        interactions: sets of columns that our networks use together, fitted on all rows.
        importances: columns by how much the first layer reads them.
        left: methods that were not finished when the contest was interrupted, of which nothing is kept; in that case
            our networks are not read.
    """

    folds: pl.DataFrame
    table: pl.DataFrame
    interactions: pl.DataFrame
    importances: pl.DataFrame
    left: tuple[str, ...] = ()

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
    step: Callable[[str], None] = lambda line: None,
) -> Contest:
    """Cross-validate methods on the same stratified folds, and read our networks.

    After an interrupt the methods that are finished are kept.

    Args:
        table: from :func:`glassware.tabular.benchmark.own_table.read_table`.
        methods: names; our estimator is always among them.
        folds: number of folds; fewer if a class has fewer rows.
        seeds: how often folds are drawn again.
        k: columns of an interaction, at most 3.
        tell: called with what is being fitted.
        step: called more often, with how far it is.
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
    rows, finished = list[dict[str, object]](), list[str]()
    nothing = pl.DataFrame()
    clock = _Clock(len(chosen))
    try:
        for place, method in enumerate(chosen):
            title = f"method {place + 1} of {len(chosen)}: {method}, {len(splits)} fits"
            tell(title + clock.left(place))
            update = lambda share, place=place, title=title: step(title + clock.left(place + share))
            tables = [(X, table.y[train]) for (X, _), (_, _, train, _) in zip(parts, splits, strict=True)]
            models = fitted(method, tables, [seed for seed, *_ in splits], update)
            fresh = []
            for model, (_, X_test), (seed, fold, _, test) in zip(models, parts, splits, strict=True):
                chances = probabilities(model, X_test, len(table.classes))
                error = float(np.mean(chances.argmax(axis=1) != table.y[test]))
                fresh.append(
                    {"method": method, "seed": seed, "fold": fold, "error": error, **scores(chances, table.y[test])}
                )
            rows += fresh
            finished.append(method)
        tell("reading our networks")
        interactions, importances = _reading(table, min(k, table.X.shape[1]))
    except KeyboardInterrupt:
        if not finished:
            raise
        interactions = importances = nothing
    found = pl.DataFrame(rows)
    left = tuple(name for name in chosen if name not in finished)
    return Contest(found, _summary(found, len(table.y)), interactions, importances, left)


class _Clock:
    """How long is left, as if every method took as long as those that are done."""

    def __init__(self, methods: int) -> None:
        self.methods, self.started = methods, time.monotonic()

    def left(self, done: float) -> str:
        """In words, when so many methods are done."""
        passed = time.monotonic() - self.started
        return f", about {about(passed / done * (self.methods - done))} left" if done else ""


def _filled(X: np.ndarray, X_test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Missing values filled by the training rows' medians; 0 where a column has none."""
    if not np.isnan(X).any() and not np.isnan(X_test).any():
        return X, X_test
    known = ~np.isnan(X)
    medians = np.array([np.median(X[rows, i]) if rows.any() else 0.0 for i, rows in enumerate(known.T)])
    return np.where(known, X, medians), np.where(np.isnan(X_test), medians, X_test)


def _summary(found: pl.DataFrame, rows: int) -> pl.DataFrame:
    errors = {str(name): part["error"].to_numpy() for (name,), part in found.group_by(["method"], maintain_order=True)}
    trust = {row.pop("method"): row for row in found.group_by("method").agg(pl.col(TRUST).mean()).to_dicts()}
    held_out = 1 / (found["fold"].n_unique() - 1)
    summary = []
    for method, values in errors.items():
        error = cross_validated(values.tolist(), held_out)
        least = wilson(round(error.value * rows), rows)  # no fold had an error: the next one might
        more = cross_validated((values - errors[SPARSE]).tolist(), held_out)
        summary.append(
            {"method": method, "error": error.value,
             "low": max(0.0, min(error.low, least.low)), "high": min(1.0, max(error.high, least.high)),
             "more": more.value, "more_low": more.low, "more_high": more.high, **trust[method]}
        )  # fmt: skip
    return pl.DataFrame(summary).sort("error", maintain_order=True)


def _reading(table: OwnTable, k: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    X, _ = _filled(table.X, table.X[:0])
    frame = pl.DataFrame(X, schema=list(table.columns), orient="row")
    model = make(SPARSE, 0).fit(frame, table.y)
    importances = pl.DataFrame({"column": table.columns, "share": model.feature_importances_})
    return model.interactions(k, frame, table.y, top=5), importances.sort("share", descending=True).head(10)
