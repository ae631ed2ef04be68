"""Which claims hold on rows that carry no truth?

``python -m benchmarks.null_rows --store STORE`` judges every claim of every study at laptop scale on spoiled copies of
its rows, and lists those that hold anyway. A claim that holds on an untrained network, a coin or a constant says
nothing, unless it is a claim that nothing happens, or an exact statement that the spoiling does not reach.

Kinds of spoiled rows:
    shuffled   outcomes dealt out anew among the runs; what the runs were stays (three times)
    untrained  every run stays where it began: its curves at their first point, final probes of its first weights
    coin       every run succeeds with probability 1/2, at a random time; other numbers are random in the range of their
               column (three times)
    constant   every run succeeds, at the same step; other numbers are the mean of their column
    unknown    what the runs were, and nothing of what came of them
    few        one row in ten, at random, as it was (three times)

``spoiled_runs`` has what becomes of runs. Computed tables have none: ``spoiled_tables`` says which of their columns
were measured and what becomes of these. On every kind a check must give a verdict. A few rows may still hold the truth,
so what they say is not counted.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from benchmarks.spoiled_runs import Spoil, coin, constant, shuffled, unknown, untrained
from benchmarks.spoiled_tables import spoil_table
from glassware.foundation import statistics
from glassware.studies import STUDIES, Study, matching, results
from glassware.studies.claim import measure
from glassware.sweeps import Store
from glassware.sweeps.rows import SCHEMA

SEEDS = 3
RESAMPLES = 200

OF_RUNS: dict[str, tuple[Spoil, int]] = {
    "shuffled": (shuffled, SEEDS),
    "untrained": (untrained, 1),
    "coin": (coin, SEEDS),
    "constant": (constant, 1),
    "unknown": (unknown, 1),
}
WITHOUT_TRUTH = {kind: repeats for kind, (_, repeats) in OF_RUNS.items()}
FEW = 0.1  # of the rows


def spoil(study: str, frame: pl.DataFrame, kind: str, rng: np.random.Generator) -> pl.DataFrame:
    """Rows of runs and computed rows, each spoiled in its own way."""
    if kind == "few":
        return frame.filter(pl.Series(rng.random(len(frame)) < FEW))
    if "id" not in frame.columns:
        return spoil_table(frame, study, kind, rng)
    runs, table = frame.filter(pl.col("id").is_not_null()), frame.filter(pl.col("id").is_null())
    parts = [OF_RUNS[kind][0](runs, rng)] if len(runs) else []
    parts += [spoil_table(table, study, kind, rng)] if len(table) else []
    return pl.concat(parts, how="diagonal_relaxed")


class Held(NamedTuple):
    """How often a claim holds on rows without truth, by kind; and what its check says where it breaks."""

    claim: str
    times: dict[str, int]
    broke: list[str]


def judge(study: Study, frame: pl.DataFrame) -> list[Held]:
    """Every claim of the study that laptop scale judges, on every kind of spoiled rows."""
    claims = [claim for claim in study.claims if "laptop" in claim.scales]
    found = {claim.id: Held(claim.id, dict.fromkeys(WITHOUT_TRUTH, 0), []) for claim in claims}
    for kind, repeats in {**WITHOUT_TRUTH, "few": SEEDS}.items():
        for seed in range(repeats):
            rows = spoil(study.name, frame, kind, np.random.default_rng(seed))
            for claim in claims:
                finding = measure(claim, rows)
                if finding.verdict == "error":
                    found[claim.id].broke.append(f"{kind}: {finding.detail[:80]}")
                elif kind in WITHOUT_TRUTH:
                    found[claim.id].times[kind] += finding.verdict == "holds"
    return list(found.values())


def main() -> None:
    """List the claims that hold on spoiled rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("study", nargs="?", help="a study, or all of a paper; every one unless given")
    words = parser.parse_args()
    statistics.RESAMPLES = RESAMPLES
    warnings.simplefilter("ignore")
    store, judged, listed = Store(words.store), 0, Counter[str]()
    print(
        "| claim | " + " | ".join(f"{kind} (of {repeats})" for kind, repeats in WITHOUT_TRUTH.items()) + " | breaks |"
    )
    print("|---" * (len(WITHOUT_TRUTH) + 2) + "|")
    empty = []
    for study in matching(words.study) if words.study else STUDIES.values():
        frame = results(study, "laptop", store)
        if not len(frame):
            empty.append(study.name)
            continue
        frame = frame.select(n for n in frame.columns if frame[n].null_count() < len(frame) or n in SCHEMA)
        for found in judge(study, frame):
            judged += 1
            listed.update(kind for kind, times in found.times.items() if times)
            if found.broke or any(found.times.values()):
                cells = [str(times or "") for times in found.times.values()]
                print("| " + " | ".join([f"{study.name}/{found.claim}", *cells, *found.broke[:1]]) + " |", flush=True)
    print(f"\n{judged} claims judged; some time held: {', '.join(f'{n} {kind}' for kind, n in listed.items())}")
    if empty:
        print(f"no rows of {', '.join(empty)}")


if __name__ == "__main__":
    main()
