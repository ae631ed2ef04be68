"""The tabular benchmark on a machine with many cores or a GPU; its results count in `glassware claims pareto/tabular`.

    python -m benchmarks.tabular forests --data DIR --out DIR --processes 14 --limit 540
    python -m benchmarks.tabular networks --data DIR --out DIR --limit 240
    python -m benchmarks.tabular reduced --data DIR --out DIR --processes 2
    python -m benchmarks.tabular baselines --data DIR --out DIR --processes 2
    python -m benchmarks.tabular ours --data DIR --out DIR --processes 1
    python -m benchmarks.tabular take --out DIR --store results/store

DIR of --data has the suite's tables (credit.parquet, ...); --out is a store of its own. Nothing that is there is
computed again. What would not end before --limit is not begun, what has not ended by then is dropped, and the next
call goes on. `networks` trains on the device JAX finds; `reduced` trains a part of them on cores. `ours`
is our estimator as it comes and its dense twin, whose lanes use all cores by themselves. `take` copies results to
another store.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import queue
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.sweeps import Pieces, Store
from glassware.tabular.benchmark.best import best_forests, best_networks, mean_errors
from glassware.tabular.benchmark.plan import (
    FRACTIONS,
    VERSIONS,
    Job,
    baseline_jobs,
    forest_jobs,
    network_jobs,
    our_jobs,
    reduced_network_jobs,
    table_name,
    work,
)

SAY_SECONDS = 15.0
FOREVER = 1e6  # seconds; a wait cannot be infinite
JOBS: dict[str, Callable[..., list[Job]]] = {
    "forests": forest_jobs,
    "networks": network_jobs,
    "reduced": reduced_network_jobs,
    "baselines": baseline_jobs,
    "ours": our_jobs,
}
FAMILY = {"reduced": "networks"}  # where a name's results go, if not under the name itself
BEST = {"forests": best_forests, "networks": best_networks, "baselines": mean_errors, "ours": mean_errors}
AHEAD = 4  # threads that load tables and compile while the device trains
FORGET = 0.8  # how much the last jobs count in the next one's forecast
MARGIN = 1.1  # a job is begun if so many times its forecast, corrected by those before, is left
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
ONE_XLA_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def compute(jobs: list[Job], pieces: Pieces, processes: int, deadline: float) -> int:
    """Do jobs in processes of one thread each until all are done or time is up; says how many are left."""
    todo = pieces.missing(jobs)
    total, left, started, said = sum(job.seconds for job in todo), len(todo), time.monotonic(), 0.0
    print(f"{len(jobs):,} jobs, {left:,} to do, roughly {total:,.0f} core seconds", flush=True)
    if not todo:
        return 0
    spent = forecast = 0.0
    waiting, busy, done = list(todo), 0, queue.Queue[tuple[str, pl.DataFrame, float] | BaseException]()

    def fitting() -> Job | None:
        """The next job that should end in time."""
        slower = MARGIN * (spent / forecast if forecast else 1.0)
        left = deadline - time.monotonic()
        return next((job for job in waiting if job.seconds * slower <= left), None)

    # Spawned, not forked: JAX has threads by now. Ctrl-C is for this process, which then ends the others.
    pools = multiprocessing.get_context("spawn")
    quiet = (signal.SIGINT, signal.SIG_IGN)
    with pieces.writing() as add, pools.Pool(min(processes, left), signal.signal, quiet) as pool:
        seconds_of = {job.key: job.seconds for job in todo}
        while True:
            while busy < processes and (job := fitting()) is not None:
                waiting.remove(job)
                pool.apply_async(work, (job,), callback=done.put, error_callback=done.put)
                busy += 1
            if not busy:
                break
            try:
                found = done.get(timeout=min(max(0.0, deadline - time.monotonic()), FOREVER))
            except queue.Empty:
                break
            if isinstance(found, BaseException):
                raise found
            key, rows, seconds = found
            add(key, rows)
            left, busy = left - 1, busy - 1
            spent, forecast = spent + seconds, forecast + seconds_of[key]
            if time.monotonic() - said > SAY_SECONDS or not left:
                said = time.monotonic()
                print(f"{said - started:6.0f} s  {left:6,} left  {spent:9,.0f} core seconds spent", flush=True)
    return left


def compute_here(jobs: list[Job], pieces: Pieces, deadline: float) -> int:
    """Do jobs one after the other on this process's device; says how many are left."""
    todo = pieces.missing(jobs)
    flops, left, started, said = sum(job.flops for job in todo), len(todo), time.monotonic(), 0.0
    print(f"{len(jobs):,} jobs, {left:,} to do, {flops:.2e} FLOPs", flush=True)
    done, busy, spent, forecast = 0.0, 0.0, 0.0, 0.0

    def fits(job: Job) -> bool:
        return time.monotonic() + job.seconds * (spent / forecast if forecast else 1.0) * MARGIN <= deadline

    with pieces.writing() as add, ThreadPoolExecutor(AHEAD) as threads:
        try:
            for job in todo:
                if job.prepare is not None:
                    threads.submit(job.prepare)
            for job in todo:
                if fits(job) and job.prepare is not None:
                    job.prepare()  # compiles; not counted, since the next job of this shape does not wait for it
                if not fits(job):
                    continue
                key, rows, seconds = work(job)
                add(key, rows)
                left, done = left - 1, done + job.flops
                busy += seconds
                spent, forecast = FORGET * spent + seconds, FORGET * forecast + job.seconds
                if time.monotonic() - said > SAY_SECONDS or not left:
                    said = time.monotonic()
                    rate = done / busy / 1e12
                    print(f"{said - started:6.0f} s  {left:6,} left  {rate:7.2f} TFLOP/s  {key}", flush=True)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
    return left


def take(source: Store, target: Store) -> None:
    for family, version in VERSIONS.items():
        name = table_name(family)
        count = Pieces(target, name, version).adopt(Pieces(source, name, version))
        print(f"{family}: {count:,} jobs taken over")


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in text.split(","))


def main() -> None:
    for variable in ONE_THREAD:  # inherited by the workers, before they load a library that asks
        os.environ.setdefault(variable, "1")
    os.environ.setdefault("XLA_FLAGS", ONE_XLA_THREAD)  # of XLA's own; a GPU does not mind
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=(*JOBS, "take"))
    parser.add_argument("--data", type=Path, help="folder with the suite's tables")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--store", type=Path, default=Path("results/store"), help="take: where results go")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--tasks", type=lambda text: text.split(","), help="some tasks only: credit,pol")
    parser.add_argument("--fractions", type=_numbers, default=FRACTIONS, help="of the training rows: 0.1,0.01")
    options = parser.parse_args()
    deadline = time.monotonic() + options.limit
    try:
        if options.what == "take":
            take(Store(options.out), Store(options.store))
            return
        data = None if options.data is None else str(options.data)
        family = FAMILY.get(options.what, options.what)
        pieces = Pieces(Store(options.out), table_name(family), VERSIONS[family])
        jobs = JOBS[options.what](data, options.tasks, options.fractions)
        here = options.what == "networks"
        left = compute_here(jobs, pieces, deadline) if here else compute(jobs, pieces, options.processes, deadline)
    except GlasswareError as error:
        sys.exit(f"benchmarks.tabular: {error}")
    except KeyboardInterrupt:
        sys.exit("stopped; the same command goes on")
    rows = pieces.read()
    print(f"{rows['item'].n_unique():,} jobs kept in {options.out}, {left:,} left")
    if "error" in rows.columns:
        with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=160, float_precision=1):
            print(BEST[family](rows))


if __name__ == "__main__":
    main()
