"""Our estimator and its dense twin on every table of the suite, on an accelerator: all trials of a fraction at once.

    python -m benchmarks.tabular_ours --data DIR --out DIR --processes 16

Does the jobs of `python -m benchmarks.tabular ours`, which trains on CPU cores a job at a time, and keeps the same
rows. Networks of all tables that pad to one size are lanes of one program; forests grow in processes, fractions go in
threads, so that one compiles while another trains. Nothing that is in --out is computed again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.sweeps import Pieces, Store
from glassware.tabular.attempts import fit_guide
from glassware.tabular.benchmark.baselines import make, method_row
from glassware.tabular.benchmark.calibration import probabilities
from glassware.tabular.benchmark.plan import FRACTIONS, VERSIONS, Job, our_jobs, table_name
from glassware.tabular.benchmark.protocol import Cell, Split, split
from glassware.tabular.benchmark.suite import Suite337
from glassware.tabular.fitting import fit_all
from glassware.tabular.guide import Guide
from glassware.tabular.inputs import Scaling

FAMILY = "ours"


class Fit(NamedTuple):
    """A trial of a cell with one of our two methods, and the job it belongs to."""

    job: str
    cell: Cell
    method: str
    trial: int


def fits(jobs: Sequence[Job]) -> list[Fit]:
    """Twins beside each other: they share a table."""
    found = []
    for job in jobs:
        _, cell, method, trials = job.compute.args  # type: ignore[attr-defined]
        found += [Fit(job.key, cell, method, trial) for trial in trials]
    return sorted(found, key=lambda fit: (fit.cell.label, fit.trial, fit.method))


def rows_of(data: str | None, cell: Cell, trial: int) -> Split | None:
    return split(Suite337(data).load(cell.task), cell, trial)


def grow(task: tuple[str | None, Cell, int]) -> Guide | None:
    """The forest of a trial, on one core, as the estimator would grow it."""
    part = rows_of(*task)
    if part is None:
        return None
    prepared = make("sparse", task[2])._prepare(part.X, part.y)
    return fit_guide(prepared, Scaling.fit(prepared.X, prepared.recipe.scale), threads=False)


def compute(data: str | None, todo: Sequence[Fit], grown: dict[tuple[Cell, int], Guide]) -> dict[str, pl.DataFrame]:
    """Rows by job: everything trained at once, then every network tested."""
    started = time.perf_counter()
    jobs = {fit.job for fit in todo}
    parts = {(fit.cell, fit.trial): rows_of(data, fit.cell, fit.trial) for fit in todo}
    todo = [fit for fit in todo if parts[fit.cell, fit.trial] is not None]
    used: list[Split] = [part for fit in todo if (part := parts[fit.cell, fit.trial]) is not None]
    models = [make(fit.method, fit.trial) for fit in todo]
    tables = [model._prepare(part.X, part.y) for model, part in zip(models, used, strict=True)]
    fit_all(models, tables, [grown[fit.cell, fit.trial] for fit in todo])
    seconds = (time.perf_counter() - started) / max(1, len(todo))
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        classes = [len(Suite337(data).load(fit.cell.task).classes) for fit in todo]
        test = lambda model, part, count: probabilities(model, part.X_test, count)
        said = list(threads.map(test, models, used, classes))
    found: dict[str, list[pl.DataFrame]] = {job: [] for job in jobs}
    for fit, part, chances in zip(todo, used, said, strict=True):
        table = Suite337(data).load(fit.cell.task)
        found[fit.job].append(method_row(table, fit.cell, fit.method, fit.trial, part, chances, seconds))
    return {job: pl.concat(rows) if rows else pl.DataFrame() for job, rows in found.items()}


def main() -> None:
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # one thread per network at prediction
        os.environ.setdefault(variable, "1")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with the suite's tables")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="that grow forests")
    parser.add_argument("--tasks", type=lambda text: text.split(","), help="some tasks only: credit,pol")
    parser.add_argument("--fractions", type=lambda text: [float(part) for part in text.split(",")], default=FRACTIONS)
    options = parser.parse_args()
    started = time.monotonic()
    say = lambda text: print(f"{time.monotonic() - started:6.0f} s  {text}", flush=True)
    try:
        data = None if options.data is None else str(options.data)
        pieces = Pieces(Store(options.out), table_name(FAMILY), VERSIONS[FAMILY])
        todo = fits(pieces.missing(our_jobs(data, options.tasks, options.fractions)))
        say(f"{len(todo):,} fits to do")
        cells = sorted({(fit.cell, fit.trial) for fit in todo}, key=lambda pair: (pair[0].label, pair[1]))
        with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
            found = pool.map(grow, [(data, *pair) for pair in cells], chunksize=1)
        grown = {pair: one for pair, one in zip(cells, found, strict=True) if one is not None}
        say(f"{len(grown):,} forests grown")
        groups = {fraction: [fit for fit in todo if fit.cell.fraction == fraction] for fraction in options.fractions}
        with pieces.writing() as add, ThreadPoolExecutor(len(groups)) as threads:
            waiting = [threads.submit(compute, data, group, grown) for group in groups.values()]
            for done in as_completed(waiting):
                for key, frame in done.result().items():
                    add(key, frame)
                say(f"{len(done.result()):,} jobs kept")
    except GlasswareError as error:
        sys.exit(f"benchmarks.tabular_ours: {error}")
    with pl.Config(tbl_rows=-1, float_precision=2):
        print(
            pieces.read()
            .group_by("fraction", "method")
            .agg(error=100 * pl.col("error").mean(), fits=pl.len())
            .sort("fraction")
        )


if __name__ == "__main__":
    main()
