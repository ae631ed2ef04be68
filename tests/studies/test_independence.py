"""Cells of a study share no random numbers unless its runs say so, and blocks of seeds scatter as chance does."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from glassware.studies import STUDIES

MOST = 400  # runs of a study that are looked at: keys of neighbouring cells would clash anywhere
ROWS = Path(__file__).parents[2] / "benchmarks" / "rows" / "frontier.parquet"
TRAINED = [study for study in STUDIES.values() if study.stages]


@pytest.mark.parametrize("scale", ["smoke", "laptop"])
@pytest.mark.parametrize("study", TRAINED, ids=lambda study: study.name)
def test_runs_of_different_cells_have_different_keys(study, scale):
    """Two runs share what decides everything random only if they are one cell and seed, or say that they are paired.

    A run that takes the first weights of another seed says so in its ``init``: batches alone may be shared there.
    """
    runs = study.runs(scale)
    runs = [runs[i] for i in sorted(np.random.default_rng(0).permutation(len(runs))[:MOST])]
    seen: dict[bytes, tuple[str, int]] = {}
    for run in runs:
        if run.pairing is None:
            cell = run.model_copy(update={"seed": 0}).model_dump_json(exclude={"steps", "evaluation", "probes", "keep"})
            keys = run.key().tobytes() + run.init_key().tobytes()
            assert seen.setdefault(keys, (cell, run.seed)) == (cell, run.seed)


def test_a_pairing_shares_its_numbers_and_nothing_else_does():
    run = next(study for study in TRAINED if study.name == "pareto/success-frontier").runs("smoke")[0]
    wider = run.model_copy(update={"m": 2 * (run.m or 100)})
    assert run.key().tobytes() != wider.key().tobytes()
    pair = [one.model_copy(update={"pairing": "together"}) for one in (run, wider)]
    assert pair[0].key().tobytes() == pair[1].key().tobytes()


def block_spread(rows: pl.DataFrame, cell: list[str], blocks: int = 5) -> tuple[float, int]:
    """Chi-square of the successes of blocks of seeds around their cell's rate, and its degrees of freedom."""
    block = (pl.col("seed") % blocks).alias("block")
    counts = rows.group_by([*cell, block]).agg(won=pl.col("success").sum(), runs=pl.len())
    total, runs = pl.col("won").sum().over(cell), pl.col("runs").sum().over(cell)
    counts = counts.with_columns(rate=total / runs, size=runs).filter(pl.col("rate").is_between(0, 1, closed="none"))
    expected = pl.col("runs") * pl.col("rate")
    # (size - 1) / size: the rate is that of the same runs, of which few are left in a small cell.
    parts = counts.select(
        chi=(pl.col("won") - expected) ** 2 / (expected * (1 - pl.col("rate"))) * (pl.col("size") - 1) / pl.col("size"),
    )
    return float(parts["chi"].sum()), len(counts) - len(counts.select(cell).unique())


def test_blocks_of_seeds_scatter_as_chance_does():
    """Too much scatter: seeds depend on each other; too little: they repeat each other."""
    rows = pl.read_parquet(ROWS).filter(n=50, k=3)
    chi, freedom = block_spread(rows, ["init", "m", "width"])
    assert freedom > 100
    assert 0.001 < stats.chi2.sf(chi, freedom) < 0.999


def test_the_scatter_of_seeds_that_depend_on_each_other_is_noticed():
    rng = np.random.default_rng(0)
    rows = pl.DataFrame({"cell": np.repeat(np.arange(60), 25), "seed": np.tile(np.arange(25), 60)})
    independent = rows.with_columns(success=pl.Series(rng.random(len(rows)) < 0.4))
    by_block = rng.random((60, 5)) < 0.4  # one draw for all seeds of a block
    clustered = rows.with_columns(success=pl.Series(by_block[rows["cell"].to_numpy(), rows["seed"].to_numpy() % 5]))
    assert 0.001 < stats.chi2.sf(*block_spread(independent, ["cell"])) < 0.999
    assert stats.chi2.sf(*block_spread(clustered, ["cell"])) < 1e-6
