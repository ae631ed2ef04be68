"""What only a GPU can show, a few minutes per call.

    python -m benchmarks.gpu speed        model-steps/s, training only: PyTorch, plain JAX, our XLA path, our kernels
    python -m benchmarks.gpu agreement    success counts of kernels and XLA at the edge, 200 runs per cell
    python -m benchmarks.gpu study NAME   a study at paper scale, or a part of it, for some minutes: --only, --limit

Tables are also written to the folder named by --out.
"""

from __future__ import annotations

import argparse
import signal
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from glassware import studies
from glassware.api.studies import reproduce
from glassware.bench.cell import Cell
from glassware.bench.compare import Effort, Result, compare, frame
from glassware.bench.peers import Peer, Workers, peers, workers
from glassware.engine import Engine, train
from glassware.engine.choice import choose, program
from glassware.engine.device import level_lanes
from glassware.foundation.statistics import fisher_exact
from glassware.models import MLP, Init
from glassware.sweeps import Plan, grid
from glassware.sweeps.sweep import Silent
from glassware.tasks import Parity
from glassware.training import Evaluation, Run

SHAPES = [(50, 16), (50, 128), (50, 512), (50, 1024), (50, 10_000), (50, 100_000), (200, 1024), (200, 10_000)]
SHAPES += [(300, 100_000)]
EFFORT = Effort(turns=3, seconds=0.2, trial=0.05)
# (n, k) and steps of the cells that are compared; the sample size is looked for.
EDGES = [((50, 3), 20_000), ((50, 4), 40_000), ((100, 3), 30_000), ((100, 4), 60_000)]
SAMPLES = [300, 600, 700, 800, 900, 1000, 1500, 2000, 3000, 6000, 10_000, 30_000, 100_000]
THREADS = 12  # that compile


def speed(out: Path, shapes: Sequence[tuple[int, int]]) -> None:
    """Everybody on every shape, taking turns.

    Kernels, which take longest to compile and choose nothing by clocking, compile side by side before that. Each shape
    has processes of its own: what they hold of the GPU goes with them.
    """
    results: list[Result] = []
    started = time.perf_counter()
    with ExitStack() as stack:
        pools = {Cell(*shape): stack.enter_context(workers("gpu")) for shape in shapes}
        with ThreadPoolExecutor(len(pools)) as together:
            name, *_ = together.map(compile_kernels, pools.values(), pools)
        print(f"{name}: kernels compiled in {time.perf_counter() - started:.0f} s", flush=True)
        for cell, pool in pools.items():
            results.append(compare(pool, name, cell, contestants(cell), EFFORT))
            pool.end()
            for row in results[-1].rows():
                rate, share = row.get("steps_per_second"), row.get("ceiling_share")
                told = row["note"] if rate is None else f"{rate:>14,.0f} steps/s {share:>7.1%} of matrix product"
                print(f"{cell.n:>4} {cell.r:>7} {row['peer']:<36} {told}", flush=True)
            frame(results).write_parquet(out / "speed.parquet")
    print(f"{len(results)} shapes in {time.perf_counter() - started:.0f} s")


def compile_kernels(pool: Workers, cell: Cell) -> str:
    """In the cell's engine; what fails here is told when its turn comes. Says the device's name."""
    for peer in contestants(cell):
        if peer.settings[0].engine.startswith("kernels"):
            pool.prepare(peer, cell, peer.settings[0])
    return pool.name()


def contestants(cell: Cell) -> list[Peer]:
    """Training only, with the most models each peer may hold: on a GPU more is better.

    Exact kernels only where they compile in seconds, so that all shapes fit in one call.
    """
    wanted = {"one", "graphed", "vmapped", "training"}
    found = [replace(peer, settings=peer.settings[-1:]) for peer in peers("gpu", cell) if peer.name in wanted]
    small = cell.r <= 1024 and cell.n <= 64
    return [peer for peer in found if small or peer.settings[0].engine != "kernels-exact"]


def agreement(out: Path, wanted: Sequence[tuple[int, int]] = (), seeds: int = 200) -> None:
    """Success counts of XLA and kernels cell by cell, with a two-sided exact test."""
    rows: list[dict[str, Any]] = []
    for (n, k), steps in EDGES:
        if wanted and (n, k) not in wanted:
            continue
        for width in (128, 1024):
            evaluation = Evaluation(test=2048, screen=512, every=500)
            base = Run(task=Parity(n=n, k=k), model=MLP(width=width), steps=steps, evaluation=evaluation)
            cells = [base.model_copy(update={"init": init}) for init in (Init(), Init(scheme="sparse"))]
            chosen = [cell.model_copy(update={"m": edge(cell)}) for cell in cells]
            runs = [run for cell in chosen for run in grid(cell, {}, seeds=seeds)]
            counts: dict[str, Counter[str]] = {}
            seconds = {}
            for engine in ("xla", "kernels"):
                started = time.perf_counter()
                counts[engine] = successes(runs, engine)  # type: ignore[arg-type]
                seconds[engine] = time.perf_counter() - started
            for cell in chosen:
                a, b = (counts[engine][cell.init.scheme] for engine in ("xla", "kernels"))
                p = min(1.0, 2 * min(fisher_exact(a, seeds, b, seeds), fisher_exact(b, seeds, a, seeds)))
                rows.append(
                    {"n": n, "k": k, "r": width, "m": cell.m, "init": cell.init.scheme, "xla": a, "kernels": b, "p": p}
                )
                print(f"n={n} k={k} r={width} m={cell.m} {cell.init.scheme}: xla {a}, kernels {b}, p = {p:.3f}")
            print(f"  {seconds['xla']:.1f} s and {seconds['kernels']:.1f} s", flush=True)
            pl.DataFrame(rows).write_parquet(out / "agreement.parquet")
    print(f"{sum(row['p'] >= 0.001 for row in rows)} of {len(rows)} cells agree at 99.9%")


def edge(cell: Run, seeds: int = 24) -> int:
    """The sample size at which nearest to half of the runs succeed, looked for with other seeds."""
    runs = grid(cell, {"m": SAMPLES}, seeds=seeds)
    won: Counter[int] = Counter()
    for outcome in train([run.model_copy(update={"seed": 10_000 + run.seed}) for run in runs]):
        won[outcome.run.m or 0] += outcome.success_step is not None
    return min(SAMPLES, key=lambda m: abs(won[m] - seeds / 2))


def successes(runs: list[Run], engine: Engine) -> Counter[str]:
    """Successful runs of each initialisation."""
    found: Counter[str] = Counter()
    for outcome in train(runs, engine=engine):
        found[outcome.run.init.scheme] += outcome.success_step is not None
    return found


def study(out: Path, name: str, only: Sequence[str], seeds: int | None, limit: int, lanes: int | None) -> None:
    """A study at paper scale, or a part of it, for ``limit`` seconds.

    What is finished stays in the store; the same call again goes on. With ``lanes`` kernels are compiled side by side
    first, and every round has as many lanes, however few runs, so that no program is compiled twice.
    """
    found, chosen = studies.find(name), studies.parse_part(only)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(limit)
    try:
        if lanes is not None:
            compile_ahead(studies.part(found, chosen).runs("paper", 1), lanes)
        reproduce(
            found, "paper", store=out / "store", figures=None, seeds=seeds, lanes=lanes, only=chosen, progress=Told()
        )
    except KeyboardInterrupt:
        print(f"stopped after {limit} s; the same call again goes on")
    signal.alarm(0)


def compile_ahead(runs: Sequence[Run], lanes: int) -> None:
    """The kernels of these runs, side by side."""
    started = time.perf_counter()
    shapes = [shape for shape in {run.shape(): None for run in runs} if choose(shape, "auto") == "kernels"]
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda shape: program(shape, level_lanes(shape, lanes), "kernels", ()), shapes))
    print(f"{len(shapes)} programs compiled in {time.perf_counter() - started:.0f} s", flush=True)


class Told(Silent):
    """A line per round."""

    def on_plan(self, plan: Plan) -> None:
        self.runs, self.won, self.steps, self.seconds, self.started = len(plan.todo), 0, 0, 0.0, time.perf_counter()

    def on_row(self, row: dict[str, Any]) -> None:
        self.won, self.steps = self.won + row["success"], self.steps + row["steps_taken"]
        self.seconds += row["seconds"]

    def on_end(self) -> None:
        spent = time.perf_counter() - self.started
        told = f"{self.runs:>6} runs, {self.won:>6} succeed, {self.steps / 1e6:>8,.0f} million steps"
        print(f"{told}, {self.seconds:>6.1f} s on the device, {spent:>6.1f} s in all", flush=True)


def pairs(words: str) -> list[tuple[int, int]]:
    """Pairs of numbers: ``50x3,100x4``."""
    return [(int(a), int(b)) for a, b in (word.split("x") for word in words.split(",") if word)]


def main() -> None:
    """Parse and call."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "agreement", "study"])
    parser.add_argument("name", nargs="?", default="pareto/success-frontier", help="of the study")
    parser.add_argument("--out", type=Path, default=Path("results/gpu"), help="folder for the tables, and the store")
    parser.add_argument("--shapes", default="", help="for speed: n x r, as 50x1024,200x10000")
    parser.add_argument("--cells", default="", help="for agreement: n x k, as 100x4,50x3")
    parser.add_argument("--only", action="append", default=[], help="for study: a part, as task.n=50,100; repeatable")
    parser.add_argument("--seeds", type=int, help="for study: runs per cell")
    parser.add_argument("--limit", type=int, default=500, help="for study: seconds")
    parser.add_argument("--lanes", type=int, help="for study: runs held at once; few of wide networks")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.what == "speed":
        speed(given.out, pairs(given.shapes) or SHAPES)
    elif given.what == "agreement":
        agreement(given.out, pairs(given.cells))
    else:
        study(given.out, given.name, given.only, given.seeds, given.limit, given.lanes)


if __name__ == "__main__":
    main()
