"""The tabular benchmark on a machine with many cores or a GPU; its results count in `glassware claims pareto/tabular`.

    python -m benchmarks.tabular forests --data DIR --out DIR --processes 14 --limit 540
    python -m benchmarks.tabular networks --data DIR --out DIR --limit 240
    python -m benchmarks.tabular take --out DIR --store results/store

DIR of --data has the suite's tables (credit.parquet, ...); --out is a store of its own. Nothing that is there is
computed again. At --limit seconds what is unfinished is dropped, and the next call goes on. `networks` trains on the
device JAX finds, and does not begin what would not end in time. `take` copies results to another store.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl

from glassware.errors import GlasswareError
from glassware.sweeps import Pieces, Store
from glassware.tabular.best import best_forests, best_networks
from glassware.tabular.plan import FRACTIONS, VERSIONS, Job, forest_jobs, network_jobs, table_name, work

SAY_SECONDS = 15.0
FOREVER = 1e6  # seconds; a wait cannot be infinite
JOBS: dict[str, Callable[..., list[Job]]] = {"forests": forest_jobs, "networks": network_jobs}
BEST = {"forests": best_forests, "networks": best_networks}
AHEAD = 4  # threads that load tables and compile while the device trains
FORGET = 0.8  # how much the last jobs count in the next one's forecast
MARGIN = 1.1  # a job is begun if so many times its forecast is left
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def compute(jobs: list[Job], pieces: Pieces, processes: int, deadline: float) -> int:
    """Do jobs in processes of one thread each until all are done or time is up; says how many are left."""
    todo = pieces.missing(jobs)
    total, left, started, said = sum(job.seconds for job in todo), len(todo), time.monotonic(), 0.0
    print(f"{len(jobs):,} jobs, {left:,} to do, roughly {total:,.0f} core seconds", flush=True)
    if not todo:
        return 0
    spent = 0.0
    # Spawned, not forked: JAX has threads by now. Ctrl-C is for this process, which then ends the others.
    pools = multiprocessing.get_context("spawn")
    quiet = (signal.SIGINT, signal.SIG_IGN)
    with pieces.writing() as add, pools.Pool(min(processes, left), signal.signal, quiet) as pool:
        results = pool.imap_unordered(work, todo)
        while left:
            try:
                key, rows, seconds = results.next(timeout=min(max(0.0, deadline - time.monotonic()), FOREVER))
            except multiprocessing.TimeoutError:
                break
            add(key, rows)
            left, spent = left - 1, spent + seconds
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
        pieces = Pieces(Store(options.out), table_name(options.what), VERSIONS[options.what])
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
            print(BEST[options.what](rows))


if __name__ == "__main__":
    main()
