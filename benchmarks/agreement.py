"""Success rates of the engine beside the plain NumPy trainer of the tests, cell by cell and run by run.

``python -m benchmarks.agreement`` trains n = 50, k = 3, widths 10 to 300, six sample sizes, both initialisations, 25
seeds, T = 6,000 with both (about ten minutes on two cores, nearly all of it NumPy's) and says whether every cell's
rate lies within the 99% Wilson interval of the other's. Both draw the same data, weights and minibatches; NumPy works
in float64, so single runs near the edge may part, rates may not.
"""

from __future__ import annotations

import argparse
import os
from multiprocessing import get_context
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one trainer a core

import numpy as np
import polars as pl

from glassware.engine import train
from glassware.foundation.statistics import wilson
from glassware.models import MLP, Init
from glassware.sweeps import grid
from glassware.tasks import Parity
from glassware.training import Evaluation, Run
from tests import reference

Z99 = 2.575829


def cells(widths: list[int], seeds: int) -> list[Run]:
    """The grid."""
    base = Run(task=Parity(n=50, k=3), model=MLP(width=10), steps=6000, evaluation=Evaluation(test=2000))
    inits = [Init(), Init(scheme="sparse", s=2)]
    samples = [300, 600, 1000, 2000, 10_000, "online"]
    return grid(base, {"model.width": widths, "m": samples, "init": inits}, seeds=seeds)


def plain(run: Run) -> int:
    """First successful evaluation of the NumPy trainer, or -1. Examples are drawn 100 steps at a time, for speed."""
    x_test, y_test = reference.held_out(run)
    params, picked = reference.start(run), reference.order(run)
    lr, decay, every = run.optimiser.lr, run.optimiser.weight_decay, run.evaluation.every
    for first in range(0, run.steps, every):
        block = picked[first : first + every]
        x, y = reference.example(run, block.ravel())
        x, y = x.reshape(*block.shape, -1), y.reshape(block.shape)
        for xs, ys in zip(x, y, strict=True):
            gradients = reference.gradient(run.loss, params, xs, ys)
            params = [p - lr * (g + decay * p) for p, g in zip(params, gradients, strict=True)]
        if np.mean(y_test * reference.forward(params, x_test) <= 0) <= run.evaluation.success:
            return first + every
    return -1


def agree(ours: int, theirs: int, runs: int) -> bool:
    """Whether one rate lies in the other's interval, either way round: no interval of 24 of 25 contains 25 of 25."""
    inside = lambda a, b: wilson(b, runs, Z99).low <= a / runs <= wilson(b, runs, Z99).high
    return inside(ours, theirs) or inside(theirs, ours)


def main() -> None:
    """Train with both and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--widths", type=int, nargs="+", default=[10, 30, 100, 300])
    parser.add_argument("--seeds", type=int, default=25)
    parser.add_argument("--out", type=Path, help="write the runs to this Parquet file")
    options = parser.parse_args()
    runs = cells(options.widths, options.seeds)
    with get_context("spawn").Pool() as pool:
        theirs = pool.map(plain, runs, chunksize=4)
    ours = {outcome.run: outcome.success_step or -1 for outcome in train(runs)}
    table = pl.DataFrame(
        [
            {"init": r.init.scheme, "width": r.network.width, "m": r.m, "seed": r.seed, "engine": ours[r], "numpy": t}
            for r, t in zip(runs, theirs, strict=True)
        ],
        schema_overrides={"m": pl.Int64},
    )
    if options.out:
        table.write_parquet(options.out)
    rates = table.group_by("init", "width", "m", maintain_order=True).agg(
        pl.len().alias("runs"),
        (pl.col("engine") > 0).sum().alias("engine"),
        (pl.col("numpy") > 0).sum().alias("numpy"),
        (pl.col("engine") == pl.col("numpy")).sum().alias("same step"),
    )
    with pl.Config(tbl_rows=-1):
        print(rates)
    apart = [row for row in rates.iter_rows(named=True) if not agree(row["engine"], row["numpy"], row["runs"])]
    same = int((table["engine"] == table["numpy"]).sum())
    print(f"{same} of {len(table)} runs succeed at the same step (or fail alike)")
    print(f"{len(rates) - len(apart)} of {len(rates)} cells agree: a rate within the 99% interval of the other")


if __name__ == "__main__":
    main()
