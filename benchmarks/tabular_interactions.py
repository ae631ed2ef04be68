"""How well does a method learn what only several columns say together? Thirty planted kinds, Bayes error known.

    python -m benchmarks.tabular_interactions run --out FILE [--methods sparse,CatBoost] [--kinds signs-xor-2]
    python -m benchmarks.tabular_interactions table FILE

``run`` adds one JSON line per (kind, seed, shape, method) and leaves out what FILE has already. ``table`` prints, for
each kind, the mean excess: points of error over Bayes, or, for numbers, percent of the target's variance that could be
explained and was not. A case is solved if its excess is below a quarter of a constant's. ``dense`` is our estimator
without the sparse start and without screening.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator

from benchmarks.interaction_kinds import KINDS, Kind, Planted, planted
from glassware.tabular import SparseMLPClassifier, SparseMLPRegressor
from glassware.tabular.benchmark.baselines import BASELINES, DENSE, OURS, SPARSE

TEST_ROWS = 4000
SOLVED = 0.25
# Two of each group, in the order of their names in KINDS; for the second stage of the suite.
FEW = (
    "genotype-xor-2",
    "genotype-pure-3",
    "signs-xor-3",
    "signs-xor-4",
    "gaussian-product-2",
    "gaussian-issue",
    "integers-even-2",
    "beside-signs",
    "classes-sum-modulo-3",
    "number-product",
)
METHODS = (SPARSE, DENSE, "forest", "HistGradientBoosting", "XGBoost", "LightGBM", "CatBoost", "RealMLP")


def make(method: str, regression: bool, seed: int) -> BaseEstimator:
    """An unfitted estimator, as it comes; peers on one thread, as in the other benchmarks."""
    if method in OURS:
        ours = SparseMLPRegressor if regression else SparseMLPClassifier
        model = ours(random_state=seed)
        if method == DENSE:
            model.set_params(init_sparsity=None)
            if "screened" in model.get_params():
                model.set_params(screened=False)
        return model
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier = BASELINES[method][1](seed)
        if not regression:
            return classifier
        module = __import__(type(classifier).__module__, fromlist=["made"])
        name = type(classifier).__name__.replace("Classifier", "Regressor")
        return getattr(module, name)(**_given(classifier))


def _given(classifier: BaseEstimator) -> dict[str, Any]:
    """The parameters that baselines set: seeds, threads, silence."""
    names = ("random_state", "random_seed", "n_jobs", "thread_count", "n_threads", "device", "verbose", "verbosity")
    known = classifier.get_params()
    found = {name: known[name] for name in (*names, "allow_writing_files") if known.get(name) is not None}
    if "n_threads" in found:
        found.pop("n_jobs", None)
    return found


def excess(kind: Kind, table: Planted, said: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Points over Bayes, points of Bayes, and a constant's points over Bayes, on rows with known distributions.

    Args:
        kind: of the table.
        table: test rows.
        said: predictions for them.
        y: targets of the training rows, which the constant comes from.
    """
    best = table.best
    if kind.regression:
        spread = best.var() + kind.noise**2
        of = lambda value: float(100 * np.mean((best - value) ** 2) / spread)
        return of(said), float(100 * kind.noise**2 / spread), of(y.mean())
    rows, most = np.arange(len(best)), best.max(axis=1)
    over = lambda classes: float(100 * np.mean(most - best[rows, classes]))
    return over(said.astype(int)), float(100 * np.mean(1 - most)), over(np.bincount(y).argmax())


def named_first(model: BaseEstimator, table: Planted) -> bool | None:
    """Whether a planted set comes first among the interactions of its size; None for methods that name none."""
    if not hasattr(model, "interactions"):
        return None
    k = len(table.sets[0])
    found = model.interactions(k, X=table.X[:300], top=1)
    return bool(found.height) and tuple(sorted(found["features"][0].to_list())) in table.sets


def case(name: str, seed: int, columns: int, rows: int, method: str) -> dict[str, Any]:
    """One line of the results."""
    kind = KINDS[name]
    both = planted(kind, seed, columns, rows + TEST_ROWS)
    train, test = (
        Planted(both.X[part], both.y[part], both.best[part], both.sets) for part in (slice(rows), slice(rows, None))
    )
    model = make(method, kind.regression, seed)
    wall, cpu = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(train.X, train.y)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        said = np.asarray(model.predict(test.X)).reshape(-1)
        over, bayes, constant = excess(kind, test, said, train.y)
        named = named_first(model, test)
    key = {"kind": name, "seed": seed, "columns": columns, "rows": rows, "method": method}
    found = {"excess": over, "bayes": bayes, "constant": constant, "named": named}
    return {**key, **found, "seconds": round(wall, 2), "processor_seconds": round(cpu, 2)}


def run(out: Path, kinds: list[str], methods: list[str], seeds: int, columns: int, rows: int) -> None:
    keys = ("kind", "seed", "columns", "rows", "method")
    lines = out.read_text().splitlines() if out.exists() else []
    done = {tuple(line[key] for key in keys) for line in map(json.loads, lines)}
    with out.open("a") as file:
        for method in methods:
            for seed in range(seeds):
                for kind in kinds:
                    if (kind, seed, columns, rows, method) not in done:
                        found = case(kind, seed, columns, rows, method)
                        print(json.dumps(found), file=file, flush=True)
                        print(*(f"{key}={value}" for key, value in found.items()), flush=True)


def table(file: Path) -> None:
    frame = pl.DataFrame([json.loads(line) for line in file.read_text().splitlines()], infer_schema_length=None)
    for shape in frame.partition_by("columns", "rows", maintain_order=True):
        columns, rows = shape.row(0, named=True)["columns"], shape.row(0, named=True)["rows"]
        wide = shape.group_by("kind", "method").agg(pl.col("excess").mean())
        wide = wide.pivot(on="method", index="kind", values="excess")
        methods = [method for method in METHODS if method in wide.columns]
        about = shape.group_by("kind").agg(pl.col("bayes").mean(), pl.col("constant").mean(), seeds=pl.n_unique("seed"))
        order = pl.DataFrame({"kind": [kind for kind in KINDS if kind in wide["kind"].to_list()]})
        wide = order.join(about, on="kind", how="left").join(wide, on="kind", how="left")
        whole = wide.drop_nulls(methods)
        lowest = whole.select(pl.min_horizontal(methods)).to_series() if methods else pl.Series([])
        first = {method: int((whole[method] <= lowest + 1e-9).sum()) for method in methods}
        keys = ["kind", "seed"]
        solved = shape.group_by(keys).agg(solved=(pl.col("excess") < SOLVED * pl.col("constant")).any())
        solved = solved.filter(pl.col("solved"))
        named = shape.filter(pl.col("method") == SPARSE).join(solved, on=keys)
        with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, float_precision=1, tbl_hide_dataframe_shape=True):
            print(f"{columns} columns, {rows} rows; excess by kind\n{wide}")
        for method in methods:
            mine = shape.filter(pl.col("method") == method)["processor_seconds"].to_numpy().mean()
            over = wide[method].drop_nulls().to_numpy()
            print(
                f"{method}: mean excess {over.mean():.2f} over {len(over)} kinds, first in {first[method]} of"
                f" {whole.height}, {mine:.1f} processor seconds per fit"
            )
        right = sum(named["named"].to_list())
        print(f"a planted set named first in {right} of {named.height} cases that some method solves\n")


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    doing = commands.add_parser("run")
    doing.add_argument("--out", type=Path, required=True)
    doing.add_argument("--kinds", default=",".join(KINDS), help="names, or 'few' for the ten of the second stage")
    doing.add_argument("--methods", default=",".join(METHODS))
    doing.add_argument("--seeds", type=int, default=5)
    doing.add_argument("--columns", type=int, default=200)
    doing.add_argument("--rows", type=int, default=1000)
    showing = commands.add_parser("table")
    showing.add_argument("file", type=Path)
    given = parser.parse_args(words)
    if given.command == "table":
        table(given.file)
        return
    kinds = list(FEW) if given.kinds == "few" else given.kinds.split(",")
    methods = given.methods.split(",")
    unknown = sorted(({*kinds} - {*KINDS}) | ({*methods} - {*METHODS}))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; kinds are {', '.join(KINDS)}; methods {', '.join(METHODS)}")
    run(given.out, kinds, methods, given.seeds, given.columns, given.rows)


if __name__ == "__main__":
    main()
