"""What the benchmark computes: small jobs, each with a key, a forecast and a function that makes its rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import polars as pl

from glassware.tabular.benchmark.baselines import DENSE, OURS, SPARSE, installed, method_rows
from glassware.tabular.benchmark.forests import distinct, forest_seconds, forest_trial
from glassware.tabular.benchmark.grid import core_seconds, flops, network_rows, ready, steps
from glassware.tabular.benchmark.protocol import FEWEST_ROWS, Cell
from glassware.tabular.benchmark.suite import Suite337, exact
from glassware.tabular.benchmark.trainer import Config

FRACTIONS = (1.0, 0.1, 0.01)  # those of PF-T2
TRIALS = 10
# Forests of 1000 trees cost ten times as much as those of 100 and are about as good: above this many rows only the
# first trials have them, and nothing is run that would take a core longer than this many seconds.
THOUSAND_ROWS, THOUSAND_TRIALS, THOUSAND_SECONDS = 1000, 3, 40.0
# Forests on all rows, where that is more than the cap: at most 100 trees, and fewer trials.
UNCAPPED_TRIALS, LARGE_ROWS, LARGE_TRIALS = 3, 100_000, 2
# Families of methods: a table each, with the version of the computation. Raise it when rows would come out differently.
# Those of ours belong to the default recipe: a new recipe is a new version.
VERSIONS = {"forests": 1, "networks": 1, "baselines": 1, "ours": 3}
FIRST_SECONDS = 100.0  # jobs longer than this start before all others
# Networks, those that are trained together in a group: a reduced grid with Adam, and with the SGD that the
# paper's text names (A9) where it is cheap. The widest of depth 3 go alone, so that a limit loses little.
NETWORKS: tuple[tuple[Config, ...], ...] = (
    *(tuple(Config(3, width, s) for s in (0, 2)) for width in (100, 300)),
    (
        *(Config(3, 1000, s) for s in (0, 2, 4)),
        *(Config(3, 1000, s, 0.01) for s in (0, 2)),
        *(Config(3, 1000, s, optimiser="sgd") for s in (0, 2)),
    ),
    *(
        tuple(Config(depth, width, s, optimiser=rule) for rule in ("adam", "sgd") for s in (0, 2))
        for depth, width in ((1, 1000), (1, 10_000), (2, 1000))
    ),
    tuple(Config(2, 3000, s, optimiser="sgd") for s in (0, 2)),
    *((Config(3, 3000, s),) for s in (0, 2, 4)),
)
DEVICE_FLOPS, DEVICE_STEP = 3e13, 3e-4  # a second, at least, on one H200; seconds of a step of small networks
# What is left of that on a CPU: fraction, trials, groups in the order of their use. Jobs that would take a core longer
# than CORE_SECONDS are left out: covertype's wide networks.
REDUCED: tuple[tuple[float, int, tuple[tuple[Config, ...], ...]], ...] = (
    (0.01, 10, (
        *(tuple(Config(depth, width, s) for s in (0, 2)) for depth, width in ((3, 100), (1, 300), (2, 300))),
        *((Config(3, 300, s),) for s in (0, 2, 4)),
        *((Config(3, 300, s, 0.01),) for s in (0, 2)),
        tuple(Config(1, 1000, s, optimiser=rule) for rule in ("adam", "sgd") for s in (0, 2)),
        *((Config(1, 10_000, s, optimiser="sgd"),) for s in (0, 2)),
    )),
    (0.1, 5, tuple((Config(depth, width, s),) for depth, width in ((3, 100), (3, 300), (1, 1000)) for s in (0, 2))),
    (0.01, 10, tuple((Config(3, 1000, s),) for s in (0, 2))),
    (0.1, 5, tuple((Config(1, 3000, s, optimiser="sgd"),) for s in (0, 2))),
)  # fmt: skip
CORE_SECONDS = 150.0
# Baselines and our estimator: seconds per fit on a core, a fixed part and a part per row; trials at 1%,
# 10% and all rows. RealMLP, whose fits take their minute, has fewer; it comes last of its fraction, and last of all
# where a fit takes longer.
METHODS: dict[str, tuple[float, float, tuple[int, int, int]]] = {
    "MLPClassifier": (0.1, 1.5e-3, (10, 10, 10)),
    "HistGradientBoosting": (0.2, 1e-4, (10, 10, 10)),
    "XGBoost": (0.1, 1e-4, (10, 10, 10)),
    "LightGBM": (0.1, 1e-4, (10, 10, 10)),
    "CatBoost": (1.0, 1e-3, (10, 10, 10)),
    "RealMLP": (3.0, 2e-2, (5, 2, 1)),
    SPARSE: (1.0, 2e-3, (10, 10, 10)),
    DENSE: (1.0, 2e-3, (10, 10, 10)),
}
TRIALS_A_JOB = {0.01: 10, 0.1: 5, 1.0: 1}
SLOW, SLOW_SECONDS = "RealMLP", 60.0


@dataclass(frozen=True)
class Job:
    """A piece of the benchmark.

    Attributes:
        key: its name.
        seconds: roughly what it takes on one core.
        compute: makes its rows, in any process.
        order: jobs with a lower one come first.
        prepare: prepares what does not need the device; another thread may call it early.
        flops: floating point operations of training networks.
    """

    key: str
    seconds: float
    compute: Callable[[], pl.DataFrame]
    order: int = 0
    prepare: Callable[[], None] | None = None
    flops: float = 0.0


def table_name(family: str) -> str:
    """Where a store keeps the rows of a family."""
    return f"pareto/tabular/{family}"


def work(job: Job) -> tuple[str, pl.DataFrame, float]:
    """Do a job, here or in another process: its key, its rows, the seconds it took."""
    started = time.perf_counter()
    rows = job.compute()
    return job.key, rows, time.perf_counter() - started


def ordered(jobs: Iterable[Job]) -> list[Job]:
    """In the order in which they are best started: within an order the longest first."""
    return sorted(jobs, key=lambda job: (job.order, -job.seconds, job.key))


def forest_jobs(
    data: str | None,
    tasks: Sequence[str] | None = None,
    fractions: Sequence[float] = FRACTIONS,
    trials: int = TRIALS,
    uncapped: bool = True,
    most_trees: int = 1000,
) -> list[Job]:
    """The forests' grid: every cell with at most 10,000 training rows, and, on exact tables, with all rows as well."""
    suite, jobs = Suite337(data), list[Job]()
    for name in suite.names() if tasks is None else tasks:
        table = suite.load(name)
        columns = len(table.columns)
        for fraction in fractions:
            cell, whole = Cell(name, fraction), Cell(name, fraction, None)
            rows, all_rows = cell.rows(table.rows), whole.rows(table.rows)
            if rows < FEWEST_ROWS:
                continue
            jobs += _cell_jobs(data, cell, rows, columns, trials, most_trees)
            if uncapped and all_rows > rows and exact(name, columns, table.rows):
                few = LARGE_TRIALS if all_rows > LARGE_ROWS else UNCAPPED_TRIALS
                jobs += _cell_jobs(data, whole, all_rows, columns, min(trials, few), most_trees)
    return ordered(jobs)


def _cell_jobs(data: str | None, cell: Cell, rows: int, columns: int, trials: int, most_trees: int) -> list[Job]:
    jobs = []
    for trial in range(trials):
        for values in distinct(columns):
            thousand = forest_seconds(rows, columns, values[0], 1000)
            wanted = rows <= THOUSAND_ROWS or (trial < THOUSAND_TRIALS and cell.cap is not None)
            trees = min(most_trees, 1000 if wanted and thousand <= THOUSAND_SECONDS else 100)
            seconds = forest_seconds(rows, columns, values[0], trees)
            order = 0 if seconds > FIRST_SECONDS else 1 if trial < THOUSAND_TRIALS else 2
            key = f"forest {cell.label} trial {trial} max_features {values[0]}"
            jobs.append(Job(key, seconds, partial(forest_trial, data, cell, trial, values, trees), order))
    return jobs


def network_jobs(
    data: str | None,
    tasks: Sequence[str] | None = None,
    fractions: Sequence[float] = FRACTIONS,
    trials: int = TRIALS,
    networks: Sequence[Sequence[Config]] = NETWORKS,
) -> list[Job]:
    """The reduced grid of networks, on exact tables unless tasks are named; at most 10,000 training rows.

    In an order that leaves something to judge wherever it is cut: 1% of the rows first, then 10% up to width 1000, then
    width 3000, then s = 4 at that width, and all rows last; the shortest first.
    """
    suite, jobs = Suite337(data), list[Job]()
    for name in suite.names() if tasks is None else tasks:
        table = suite.load(name)
        columns = len(table.columns)
        if tasks is None and not exact(name, columns, table.rows):
            continue
        for fraction in fractions:
            cell = Cell(name, fraction)
            rows = cell.rows(table.rows)
            if rows < FEWEST_ROWS:
                continue
            for group in networks:
                work = trials * sum(flops(rows, columns, config) for config in group)
                key = f"networks {cell.label} {trials} trials " + ", ".join(config.label for config in group)
                arguments = (data, cell, tuple(range(trials)), tuple(group))
                jobs.append(
                    Job(
                        key,
                        work / DEVICE_FLOPS + DEVICE_STEP * steps(rows),
                        partial(network_rows, *arguments),
                        _network_order(fraction, group),
                        partial(ready, *arguments),
                        work,
                    )
                )
    return sorted(jobs, key=lambda job: (job.order, job.seconds, job.key))


def reduced_network_jobs(
    data: str | None, tasks: Sequence[str] | None = None, fractions: Sequence[float] = FRACTIONS
) -> list[Job]:
    """A part of the grid that two cores do in an hour: at 1% and 10%, narrower networks, fewer trials."""
    suite, jobs = Suite337(data), list[Job]()
    for order, (fraction, trials, groups) in enumerate(REDUCED):
        for job in network_jobs(data, tasks, [fraction] if fraction in fractions else [], trials, groups):
            cell, _, group = job.compute.args[1:]  # type: ignore[attr-defined]
            table = suite.load(cell.task)
            size = cell.rows(table.rows), len(table.columns)
            seconds = trials * sum(core_seconds(*size, config) for config in group)
            if seconds <= CORE_SECONDS:
                jobs.append(replace(job, seconds=seconds, order=order, prepare=None))
    return sorted(jobs, key=lambda job: (job.order, job.seconds, job.key))


def baseline_jobs(
    data: str | None, tasks: Sequence[str] | None = None, fractions: Sequence[float] = FRACTIONS
) -> list[Job]:
    """Every baseline that is installed, on exact tables unless tasks are named; at most 10,000 training rows."""
    return _method_jobs(data, tasks, fractions, [name for name in installed() if name in METHODS])


def our_jobs(data: str | None, tasks: Sequence[str] | None = None, fractions: Sequence[float] = FRACTIONS) -> list[Job]:
    """Our estimator as it comes and its dense twin, likewise."""
    return _method_jobs(data, tasks, fractions, list(OURS))


def _method_jobs(
    data: str | None, tasks: Sequence[str] | None, fractions: Sequence[float], methods: Sequence[str]
) -> list[Job]:
    """Small fractions first, and of the largest the first trials of all tasks first."""
    suite, jobs = Suite337(data), list[Job]()
    for name in suite.names() if tasks is None else tasks:
        table = suite.load(name)
        if tasks is None and not exact(name, len(table.columns), table.rows):
            continue
        for place, fraction in enumerate(sorted(fractions)):
            cell = Cell(name, fraction)
            rows = cell.rows(table.rows)
            if rows < FEWEST_ROWS:
                continue
            for method in methods:
                always, a_row, counts = METHODS[method]
                trials = counts[FRACTIONS[::-1].index(fraction)] if fraction in FRACTIONS else TRIALS
                together = 1 if method == SLOW else TRIALS_A_JOB.get(fraction, 1)
                for first in range(0, trials, together):
                    some = tuple(range(first, min(first + together, trials)))
                    key = f"{method} {cell.label} trials {some[0]} to {some[-1]}"
                    seconds = len(some) * (always + a_row * rows)
                    order = 100 * place + first // together
                    if method == SLOW:
                        order += 50 if seconds <= SLOW_SECONDS else 1000
                    jobs.append(Job(key, seconds, partial(method_rows, data, cell, method, some), order))
    return sorted(jobs, key=lambda job: (job.order, job.seconds, job.key))


def _network_order(fraction: float, group: Sequence[Config]) -> int:
    wide = group[0].depth > 1 and group[0].width > 1000
    if fraction > 0.1:
        return 6 if wide else 5
    if wide and group[0].sparsity > 2:
        return 3 if fraction <= 0.01 else 4
    return 0 if fraction <= 0.01 else 2 if wide else 1
