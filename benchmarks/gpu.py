"""What only a GPU can show, a few minutes per call.

    python -m benchmarks.gpu speed        model-steps/s, training only: PyTorch, plain JAX, our XLA path, our kernels
    python -m benchmarks.gpu agreement    success counts of kernels and XLA at the edge, 200 runs per cell
    python -m benchmarks.gpu panel        panels of the paper's frontier, 16,200 runs each, or some of their widths

Tables are also written to the folder named by --out.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from glassware.bench.cell import Cell
from glassware.bench.compare import Effort, Result, compare, frame
from glassware.bench.peers import Peer, Workers, peers, workers
from glassware.engine import Engine, train
from glassware.foundation.statistics import fisher_exact
from glassware.models import MLP, Init
from glassware.sweeps import grid
from glassware.tasks import Parity
from glassware.training import Evaluation, Run

SHAPES = [(50, 16), (50, 128), (50, 512), (50, 1024), (50, 10_000), (50, 100_000), (200, 1024), (200, 10_000)]
SHAPES += [(300, 100_000)]
EFFORT = Effort(turns=3, seconds=0.2, trial=0.05)
# (n, k) and steps of the cells that are compared; the sample size is looked for.
EDGES = [((50, 3), 20_000), ((50, 4), 40_000), ((100, 3), 30_000), ((100, 4), 60_000)]
SAMPLES = [300, 600, 700, 800, 900, 1000, 1500, 2000, 3000, 6000, 10_000, 30_000, 100_000]
# Widths of the panel, and how many of its fifty seeds are trained at a time.
AT_A_TIME = dict.fromkeys([10, 30, 100, 300, 1000, 3000, 10_000], 50) | {30_000: 25, 100_000: 5}


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


COMPACT = ["id", "spec", "n", "k", "m", "width", "init", "s", "seed", "success", "steps_to_success", "diverged_step"]
COMPACT += ["steps_taken", "test_error", "semantics", "engine"]


def panel(out: Path, cells: Sequence[tuple[int, int]], widths: Sequence[int], limit: float) -> None:
    """Panels (n, k) width by width; wide networks a few seeds at a time, so that ``limit`` seconds can be kept.

    What is finished stays in the store: the same call again goes on. Rows without their curves go to one file per
    panel, complete widths only.
    """
    from glassware.studies.pareto.success_frontier import frontier
    from glassware.sweeps import Store, sweep

    store, started = Store(out / "store"), time.perf_counter()
    everything = frontier("paper", None)
    for n, k in cells:
        frames: list[pl.DataFrame] = []
        panel_runs = [run for run in everything if isinstance(run.task, Parity) and (run.task.n, run.task.k) == (n, k)]
        for width in widths:
            runs = [run for run in panel_runs if run.network.width == width]
            found = train_width(runs, AT_A_TIME[width], store, sweep, limit - (time.perf_counter() - started))
            if found is None:
                break
            frames.append(found.select(COMPACT))
            pl.concat(frames).write_parquet(out / f"frontier-n{n}-k{k}.parquet", compression="zstd")
    print(f"{time.perf_counter() - started:.0f} s")


def train_width(
    runs: list[Run], seeds: int, store: Any, sweep: Callable[..., pl.DataFrame], limit: float
) -> pl.DataFrame | None:
    """All runs of one width, so many seeds at a time; None when the next ones would not end within the limit."""
    frames, started, longest = [], time.perf_counter(), 0.0
    for first in range(0, 50, seeds):
        since = time.perf_counter()
        if since - started + 1.2 * longest > limit:
            return None
        found = sweep([run for run in runs if first <= run.seed < first + seeds], store)
        seconds, steps = time.perf_counter() - since, int(found["steps_taken"].sum())
        longest = max(longest, seconds)
        cell = found.row(0, named=True)
        print(
            f"n={cell['n']} k={cell['k']} r={cell['width']:>6} {len(found):>5} runs "
            f"{int(found['success'].sum()):>5} succeed {seconds:>7.1f} s {steps / seconds:>13,.0f} steps/s  "
            f"({' '.join(sorted(set(found['engine'])))})",
            flush=True,
        )
        frames.append(found)
    return pl.concat(frames, how="diagonal_relaxed")


def pairs(words: str) -> list[tuple[int, int]]:
    """Pairs of numbers: ``50x3,100x4``."""
    return [(int(a), int(b)) for a, b in (word.split("x") for word in words.split(",") if word)]


def main() -> None:
    """Parse and call."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "agreement", "panel"])
    parser.add_argument("--out", type=Path, default=Path("results/gpu"), help="folder for the tables")
    parser.add_argument("--shapes", default="", help="for speed: n x r, as 50x1024,200x10000")
    parser.add_argument("--cells", default="", help="for agreement and panel: n x k, as 100x4,50x3")
    parser.add_argument("--widths", default="", help="for panel, as 10,30,100; all unless given")
    parser.add_argument("--limit", type=float, default=1200, help="for panel: seconds; the same call again goes on")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.what == "speed":
        speed(options.out, pairs(options.shapes) or SHAPES)
    elif options.what == "agreement":
        agreement(options.out, pairs(options.cells))
    else:
        widths = [int(width) for width in options.widths.split(",") if width]
        panel(options.out, pairs(options.cells) or [(50, 3)], widths or list(AT_A_TIME), options.limit)


if __name__ == "__main__":
    main()
