"""Which claims hold on rows that carry no truth?

``python -m benchmarks.null_rows --store STORE`` judges every claim of every study at laptop scale on spoiled copies of
its rows, and lists those that hold anyway. A claim that holds on an untrained network, a coin or a constant says
nothing, unless it is a claim that nothing happens, or an exact statement that the spoiling does not reach.

Kinds of spoiled rows:
    shuffled   outcomes dealt out anew among the runs; what the runs were stays (three times)
    untrained  no run succeeds, errors are a half, curves are flat
    coin       every run succeeds with probability 1/2, at a random time (three times)
    constant   every run succeeds, at the same step, with the same curve

Computed tables have no runs: every numeric column that is not part of the grid is shuffled by itself, replaced by
random numbers of the same range (coin), by its mean (constant) or by 0 (untrained).
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl

from glassware.foundation import statistics
from glassware.studies import STUDIES, Study, matching, results
from glassware.sweeps import Store
from glassware.sweeps.rows import SCHEMA

SEEDS = 3
RESAMPLES = 200
CHANCE = 0.5
Spoil: TypeAlias = Callable[[pl.DataFrame, np.random.Generator], pl.DataFrame]

# What came of a run, beside its curves and probes.
OUTCOMES = ("success", "steps_to_success", "diverged_step", "steps_taken", "test_error", "train_error", "final_loss")
# Curves that are accuracies: those of leaky parities.
ACCURACIES = ("curve_uniform", "curve_leaking")


def outcomes(frame: pl.DataFrame) -> list[str]:
    """The columns of a table of runs that say what came of them."""
    probes = (
        {name for found in frame["probes"].drop_nulls().to_list() for name in found} if "probes" in frame else set()
    )
    measured = lambda name: (
        name in OUTCOMES or name in probes or name.startswith(("curve_", "test_", "train_")) or name.endswith("_error")
    )
    return [name for name in frame.columns if measured(name) and name not in ("test_size", "train_size")]


def numbers(frame: pl.DataFrame) -> list[str]:
    """The measured columns of a computed table: floating-point numbers and truths."""
    return [n for n, kind in frame.schema.items() if kind in (pl.Float32, pl.Float64, pl.Boolean) and n != "seed"]


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


def computed_shuffled(frame: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Every measured column dealt out anew by itself, among the rows that have a value in it."""

    def dealt(column: pl.Series) -> pl.Series:
        places = column.is_not_null().arg_true().to_numpy()
        order = np.arange(len(column))
        order[places] = rng.permutation(places)
        return column[order.tolist()]

    return frame.with_columns(dealt(frame[name]) for name in numbers(frame))


def computed_random(frame: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Random numbers of each measured column's range, random truths."""

    def drawn(column: pl.Series) -> pl.Series:
        if column.dtype == pl.Boolean:
            return pl.Series(column.name, rng.random(len(frame)) < CHANCE)
        known = column.drop_nulls().drop_nans().to_numpy()
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        fresh = pl.Series(column.name, rng.uniform(low, max(high, low), len(frame)), dtype=column.dtype)
        return pl.select(pl.when(column.is_not_null()).then(fresh)).to_series().alias(column.name)

    return frame.with_columns(drawn(frame[name]) for name in numbers(frame))


def computed_constant(frame: pl.DataFrame, _: np.random.Generator) -> pl.DataFrame:
    """Every measured number its column's mean, every truth true."""
    columns = {name: frame.schema[name] == pl.Boolean for name in numbers(frame)}
    return frame.with_columns(
        pl.when(pl.col(name).is_not_null()).then(True if truth else pl.col(name).mean()).alias(name)
        for name, truth in columns.items()
    )


def computed_zero(frame: pl.DataFrame, _: np.random.Generator) -> pl.DataFrame:
    """Every measured number 0, every truth false."""
    return frame.with_columns(
        pl.when(pl.col(name).is_not_null()).then(pl.lit(0).cast(frame.schema[name])).alias(name)
        for name in numbers(frame)
    )


OF_RUNS: dict[str, tuple[Spoil, int]] = {
    "shuffled": (shuffled, SEEDS),
    "untrained": (untrained, 1),
    "coin": (coin, SEEDS),
    "constant": (constant, 1),
}
OF_TABLES: dict[str, tuple[Spoil, int]] = {
    "shuffled": (computed_shuffled, SEEDS),
    "untrained": (computed_zero, 1),
    "coin": (computed_random, SEEDS),
    "constant": (computed_constant, 1),
}


def spoil(frame: pl.DataFrame, kind: str, rng: np.random.Generator) -> pl.DataFrame:
    """Rows of runs and computed rows, each spoiled in its own way."""
    if "id" not in frame.columns:
        return OF_TABLES[kind][0](frame, rng)
    runs, tables = frame.filter(pl.col("id").is_not_null()), frame.filter(pl.col("id").is_null())
    own = [n for n in tables.columns if len(tables) and tables[n].null_count() < len(tables)]
    parts = [OF_RUNS[kind][0](runs, rng)] if len(runs) else []
    parts += [OF_TABLES[kind][0](tables.select(own), rng)] if own else []
    return pl.concat(parts, how="diagonal_relaxed")


class Held(NamedTuple):
    """How often a claim holds on rows without truth, by kind; and what its check says where it breaks."""

    claim: str
    times: dict[str, int]
    broke: str


def judge(study: Study, frame: pl.DataFrame) -> list[Held]:
    """Every claim of the study that laptop scale judges, on every kind of spoiled rows."""
    claims = [claim for claim in study.claims if "laptop" in claim.scales]
    times, broke = {claim.id: dict.fromkeys(OF_RUNS, 0) for claim in claims}, dict.fromkeys((c.id for c in claims), "")
    for kind, (_, repeats) in OF_RUNS.items():
        for seed in range(repeats):
            rows = spoil(frame, kind, np.random.default_rng(seed))
            for claim in claims:
                try:
                    times[claim.id][kind] += claim.check(rows).verdict == "holds"
                except Exception as error:  # a check that breaks on such rows is to be listed, not to end the list
                    broke[claim.id] = f"breaks ({kind}): {type(error).__name__}: {str(error)[:60]}"
    return [Held(claim.id, times[claim.id], broke[claim.id]) for claim in claims]


def main() -> None:
    """List the claims that hold on spoiled rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("study", nargs="?", help="a study, or all of a paper; every one unless given")
    words = parser.parse_args()
    statistics.RESAMPLES = RESAMPLES
    warnings.simplefilter("ignore")
    store, judged, listed = Store(words.store), 0, Counter[str]()
    print("| claim | " + " | ".join(f"{kind} (of {repeats})" for kind, (_, repeats) in OF_RUNS.items()) + " | breaks |")
    print("|---" * (len(OF_RUNS) + 2) + "|")
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
                print("| " + " | ".join([f"{study.name}/{found.claim}", *cells, found.broke]) + " |", flush=True)
    print(f"\n{judged} claims judged; some time held: {', '.join(f'{n} {kind}' for kind, n in listed.items())}")
    if empty:
        print(f"no rows of {', '.join(empty)}")


if __name__ == "__main__":
    main()
