"""Tries the adaptive search for a frontier on the rows of a full grid, resampled: what it finds, and at what cost.

    python -m benchmarks.frontier_search ROWS.parquet --where n=50 k=3 --widest 30000 --repeats 200

The file has one row per run: m (null: online), width, init, success, seconds, and the columns of ``--where``. Each
repetition searches every init's grid; a run of a cell is a row of that cell drawn at random, with its seconds. Compared
are the edges of the search and those of the full grid: rows (m50 of each width) and columns (r50 of each m).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

from glassware.luck.curve import Cell
from glassware.luck.lattice import Count, Counts, Lattice, Line, Place, State

SEEDS = 50  # of the full grid
ONLINE = 2.0  # times the largest m: where it stands on the axis


@dataclass(frozen=True)
class Panel:
    """The rows of one grid by cell: outcomes and seconds."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    rows: dict[Place, tuple[np.ndarray, np.ndarray]]

    @classmethod
    def of(cls, table: pl.DataFrame) -> Panel:
        """The panel of these rows."""
        place = pl.col("m").fill_null(ONLINE * table["m"].max()).cast(pl.Float64)  # type: ignore[operator]
        cells = table.group_by(place.alias("m"), pl.col("width").cast(pl.Float64)).agg("success", "seconds").rows()
        x, y = (tuple(sorted({cell[i] for cell in cells})) for i in (0, 1))
        rows = {(x.index(m), y.index(r)): (np.array(won), np.array(took)) for m, r, won, took in cells}
        return cls(x, y, rows)

    @property
    def counts(self) -> Counts:
        """Of the full grid."""
        return {place: Count(int(won.sum()), len(won), took.sum()) for place, (won, took) in self.rows.items()}

    def cost(self, seeds: int) -> float:
        """Seconds of so many runs in every cell: where the rows have fewer, at their mean."""
        return seeds * float(sum(took.mean() for _, took in self.rows.values()))

    def truth(self, cells: list[Cell], level: float) -> float:
        """Where the stored rates first rise through the level: what resampled runs are drawn from."""
        for a, b in pairwise(cells):
            low, high = a.won / a.trials, b.won / b.trials
            if low < level <= high:
                return float(a.value * (b.value / a.value) ** ((level - low) / (high - low)))
        return 0.0 if cells[0].won / cells[0].trials >= level else np.inf

    def search(self, lattices: Sequence[Lattice], rng: np.random.Generator) -> tuple[Counts, int]:
        """Searches one after the other on resampled rows: their counts (the work is seconds), and their rounds."""
        counts: dict[Place, Count] = {}
        rounds = 0
        while todo := next(filter(None, (lattice.next(counts) for lattice in lattices)), {}):
            rounds += 1
            for place, more in todo.items():
                won, took = self.rows[place]
                drawn, (had, trials, work) = rng.integers(0, len(won), more), counts.get(place, Count())
                counts[place] = Count(had + int(won[drawn].sum()), trials + more, work + float(took[drawn].sum()))
        return counts, rounds


def judge(lattice: Lattice, panel: Panel, counts: Counts) -> list[tuple[Line, State, bool, bool, bool]]:
    """Per line: its state, whether its edge is on the grid, in the full grid's interval, and truth in its interval."""
    states, whole = lattice.states(counts), panel.counts
    full_states, found = lattice.states(whole), list[tuple[Line, State, bool, bool, bool]]()
    for line, state in states.items():
        cells = lattice.cells(line, whole)
        truth = panel.truth(cells, line.level)
        full, here = lattice.edge(line, whole, full_states[line]), lattice.edge(line, counts, state)
        if 0 < truth < np.inf:
            inside, covered = full.low <= here.value <= full.high, here.low <= truth <= here.high
        else:  # right where it says on which side of the grid the edge lies, or does not exclude that side
            inside = ("below" if truth == 0 else "above") in state
            covered = (here.low == 0) if truth == 0 else np.isinf(here.high)
        found.append((line, state, bool(0 < truth < np.inf), bool(inside), bool(covered)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--where", nargs="*", default=["n=50", "k=3"])
    parser.add_argument("--widest", type=int, default=30_000)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--precision", type=float, default=Lattice.precision)
    parser.add_argument("--work", type=float, default=Lattice.work)
    parser.add_argument("--trials", type=int, default=Lattice.trials, help="first runs of a cell")
    parser.add_argument("--rungs", type=int, nargs="*", default=[], help="m50 of networks up to these widths first")
    given = parser.parse_args()
    chosen = [pl.col(name) == int(value) for name, value in (one.split("=") for one in given.where)]
    table = pl.read_parquet(given.rows).filter(*chosen, pl.col("width") <= given.widest)
    panels = {str(init): Panel.of(part) for (init,), part in sorted(table.group_by("init"))}
    began, spent, judged, rounds, runs = time.perf_counter(), list[float](), dict[str, list[list[bool]]](), [], []
    for repeat in range(given.repeats):
        took = 0.0
        for number, (init, panel) in enumerate(panels.items()):
            how = {name: getattr(given, name) for name in ("precision", "work", "trials")}
            lattice = Lattice(panel.x, panel.y, seeds=SEEDS, **how)
            first = [replace(lattice, y=tuple(y for y in panel.y if y <= r), columns=False) for r in given.rungs]
            counts, count = panel.search([*first, lattice], np.random.default_rng([repeat, number]))
            took += sum(one.work for one in counts.values())
            rounds.append(count)
            runs.append(sum(one.trials for one in counts.values()))
            for line, _, on_grid, inside, covered in judge(lattice, panel, counts):
                name = f"{init} {'m50 at r' if line.along == 'x' else 'r50 at m'} = "
                name += f"{(panel.y if line.along == 'x' else panel.x)[line.at]:g}"
                judged.setdefault(name, []).append([on_grid, inside, covered])
        spent.append(took / sum(panel.cost(SEEDS) for panel in panels.values()))
    every = np.array([one for found in judged.values() for one in found])
    edge = every[every[:, 0]]
    print(f"{given.repeats} searches of {', '.join(panels)} in {time.perf_counter() - began:.0f} s")
    whole = sum(panel.cost(SEEDS) for panel in panels.values())
    print(f"{whole * np.mean(spent):.1f} s on average, of the full grid's {whole:.0f} s")
    print(f"share of the full grid's device seconds: mean {np.mean(spent):.3f}, largest {max(spent):.3f}")
    print(f"a search of one init: {np.mean(runs):.0f} runs, {np.mean(rounds):.1f} rounds")
    for title, part in (("all rows and columns", every), ("those whose edge lies on the grid", edge)):
        print(f"{title}: inside the full grid's interval {part[:, 1].mean():.4f}, coverage {part[:, 2].mean():.3f}")
    for name, found in judged.items():
        on_grid, inside, covered = np.mean(found, 0)
        if on_grid:
            print(f"  {name:<24} inside {inside:.3f}, coverage {covered:.3f}")


if __name__ == "__main__":
    main()
