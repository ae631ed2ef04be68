"""Which claims hold on rows that carry no truth?

``python -m benchmarks.null_rows --store STORE`` judges every claim of every study at laptop scale on spoiled copies of
its rows, and lists those that hold anyway. A claim that holds on an untrained network, a coin or a constant says
nothing, unless it is a claim that nothing happens, or an exact statement that the spoiling does not reach.

Kinds of spoiled rows:
    shuffled   outcomes dealt out anew among the runs; what the runs were stays (three times)
    untrained  no run succeeds, errors are a half, curves are flat
    coin       every run succeeds with probability 1/2, at a random time (three times)
    constant   every run succeeds, at the same step, with the same curve
    unknown    what the runs were, and nothing of what came of them
    few        one row in ten, at random, as it was (three times)

Computed tables have no runs: ``spoiled_tables`` says which of their columns were measured and what becomes of them. On
every kind a check must give a verdict. A few rows may still hold the truth, so what they say is not counted.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl

from benchmarks.spoiled_tables import CHANCE, spoil_table
from glassware.foundation import statistics
from glassware.foundation.specs import seedless
from glassware.studies import STUDIES, Study, matching, results
from glassware.studies.claim import measure
from glassware.sweeps import Store
from glassware.sweeps.rows import CIRCUMSTANCES, SCHEMA
from glassware.training import Run

SEEDS = 3
RESAMPLES = 200
Spoil: TypeAlias = Callable[[pl.DataFrame, np.random.Generator], pl.DataFrame]

# What came of a run, whatever its probes.
OUTCOMES = {
    *("success", "steps_to_success", "diverged_step", "steps_taken", "test_error", "train_error", "final_loss"),
    *("curve_step", "curve_test_error", "curve_train_error", "curve_loss"),
}
# Columns of every row that say what the run was or how the row came about.
GIVEN = {*SCHEMA, *Run.model_fields, *CIRCUMSTANCES, "train_size", "test_size"} - OUTCOMES
# Curves that are accuracies: those of leaky parities.
ACCURACIES = ("curve_uniform", "curve_leaking")


def outcomes(frame: pl.DataFrame) -> list[str]:
    """The columns of a table of runs that say what came of them: all that no part of a run names."""
    specs = frame.group_by(seedless()).agg(pl.col("spec").first().alias("one"))["one"].drop_nulls()
    given = GIVEN.union(*(Run.model_validate_json(spec).columns() for spec in specs))
    return [name for name in frame.columns if name not in given]


def shuffled(frame: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """What came of the runs, dealt out anew; columns of one run stay together."""
    order = rng.permutation(len(frame)).tolist()
    return frame.with_columns(frame.select(outcomes(frame))[order].get_columns())


def untrained(frame: pl.DataFrame, _: np.random.Generator) -> pl.DataFrame:
    """Every run fails; errors are a half, and no curve moves."""
    return _made(frame, np.zeros(len(frame), bool), np.zeros(len(frame)), None)


def coin(frame: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Every run succeeds with probability 1/2, at a time between the first and the last step."""
    return _made(frame, rng.random(len(frame)) < CHANCE, rng.random(len(frame)), rng)


def constant(frame: pl.DataFrame, _: np.random.Generator) -> pl.DataFrame:
    """Every run succeeds at half the smallest budget."""
    return _made(frame, np.ones(len(frame), bool), np.full(len(frame), 0.5), None, same=True)


def _made(
    frame: pl.DataFrame, won: np.ndarray, when: np.ndarray, rng: np.random.Generator | None, *, same: bool = False
) -> pl.DataFrame:
    """Rows whose outcome follows from success and time alone: error 1/2 before and 0 after, probes that say nothing."""
    budget = frame["steps"].fill_null(1000).to_numpy() if "steps" in frame else np.full(len(frame), 1000)
    budget = np.full(len(frame), budget.min()) if same else budget
    every = frame["every"].fill_null(1).to_numpy() if "every" in frame else np.ones(len(frame))
    time = np.maximum(1, np.ceil(when * budget / every) * every).astype(int)
    grids = [np.unique(np.linspace(0, top, 50).astype(int)) for top in budget]
    errors = [
        np.where(steps >= t, 0.0, CHANCE) if success else np.full(len(steps), CHANCE)
        for steps, t, success in zip(grids, time, won, strict=True)
    ]
    columns: dict[str, pl.Series] = {}
    for name in outcomes(frame):
        kind = frame.schema[name]
        if name == "success":
            values: list[object] = won.tolist()
        elif name == "steps_to_success":
            values = [int(t) if w else None for t, w in zip(time, won, strict=True)]
        elif name == "diverged_step":
            values = [None] * len(frame)
        elif name == "steps_taken":
            values = [int(t) if w else int(top) for t, w, top in zip(time, won, budget, strict=True)]
        elif name == "curve_step":
            values = [grid.tolist() for grid in grids]
        elif name.startswith("curve_") and kind == pl.List(pl.Float32) and ("error" in name or name == "curve_loss"):
            values = [error.tolist() for error in errors]
        elif name in ACCURACIES and kind == pl.List(pl.Float32):
            values = [(1 - error).tolist() for error in errors]
        elif name.startswith("curve_") and kind == pl.List(pl.Float32):
            values = [[1.0] * len(grid) for grid in grids]  # a probe that does not move
        elif kind.is_float():
            values = [float(error[-1]) for error in errors]
        elif kind == pl.List(pl.Float32):
            values = _noise(frame[name], rng)
        else:  # an array of several axes: that of one run for all
            first = frame[name].drop_nulls()
            values = [first[0] if len(first) else None] * len(frame)
        columns[name] = pl.Series(name, values, dtype=kind, strict=False)
    return frame.with_columns(columns.values())


def _noise(arrays: pl.Series, rng: np.random.Generator | None) -> list[object]:
    """Arrays of a final probe that say nothing: random in the range of the column, or its mean throughout."""
    every = arrays.explode().drop_nulls().drop_nans().to_numpy()
    if not len(every):
        return [None] * len(arrays)
    drawn = lambda size: np.full(size, every.mean()) if rng is None else rng.uniform(every.min(), every.max(), size)
    return [None if size is None else drawn(size).tolist() for size in arrays.list.len().to_list()]


def unknown(frame: pl.DataFrame, _: np.random.Generator) -> pl.DataFrame:
    """Runs of which nothing came: every outcome is null."""
    return frame.with_columns(pl.lit(None, frame.schema[name]).alias(name) for name in outcomes(frame))


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
                # A check need not look out for nulls: on those it is enough that the claim does.
                find = partial(measure, claim) if kind == "unknown" else claim.check
                try:
                    holds = find(rows).verdict == "holds"
                except Exception as error:  # a check that breaks on such rows is to be listed, not to end the list
                    found[claim.id].broke.append(f"{kind}: {type(error).__name__}: {str(error)[:60]}")
                    continue
                if kind in WITHOUT_TRUTH:
                    found[claim.id].times[kind] += holds
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
