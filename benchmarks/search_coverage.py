"""How often a search that ends by its own intervals has the edge inside them: ``python -m benchmarks.search_coverage``.

Rows are simulated: 17 sample sizes, ten per decade, success logistic in ln m around an edge that is drawn anew for
every row. Runs are not limited by work. ``--drop 1.9207`` stops when the 95% interval itself is short enough.
"""

from __future__ import annotations

import argparse
import math
from itertools import pairwise

import numpy as np

from glassware.luck import design
from glassware.luck.lattice import Count, Counts, Lattice
from glassware.studies.pareto.shared.arms import SAMPLES

SLOPES = (3.0, 6.0, 10.0)  # of the logit in ln m: from 25% to 75% within a factor of 2.1, 1.4 and 1.2
ROWS = 4  # searched at a time


def searched(lattice: Lattice, chance: np.ndarray, rng: np.random.Generator) -> Counts:
    """A whole search where runs succeed with these chances, one row of them per row of the grid."""
    counts: dict[tuple[int, int], Count] = {}
    while todo := lattice.next(counts):
        for (i, j), more in todo.items():
            won, trials, work = counts.get((i, j), Count())
            counts[i, j] = Count(won + int(rng.binomial(more, chance[j, i])), trials + more, work + more)
    return counts


def edge(x: np.ndarray, chance: np.ndarray) -> float:
    """Where the chances cross one half, read as a grid can: on the line between neighbours."""
    for (a, b), (low, high) in zip(pairwise(x), pairwise(chance), strict=True):
        if low < 0.5 <= high:
            return float(a * (b / a) ** ((0.5 - low) / (high - low)))
    raise ValueError("no crossing")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=8, help="first runs of a cell")
    parser.add_argument("--precision", type=float, default=1.2)
    parser.add_argument("--drop", type=float, default=design.SURE, help="of the interval that must be short enough")
    parser.add_argument("--repeats", type=int, default=150, help="of four rows each, for every slope")
    given = parser.parse_args()
    design.SURE, x = given.drop, np.array(SAMPLES, float)
    how = {"precision": given.precision, "trials": given.trials, "seeds": 400, "work": 1.0, "columns": False}
    lattice = Lattice(tuple(x), tuple(10.0**j for j in range(1, ROWS + 1)), **how)
    for slope in SLOPES:
        rng, inside, runs = np.random.default_rng([given.trials, int(10 * slope)]), list[bool](), list[int]()
        for _ in range(given.repeats):
            middles = np.exp(rng.uniform(math.log(250), math.log(1500), (ROWS, 1)))
            chance = 1 / (1 + np.exp(-slope * np.log(x / middles)))
            counts = searched(lattice, chance, rng)
            for line, state in lattice.states(counts).items():
                _, low, high = lattice.edge(line, counts, state)
                inside.append(low <= edge(x, chance[line.at]) <= high)
                runs.append(sum(cell.trials for cell in lattice.cells(line, counts)))
        print(
            f"slope {slope:g}: coverage {np.mean(inside):.3f} of {len(inside)} edges, {np.mean(runs):.0f} runs per edge"
        )


if __name__ == "__main__":
    main()
