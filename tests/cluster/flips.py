"""Flip bits of a store at random, and count those that nobody sees: ``make faults``.

    python -m tests.cluster.flips --flips 1000

Every flip, in a part, in kept weights or in a computed table, must be seen by whoever reads the file and by a check.
After some of them the store is repaired and swept again: rows and weights must be those from before, to the bit.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl

import glassware as gw
from glassware.foundation.errors import StoreError
from glassware.sweeps import Store, sweep
from glassware.sweeps.check import check
from glassware.sweeps.computed import keep_computed, read_computed
from glassware.sweeps.kept import run_of
from glassware.sweeps.repair import repair
from tests.helpers import TINY, same_findings

KEEPING = {"keep": ("first", 30, "final"), "evaluation": {**TINY["evaluation"], "stop": False}}
RUNS = gw.grid({**TINY, **KEEPING}, {"m": [30, None], "model.width": [8, 16]}, seeds=10)


def made(folder: Path) -> Store:
    """A store of a few parts, a file of weights per run and a computed table."""
    for count in (7, 20, len(RUNS)):
        sweep(RUNS[:count], folder, lanes=8)
    keep_computed(Store(folder), "theory/table", 1, table)
    return Store(folder)


def table() -> pl.DataFrame:
    return pl.DataFrame({"x": np.arange(1000.0)})


def read(store: Store, file: Path) -> None:
    """Read a file as whoever needs it does."""
    kind = file.relative_to(store.path).parts[0]
    if kind == "parts":
        store.read(random.choice([None, ["m"], ["id"]]))
    elif kind == "weights":
        store.weights(run_of(file), random.choice(["first", 30, "final"]))
    else:
        read_computed(store, "theory/table", 1)


def seen(store: Store, file: Path) -> bool:
    """Whether its reader and a check both name a damaged file."""
    try:
        read(store, file)
    except StoreError as error:
        return file.name in str(error) and [one.path for one in check(store).faults if not one.runs] == [file]
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flips", type=int, default=1000)
    parser.add_argument("--repairs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    chance, folder = random.Random(given.seed), Path(tempfile.mkdtemp()) / "store"
    random.seed(given.seed)
    store, flipped, missed, repaired, unlike = made(folder), Counter[str](), 0, 0, 0
    rows, weights = store.read(), {run: store.weights(run) for run in store.ids()}
    for number in range(given.flips):
        kind = chance.choices(["parts", "weights", "computed"], [6, 3, 1])[0]
        file = chance.choice(sorted(path for path in (folder / kind).rglob("*") if path.is_file()))
        whole = bytearray(file.read_bytes())
        damaged = bytearray(whole)
        damaged[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        file.write_bytes(damaged)
        flipped[kind] += 1
        missed += not seen(store, file)
        if number % (given.flips // given.repairs) or kind == "computed":  # a table is made again, not trained
            file.write_bytes(whole)
            continue
        repair(store)
        repaired += 1
        again = sweep(RUNS, folder, lanes=8)
        same = all((store.weights(run)[name] == a).all() for run, kept in weights.items() for name, a in kept.items())
        unlike += not (same and same_findings(again, rows) and not check(store).faults)
    print(f"{given.flips:,} bits flipped ({dict(flipped)}): {missed} not seen")
    print(f"{repaired} repairs: {unlike} gave other rows or weights")
    sys.exit(bool(missed or unlike))


if __name__ == "__main__":
    main()
