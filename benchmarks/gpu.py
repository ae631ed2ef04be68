"""What only a GPU can show, in one call of a few minutes: speeds of the kernels beside XLA, and that they agree.

    python -m benchmarks.gpu speed        model-steps/s, training only: kernels, exact kernels, the XLA path
    python -m benchmarks.gpu agreement    success counts of kernels and XLA at the edge of the frontier, 200 runs a cell

Each speed is measured in a process of its own with a time limit, so that a kernel that fails to compile, or waits for
ever, costs its own row only.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from typing import Any

import jax
import numpy as np

from glassware.engine import step_flops, train
from glassware.engine.choice import program
from glassware.models import MLP, Init
from glassware.statistics import fisher_exact
from glassware.sweeps import grid
from glassware.tasks import Parity
from glassware.training import Evaluation, Run

SHAPES = [(50, 16), (50, 128), (50, 512), (50, 1024), (50, 10_000), (50, 100_000), (200, 1024), (200, 10_000)]
ENGINES = ("kernels", "kernels-exact", "xla")
LIMIT = 45.0  # seconds for one measurement, compiling included
# (n, k), sample sizes near the edge, steps
EDGES = [((50, 3), (800, 1200), 20_000), ((50, 4), (6000, 10_000), 30_000), ((100, 3), (1500, 3000), 20_000)]


def measure(n: int, r: int, engine: Any) -> None:
    """Print one speed: enough lanes to fill the device, three timings after a warm-up, the best."""
    every = 500 if r < 1000 else 100
    evaluation = Evaluation(test=32, every=every, success=0.0)
    base = Run(task=Parity(n=n, k=3), m=1000, model=MLP(width=r), steps=every * 1000, evaluation=evaluation)
    lanes = max(2, min(8192, 2**21 // r)) if engine != "xla" else max(8, min(8192, 2**21 // r))
    values = jax.tree.map(lambda *a: np.stack(a), *(base.model_copy(update={"seed": i}).values() for i in range(lanes)))
    compiled = program(base.shape(), lanes, engine)
    state, _ = jax.block_until_ready(compiled.advance(values, compiled.idle(), np.ones(lanes, bool), 1))
    best = 0.0
    for _ in range(3):
        started = time.perf_counter()
        state, _ = jax.block_until_ready(compiled.advance(values, state, np.zeros(lanes, bool), 1))
        best = max(best, lanes * every / (time.perf_counter() - started))
    useful = best * step_flops(base) / 1e12
    print(f"{n:>4} {r:>7} {engine:<14} {lanes:>6} lanes {best:>14,.0f} steps/s {useful:>7.1f} TFLOP/s")


def speed() -> None:
    """All shapes and engines, one process each."""
    print(jax.devices()[0].device_kind)
    for n, r in SHAPES:
        for engine in ENGINES if r <= 1024 else ("kernels", "xla"):
            command = [sys.executable, "-m", "benchmarks.gpu", "one", str(n), str(r), engine]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
                last = (done.stderr.strip().splitlines() or ["failed"])[-1]
                print(done.stdout.strip() or f"{n:>4} {r:>7} {engine:<14} {last[:100]}", flush=True)
            except subprocess.TimeoutExpired:
                print(f"{n:>4} {r:>7} {engine:<14} not within {LIMIT:.0f} s", flush=True)


def agreement(seeds: int = 200) -> None:
    """Success counts of XLA and kernels cell by cell, with a two-sided exact test."""
    beyond = total = 0
    for (n, k), samples, steps in EDGES:
        evaluation = Evaluation(test=2048, screen=512, every=500)
        base = Run(task=Parity(n=n, k=k), model=MLP(width=128), steps=steps, evaluation=evaluation)
        axes = {"model.width": [128, 1024], "m": samples, "init": [Init(), Init(scheme="sparse")]}
        runs = grid(base, axes, seeds=seeds)
        counts: dict[str, Counter[Any]] = {}
        for engine in ("xla", "kernels"):
            started = time.perf_counter()
            counts[engine] = Counter()
            for outcome in train(runs, engine=engine):  # type: ignore[arg-type]
                run = outcome.run
                counts[engine][run.network.width, run.m, run.init.scheme] += outcome.success_step is not None
            print(f"n={n} k={k} {engine}: {len(runs)} runs in {time.perf_counter() - started:.1f} s", flush=True)
        for cell in counts["xla"]:
            a, b = counts["xla"][cell], counts["kernels"][cell]
            p = min(1.0, 2 * min(fisher_exact(a, seeds, b, seeds), fisher_exact(b, seeds, a, seeds)))
            total, beyond = total + 1, beyond + (p < 0.001)
            print(f"n={n} k={k} r={cell[0]} m={cell[1]} {cell[2]}: xla {a}/{seeds}, kernels {b}/{seeds}, p = {p:.3f}")
    print(f"{total - beyond} of {total} cells agree at 99.9%")


def main() -> None:
    """Parse and call."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "agreement", "one"])
    parser.add_argument("cell", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.what == "one":
        measure(int(options.cell[0]), int(options.cell[1]), options.cell[2])
    else:
        {"speed": speed, "agreement": agreement}[options.what]()


if __name__ == "__main__":
    main()
