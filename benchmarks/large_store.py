"""A store of ten million made rows: what it costs to look at it, and to draw a figure from it.

    python -m benchmarks.large_store make /tmp/large      # 3 GB in 500 parts: curves as long as those of real runs
    python -m benchmarks.large_store measure /tmp/large   # seconds and peak memory, each in a process of its own
    glassware store compact /tmp/large                    # 20 parts; then measure again

The rows are those of one grid, 17 sample sizes by 12 widths by 2 inits. Only what came of the runs is made up: ids are
the hashes of their specifications, as in any store.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import glassware as gw
from glassware.sweeps import SEMANTICS, Store
from glassware.sweeps.experience import Experience
from glassware.sweeps.identity import spec_json
from glassware.sweeps.rows import SCHEMA, frame, provenance

SAMPLES = [*(round(100 * 10 ** (i / 8)) for i in range(16)), "online"]
WIDTHS = [10, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000]
POINTS, EVERY = 61, 100  # of a curve, as of 6,000 steps
PART_ROWS = 20_000
ENDS = {"test_error": "test_error", "train_error": "train_error", "loss": "final_loss"}
BASE = gw.Run(
    task=gw.Parity(n=50, k=3),
    model=gw.MLP(width=100),
    steps=(POINTS - 1) * EVERY,
    evaluation=gw.Evaluation(test=2000),
)
AXES: dict[str, list[Any]] = {"m": SAMPLES, "model.width": WIDTHS, "init": [gw.Init(), gw.Init(scheme="sparse")]}


class Maker:
    """Makes rows of the grid: row i is of cell i mod cells."""

    def __init__(self) -> None:
        runs = gw.grid(BASE, AXES, seeds=1)
        plain = [{**run.columns(), **provenance(), "engine": "kernels", "flops": 5e9} for run in runs]
        self.given = frame(plain)
        marked = [spec_json(run.model_copy(update={"seed": 77_777_777})) for run in runs]
        self.specs = [spec.split("77777777") for spec in marked]
        self.random = np.random.default_rng(0)

    def rows(self, start: int, count: int) -> pl.DataFrame:
        """Rows ``start`` to ``start + count``."""
        number = np.arange(start, start + count)
        cell, seed = number % len(self.specs), number // len(self.specs) + 1  # 0 is a default, left out of a spec
        specs = [str(s).join(self.specs[c]) for c, s in zip(cell, seed, strict=True)]
        ids = [hashlib.sha256(f"{SEMANTICS}:{spec}".encode()).hexdigest()[:20] for spec in specs]
        size, wide = cell // (2 * len(WIDTHS)) / len(SAMPLES), cell // 2 % len(WIDTHS) / len(WIDTHS)
        success = self.random.random(count) < size * (0.3 + 0.7 * wide)
        last = np.where(success, self.random.integers(8, POINTS, count), POINTS - 1)
        curves = self.curves(last, success)
        first = self.random.integers(0, 48, count)
        found = {
            "id": pl.Series(ids),
            "spec": pl.Series(specs),
            "seed": pl.Series(seed, dtype=pl.UInt64),
            "success": pl.Series(success),
            "steps_to_success": pl.Series(np.where(success, last * EVERY, -1)).replace(-1, None),
            "steps_taken": pl.Series(last * EVERY),
            "seconds": pl.Series(self.random.random(count) / 10),
            "support": pl.Series(np.stack([first, first + 1, first + 2], 1)).arr.to_list(),
            **{name: curves[f"curve_{curve}"].list.last() for curve, name in ENDS.items()},
            **{name: curves[name] for name in curves.columns},
        }
        return self.given[cell].with_columns(**found).select(*SCHEMA, pl.exclude(*SCHEMA))

    def curves(self, last: np.ndarray, success: np.ndarray) -> pl.DataFrame:
        """Test errors that stay at a half until they fall, training errors that fall early, losses."""
        count, steps = len(last), np.arange(POINTS)
        test = self.random.binomial(2000, 0.5, (count, POINTS)) / 2000
        test[success[:, None] & (steps >= last[:, None] - 3)] *= 0.2
        train = np.where(steps < 5, self.random.binomial(3200, 0.3, (count, POINTS)) / 3200, 0.0)
        loss = self.random.exponential(0.006, (count, POINTS)) + (steps == 0)
        taken = steps <= last[:, None]
        run = pl.Series(np.repeat(np.arange(count), last + 1))

        def lists(values: np.ndarray, kind: Any) -> pl.Series:
            table = pl.DataFrame({"run": run, "value": values[taken].astype(kind)})
            return table.group_by("run", maintain_order=True).agg("value")["value"]

        found = {"curve_step": lists(np.broadcast_to(steps * EVERY, test.shape), np.int32)}
        for name, values in {"test_error": test, "train_error": train, "loss": loss}.items():
            found[f"curve_{name}"] = lists(values, np.float32)
        return pl.DataFrame(found)


def make(folder: Path, rows: int, part_rows: int) -> None:
    """Write the store, part by part; one that was begun is gone on with."""
    maker, store = Maker(), Store(folder)
    with store.writing():
        done = len(store.parts())
        for start in range(done * part_rows, rows, part_rows):
            maker.random = np.random.default_rng(start)
            store.append(maker.rows(start, min(part_rows, rows - start)))
            print(f"\r{start + part_rows:,} rows", end="", flush=True)
    print()


def heat_map(folder: Path) -> None:
    """Draw success by sample size and width, for both inits, from the store's rows."""
    rows = Store(folder).read(["m", "width", "init", "success", "steps_to_success", "cell"])
    chart = gw.charts.success_heat_map(rows, title=f"{len(rows):,} runs")
    print(*gw.charts.save(chart, folder.parent, f"{folder.name}-heat-map"))


def resume(folder: Path) -> None:
    """Sweep 2,448 runs that are all there: what every command does that goes on from a store."""
    runs = [run for run in gw.grid(BASE, AXES, seeds=7) if run.seed]
    assert len(gw.sweep(runs, folder)) == len(runs)


def estimate(folder: Path) -> None:
    """What one more run per cell may take, by the rows of the store; this also comes before a sweep begins."""
    runs = [run.model_copy(update={"seed": 10**9}) for run in gw.grid(BASE, AXES, seeds=1)]
    experience = Experience(Store(folder))
    print(sum(experience.expected(run).steps for run in runs))


def measured(words: list[str]) -> None:
    """Run a command, and print its seconds, its processor time and its peak memory."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(words, stdout=said)
        _, code, used = os.wait4(process.pid, 0)
    spent, busy = time.monotonic() - started, used.ru_utime + used.ru_stime
    memory = used.ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)
    name = " ".join(words[2:])
    print(f"{name}: {spent:.1f} s ({busy:.1f} s of processor time), {memory:.2f} GB, code {code}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "measure", "heat-map", "resume", "estimate"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--part-rows", type=int, default=PART_ROWS)
    given = parser.parse_args()
    if given.what == "make":
        make(given.folder, given.rows, given.part_rows)
    elif given.what == "heat-map":
        heat_map(given.folder)
    elif given.what == "resume":
        resume(given.folder)
    elif given.what == "estimate":
        estimate(given.folder)
    else:
        folder = str(given.folder)
        measured([sys.executable, "-m", "glassware", "status", folder])
        measured([sys.executable, "-m", "benchmarks.large_store", "heat-map", folder])
        measured([sys.executable, "-m", "benchmarks.large_store", "resume", folder])
        measured([sys.executable, "-m", "benchmarks.large_store", "estimate", folder])


if __name__ == "__main__":
    main()
