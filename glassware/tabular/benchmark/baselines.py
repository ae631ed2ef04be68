"""The methods our estimator is compared with, untuned: one setting for all tables."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from glassware.foundation.arrays import Float64
from glassware.tabular.benchmark.calibration import probabilities, scores
from glassware.tabular.benchmark.protocol import Cell, Split, describe, split
from glassware.tabular.benchmark.suite import Suite337
from glassware.tabular.benchmark.tables import Table
from glassware.tabular.estimators import SparseMLPClassifier
from glassware.tabular.validation import fit_many

SPARSE, DENSE = "sparse", "dense"  # our estimator, and its twin without the sparse start
OURS = (SPARSE, DENSE)


def _mlp(seed: int) -> BaseEstimator:
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), MLPClassifier(random_state=seed))


def _boosting(seed: int) -> BaseEstimator:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=seed)


def _forest(seed: int) -> BaseEstimator:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=seed)


def _xgboost(seed: int) -> BaseEstimator:
    from xgboost import XGBClassifier

    return XGBClassifier(random_state=seed, n_jobs=1)


def _lightgbm(seed: int) -> BaseEstimator:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)


def _catboost(seed: int) -> BaseEstimator:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(random_seed=seed, thread_count=1, verbose=0, allow_writing_files=False)


def _realmlp(seed: int) -> BaseEstimator:
    from pytabkit import RealMLP_TD_Classifier

    return RealMLP_TD_Classifier(random_state=seed, n_threads=1, device="cpu", verbosity=0)


# By the name that tables and figures show: the module it needs, and how it is made from a seed.
BASELINES: dict[str, tuple[str, Callable[[int], BaseEstimator]]] = {
    "MLPClassifier": ("sklearn", _mlp),
    "forest": ("sklearn", _forest),
    "HistGradientBoosting": ("sklearn", _boosting),
    "XGBoost": ("xgboost", _xgboost),
    "LightGBM": ("lightgbm", _lightgbm),
    "CatBoost": ("catboost", _catboost),
    "RealMLP": ("pytabkit", _realmlp),
}


def installed() -> list[str]:
    """The baselines whose module is installed; `pip install 'glassware[bench]'` installs all."""
    return [name for name, (module, _) in BASELINES.items() if find_spec(module) is not None]


def make(method: str, seed: int) -> BaseEstimator:
    """An unfitted classifier: one of ours or a baseline."""
    if method == SPARSE:
        return SparseMLPClassifier(random_state=seed)
    if method == DENSE:
        return SparseMLPClassifier(init_sparsity=None, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from the libraries being imported
        return BASELINES[method][1](seed)


def fitted(
    method: str,
    tables: Sequence[tuple[ArrayLike, ArrayLike]],
    seeds: Sequence[int],
    step: Callable[[float], None] = lambda share: None,
) -> list[BaseEstimator]:
    """One fitted classifier per table; ours are trained together. ``step`` is called with the share that is done."""
    models = [make(method, seed) for seed in seeds]
    if method in OURS:
        done = dict.fromkeys(range(len(models)), 0.0)

        def network(place: int, trained: int, planned: int) -> None:
            done[place] = trained / planned
            step(sum(done.values()) / len(done))

        for place, model in enumerate(models):
            model.set_params(callback=partial(network, place))
        fit_many(models, tables)
        return [model.set_params(callback=None) for model in models]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no convergence, column names, deprecations in other libraries
        for place, (model, (X, y)) in enumerate(zip(models, tables, strict=True), start=1):
            model.fit(X, y)
            step(place / len(models))
    return models


def method_rows(data: str | None, cell: Cell, method: str, trials: Sequence[int]) -> pl.DataFrame:
    """Rows of the benchmark's table: these trials of a cell with one method; without those that A11 drops."""
    started = time.perf_counter()
    table = Suite337(data).load(cell.task)
    drawn = {trial: split(table, cell, trial) for trial in trials}
    parts: dict[int, Split] = {trial: part for trial, part in drawn.items() if part is not None}
    models = fitted(method, [(part.X, part.y) for part in parts.values()], list(parts))
    seconds = (time.perf_counter() - started) / max(1, len(parts))
    count = len(table.classes)
    said = [probabilities(model, part.X_test, count) for model, part in zip(models, parts.values(), strict=True)]
    each = zip(parts.items(), said, strict=True)
    found = [method_row(table, cell, method, trial, part, chances, seconds) for (trial, part), chances in each]
    return pl.concat(found) if found else pl.DataFrame()


def method_row(
    table: Table,
    cell: Cell,
    method: str,
    trial: int,
    part: Split,
    chances: Float64[np.ndarray, "rows classes"],
    seconds: float,
) -> pl.DataFrame:
    """A row of the benchmark's table: how far a method's probabilities, and its likeliest classes, are off."""
    error = float(np.mean(chances.argmax(axis=1) != part.y_test))
    row = pl.DataFrame({"method": [method], "error": [error], **scores(chances, part.y_test)})
    return row.with_columns(**describe("methods", table, cell, trial, part, seconds))
