"""Real tables, one fit per line of a file: errors, calibration and processor seconds, ours beside peers.

    python -m benchmarks.tabular_real run --data DIR --out FILE --suite binary-1 --trials 10 --methods sparse,CatBoost
    python -m benchmarks.tabular_real run --data DIR --out FILE --suite classes
    python -m benchmarks.tabular_real run --data DIR --out FILE --suite binary-10 --trials 10 --methods screening
    python -m benchmarks.tabular_real table FILE

Suites: ``binary-1``, ``binary-10`` and ``binary-100`` are the thirteen exact tables of the paper with 1%, 10% and all
of their training rows, at most 10,000, drawn as in ``benchmarks.tabular``. ``classes`` and ``numbers`` are all
multi-class and all regression tables of a folder (Parquet files with a column ``target``), trained on 1,000 rows, or on
70% of them if that is less, and tested on at most 10,000 others.

``run`` leaves out what FILE has already. An error is the percentage of wrong labels, or the root of the mean square in
percent of the test targets' standard deviation. Every method comes as it is; MLPs are scikit-learn's behind a
``StandardScaler``, of targets too. One thread each. ``screening`` trains nothing: it says whether our estimator would
read few columns there, and where it would not, its fit is the one without screening.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import polars as pl
from scipy import stats
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.tabular_interactions import METHODS as OTHERS
from benchmarks.tabular_interactions import make
from glassware.tabular.benchmark.baselines import BASELINES, SPARSE
from glassware.tabular.benchmark.calibration import probabilities, scores
from glassware.tabular.benchmark.protocol import Cell, split
from glassware.tabular.benchmark.suite import Suite337, exact
from glassware.tabular.focusing import Focusing
from glassware.tabular.screening.screen import screen

FRACTIONS = {"binary-1": 0.01, "binary-10": 0.1, "binary-100": 1.0}
SUITES = (*FRACTIONS, "classes", "numbers")
TRAIN_ROWS, TRAIN_SHARE, TEST_ROWS = 1000, 0.7, 10_000
SCREENING = "screening"
METHODS = (*OTHERS, "MLP")


class Rows(NamedTuple):
    """One draw of a table: rows to train on and rows to test on; classes are numbered from 0 in the training rows."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    classes: int


def tables(data: str, suite: str) -> list[str]:
    """The names of a suite's tables."""
    if suite in FRACTIONS:
        found = Suite337(data)
        sizes = {name: (len(table.columns), table.rows) for name in found.names() for table in [found.load(name)]}
        return [name for name, size in sizes.items() if exact(name, *size)]
    names = sorted(path.stem for path in Path(data).glob("*.parquet"))
    return [name for name in names if _is_regression(Path(data) / f"{name}.parquet") == (suite == "numbers")]


def _is_regression(path: Path) -> bool:
    return pl.read_parquet_schema(path)["target"].is_float()


def draw(data: str, suite: str, name: str, trial: int) -> Rows | None:
    """The rows of a trial; None where the paper's protocol drops it."""
    if suite in FRACTIONS:
        table = Suite337(data).load(name)
        part = split(table, Cell(name, FRACTIONS[suite]), trial)
        return None if part is None else Rows(part.X, part.y, part.X_test, part.y_test, len(table.classes))
    frame = pl.read_parquet(Path(data) / f"{name}.parquet")
    X, y = frame.drop("target").to_numpy(), frame["target"].to_numpy()
    order = np.random.default_rng([crc32(name.encode()), trial]).permutation(len(y))
    count = min(TRAIN_ROWS, int(TRAIN_SHARE * len(y)))
    train, test = order[:count], order[count : count + TEST_ROWS]
    if suite == "numbers":
        return Rows(X[train], y[train].astype(float), X[test], y[test].astype(float), 0)
    # XGBoost wants classes without gaps; a class that was not drawn for training comes last and is never predicted.
    known = np.unique(y[train])
    places = np.full(int(y.max()) + 1, len(known))
    places[known] = np.arange(len(known))
    return Rows(X[train], places[y[train]], X[test], places[y[test]], len(known) + 1)


def model_of(method: str, regression: bool, seed: int) -> BaseEstimator:
    """An unfitted estimator, as it comes."""
    if method != "MLP":
        return make(method, regression, seed)
    if not regression:
        return BASELINES["MLPClassifier"][1](seed)
    network = make_pipeline(StandardScaler(), MLPRegressor(random_state=seed))
    return TransformedTargetRegressor(network, transformer=StandardScaler())


def fit(data: str, suite: str, name: str, trial: int, method: str) -> dict[str, Any]:
    """One line of the results."""
    key = {"suite": suite, "table": name, "trial": trial, "method": method}
    rows = draw(data, suite, name, trial)
    if rows is None:
        return {**key, "error": None}
    regression = suite == "numbers"
    if method == SCREENING:
        return {**key, **screened(rows, regression, trial)}
    model = model_of(method, regression, trial)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        started = time.process_time()
        model.fit(rows.X, rows.y)
        seconds = time.process_time() - started
        if regression:
            wrong = np.asarray(model.predict(rows.X_test)).reshape(-1) - rows.y_test
            found = {"error": float(100 * np.sqrt(np.mean(wrong**2)) / rows.y_test.std())}
        else:
            chances = probabilities(model, rows.X_test, rows.classes)
            error = float(100 * np.mean(chances.argmax(axis=1) != rows.y_test))
            found = {"error": error, **scores(chances, rows.y_test)}
    if method == SPARSE:
        found["sets"] = len(model.found_sets_)
        found["focused"] = any(hasattr(view, "focus") for view in model.views_)
        found["patient"] = not model.recipe_.guided
    short = {name: round(value, 5) if isinstance(value, float) else value for name, value in found.items()}
    return {**key, "rows": len(rows.y), **short, "seconds": round(seconds, 2)}


def screened(rows: Rows, regression: bool, seed: int) -> dict[str, Any]:
    """How many sets screening finds, and whether networks would read only what it keeps."""
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        prepared = make(SPARSE, regression, seed)._prepare(rows.X, rows.y)
        found = screen(prepared.X, prepared.truth, prepared.weight, prepared.classify).sets
        focused = bool(found) and Focusing().first(prepared, {}, None, True).focused
    return {"sets": len(found), "focused": focused, "seconds": round(time.process_time() - started, 2)}


def run(data: str, out: Path, suite: str, names: list[str], methods: list[str], trials: range) -> None:
    keys = ("suite", "table", "trial", "method")
    lines = out.read_text().splitlines() if out.exists() else []
    done = {tuple(line[key] for key in keys) for line in map(json.loads, lines)}
    with out.open("a") as file:
        for trial in trials:
            for name in names:
                for method in methods:
                    if (suite, name, trial, method) not in done:
                        print(json.dumps(fit(data, suite, name, trial, method)), file=file, flush=True)


def table(file: Path) -> None:
    """Mean errors per table, mean errors and ranks per method, on tables and trials that all methods have."""
    frame = pl.DataFrame([json.loads(line) for line in file.read_text().splitlines()], infer_schema_length=None)
    for suite in frame.drop_nulls("error").partition_by("suite", maintain_order=True):
        methods = [method for method in METHODS if method in suite["method"].to_list()]
        whole = suite.filter(pl.col("method").n_unique().over("table", "trial") == len(methods))
        wide = whole.group_by("table", "method").agg(pl.col("error").mean())
        wide = wide.pivot(on="method", index="table", values="error").sort("table").select("table", *methods)
        trials = whole.group_by("table").agg(trials=pl.col("trial").n_unique())
        with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, float_precision=2, tbl_hide_dataframe_shape=True):
            print(suite["suite"][0], wide.join(trials, on="table", maintain_order="left"), sep="\n")
        ranks = stats.rankdata(wide.select(methods).to_numpy(), axis=1).mean(axis=0)
        measures = [name for name in ("log_loss", "brier", "calibration_error", "seconds") if name in whole.columns]
        means = whole.group_by("method", "table").agg(pl.col("error", *measures).mean())
        means = means.group_by("method").agg(pl.col("error", *measures).mean())
        ours = whole.filter(pl.col("method") == SPARSE).select("table", "trial", ours="error")
        for method, rank in zip(methods, ranks, strict=True):
            mine = means.filter(pl.col("method") == method).row(0, named=True)
            both = whole.filter(pl.col("method") == method).join(ours, on=["table", "trial"])
            more = both.group_by("table").agg(more=(pl.col("ours") - pl.col("error")).mean())["more"].to_numpy()
            said = ", ".join(f"{name} {mine[name]:.4f}" for name in measures if mine[name] is not None)
            print(
                f"{method}: mean error {mine['error']:.2f}, mean rank {rank:.2f}, ours is {more.mean():+.2f} from it,"
                f" better on {(more < 0).sum()} of {len(more)} tables; {said}"
            )
        print()


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    doing = commands.add_parser("run")
    doing.add_argument("--data", required=True, help="folder with the tables")
    doing.add_argument("--out", type=Path, required=True)
    doing.add_argument("--suite", choices=SUITES, required=True)
    doing.add_argument("--tables", help="some of them, with commas between")
    doing.add_argument("--methods", default=",".join(METHODS))
    doing.add_argument("--trials", type=int, default=3)
    showing = commands.add_parser("table")
    showing.add_argument("file", type=Path)
    given = parser.parse_args(words)
    if given.command == "table":
        table(given.file)
        return
    names = given.tables.split(",") if given.tables else tables(given.data, given.suite)
    run(given.data, given.out, given.suite, names, given.methods.split(","), range(given.trials))


if __name__ == "__main__":
    main()
