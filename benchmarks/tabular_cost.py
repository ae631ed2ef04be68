"""What a fit costs, ours beside peers: processor and wall seconds, memory, size of the model, time to predict.

    python -m benchmarks.tabular_cost run --out FILE --shapes 1000x20,10000x20 --methods sparse,quick,CatBoost
    python -m benchmarks.tabular_cost table FILE

Gaussian columns; the label is a noisy sum of what three of them say alone, so that there is no set to find. Every fit
has a process of its own, on one core, with one thread, after a fit of 200 rows that loads and compiles what is needed.
Memory is by how much the peak of the process grew.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import pickle
import resource
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator

from benchmarks.tabular_interactions import make
from glassware.tabular import SparseMLPClassifier
from glassware.tabular.benchmark.baselines import BASELINES

METHODS = ("sparse", "quick", *BASELINES)
SHAPES = ("1000x20", "10000x20", "2000x1000", "100000x20")
PREDICTED, WARM_ROWS = 5000, 200


def rows_of(rows: int, columns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, columns))
    return x, (x[:, 0] + np.abs(x[:, 1]) + np.sin(2 * x[:, 2]) + rng.normal(size=rows) > 0.8).astype(int)


def model_of(method: str) -> BaseEstimator:
    if method == "quick":
        return SparseMLPClassifier(preset="quick", random_state=0)
    if method in BASELINES:
        return BASELINES[method][1](0)
    return make(method, False, 0)


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def cost(method: str, rows: int, columns: int) -> dict[str, Any]:
    """One line of the results, measured in this process."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x, y = rows_of(WARM_ROWS, columns, 1)
        model_of(method).fit(x, y).predict(x)
        (x, y), (x_new, y_new) = rows_of(rows, columns, 2), rows_of(PREDICTED, columns, 3)
        model, before = model_of(method), peak()
        wall, cpu = timed(lambda: model.fit(x, y))
        grown = peak() - before
        many_wall, many = timed(lambda: model.predict_proba(x_new))
        ones = [timed(partial(model.predict_proba, x_new[i : i + 1]))[0] for i in range(20)]
        error = 100 * float(np.mean(model.predict(x_new) != y_new))
    return {
        "method": method, "rows": rows, "columns": columns, "error": round(error, 2), "seconds": round(wall, 3),
        "processor_seconds": round(cpu, 3), "megabytes": round(grown), "pickle_megabytes":
        round(len(pickle.dumps(model)) / 1e6, 3), "predict_seconds": round(many_wall, 4),
        "predict_processor_seconds": round(many, 4), "one_row_ms": round(1e3 * float(np.median(ones)), 3),
    }  # fmt: skip


def run(out: Path, shapes: list[str], methods: list[str]) -> None:
    done = {(r["method"], f"{r['rows']}x{r['columns']}") for r in map(json.loads, _lines(out))}
    pools = multiprocessing.get_context("spawn")
    with out.open("a") as file:
        for shape in shapes:
            for method in methods:
                if (method, shape) not in done:
                    with pools.Pool(1) as pool:
                        found = pool.apply(cost, (method, *map(int, shape.split("x"))))
                    print(json.dumps(found), file=file, flush=True)


def table(file: Path) -> None:
    frame = pl.DataFrame([json.loads(line) for line in _lines(file)])
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, tbl_hide_dataframe_shape=True):
        for shape in frame.partition_by("rows", "columns", maintain_order=True):
            print(shape)


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    doing = commands.add_parser("run")
    doing.add_argument("--out", type=Path, required=True)
    doing.add_argument("--shapes", default=",".join(SHAPES))
    doing.add_argument("--methods", default=",".join(METHODS))
    showing = commands.add_parser("table")
    showing.add_argument("file", type=Path)
    given = parser.parse_args(words)
    if given.command == "table":
        table(given.file)
        return
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # inherited by what is spawned
        os.environ[variable] = "1"
    run(given.out, given.shapes.split(","), given.methods.split(","))


if __name__ == "__main__":
    main()
