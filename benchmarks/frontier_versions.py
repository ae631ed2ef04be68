"""Success counts of one study in two stores, cell by cell: Fisher's exact test, Holm-corrected.

``python -m benchmarks.frontier_versions OLD NEW`` compares the cells that both stores have, as after a change of
random keys, when the runs are other draws of the same cells.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl

from glassware.sweeps import Store

HOLM = "holm"  # the corrected p
CELL = ["task", "n", "k", "m", "model", "width", "init", "s", "lr", "weight_decay", "batch", "steps", "test_size"]


def compare(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """One row per cell that both have: counts, the two-sided p, and Holm's corrected one."""
    from scipy.stats import fisher_exact

    counts = lambda frame: frame.group_by(CELL).agg(won=pl.col("success").sum(), runs=pl.len())
    both = counts(old).join(counts(new), on=CELL, suffix="_new", nulls_equal=True).sort(CELL)
    table = [
        fisher_exact([[won, runs - won], [won_new, runs_new - won_new]]).pvalue
        for won, runs, won_new, runs_new in both.select("won", "runs", "won_new", "runs_new").iter_rows()
    ]
    both = both.with_columns(p=pl.Series(table)).sort("p")
    scaled = (pl.col("p") * (pl.len() - pl.int_range(pl.len()))).cum_max().clip(0, 1)
    return both.with_columns(scaled.alias(HOLM))


def main() -> None:
    """Print the cells that differ most."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    stores = parser.parse_args()
    found = compare(Store(stores.old).read(), Store(stores.new).read())
    print(found.select("n", "k", "m", "width", "init", "won", "runs", "won_new", "runs_new", "p", HOLM).head(8))
    print(f"{len(found)} cells, smallest corrected p = {float(found['holm'].to_numpy().min()):.3g}")


if __name__ == "__main__":
    main()
