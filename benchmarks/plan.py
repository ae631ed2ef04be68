"""Is the price right? Follow the advice of ``glassware plan`` many times and count what a success really costs.

``python -m benchmarks.plan --store results/store`` asks for n = 50, k = 3 and several sample sizes, and follows each
recommendation 50 times: a try with a fresh seed, given up at the cut-off, and again until one succeeds. Every
floating-point operation of every try counts, evaluations too. The predicted cost should be within a factor of 1.5 of
the measured mean. Two kinds of restart are measured: ``fresh`` draws everything anew, as the runs in the store did;
``same`` keeps the sample and the hidden support and draws only the initial weights anew, as one has to with one sample.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
import polars as pl

from glassware.luck import Cell, plan
from glassware.sweeps import Store, sweep
from glassware.training import Run

FACTOR = 1.5  # by which prediction and measurement may differ
FIRST_SEED = 10**9  # far from any seed of a study
MOST_TRIES = 60


def follow(
    attempt: Run, times: int, same: bool, most: int = MOST_TRIES, first: int = FIRST_SEED
) -> tuple[list[float], list[int]]:
    """The cost and number of tries of ``times`` successes; a success that does not come is an infinite cost."""
    costs, tries = [0.0] * times, [0] * times
    left = list(range(times))
    for number in range(most):
        rows = sweep([_try(attempt, first + 1000 * i, number, same) for i in left])
        for i, flops in zip(left, rows["flops"], strict=True):
            costs[i] += flops
            tries[i] += 1
        left = [i for i, success in zip(left, rows["success"], strict=True) if not success]
        if not left:
            break
    return [math.inf if i in left else cost for i, cost in enumerate(costs)], tries


def _try(attempt: Run, seed: int, number: int, same: bool) -> Run:
    """One try: all of its luck new, or only that of the initial weights."""
    if not same:
        return attempt.model_copy(update={"seed": seed + number})
    init = attempt.init.model_copy(update={"seed": seed + number})
    return attempt.model_copy(update={"seed": seed, "init": init})


def check(cell: Cell, times: int, same: bool, first: int = FIRST_SEED) -> dict[str, object]:
    """Predicted and measured cost of one recommendation."""
    costs, tries = follow(cell.attempt, times, same, first=first)
    done = np.isfinite(costs)
    measured = float(np.mean(np.array(costs)[done])) if done.any() else math.nan
    error = float(np.std(np.array(costs)[done]) / math.sqrt(max(1, done.sum())))
    ratio = cell.flops.value / measured
    return {
        "m": cell.run.m,
        "width": cell.run.model.widths[0],
        "init": cell.run.init.scheme,
        "cutoff": cell.attempt.steps,
        "restarts": "same sample" if same else "fresh",
        "predicted": cell.flops.value,
        "low": cell.flops.low,
        "high": cell.flops.high,
        "measured": measured,
        "standard_error": error,
        "ratio": ratio,
        "tries": float(np.mean(tries)),
        "predicted_tries": cell.restart.tries,
        "never": int((~done).sum()),
        "within": bool(done.all()) and 1 / FACTOR <= ratio <= FACTOR,
    }


def main(words: list[str] | None = None) -> pl.DataFrame:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--store", type=Path, default=Path("results/store"))
    parser.add_argument("--n", type=int, default=50)
    parser.add_argument("--k", type=int, default=3)
    parser.add_argument("--m", type=int, nargs="*", default=[1000, 2000, 3000, 10_000])
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    given = parser.parse_args(words)
    found = []
    for m in given.m:
        best = plan(Store(given.store), {"task": "parity", "n": given.n, "k": given.k}, m).best
        if best is None:
            print(f"m = {m}: the store cannot tell")
            continue
        for same in (False, True):
            row = check(best, given.times, same, given.first_seed)
            found.append(row)
            verdict = "within" if row["within"] else "NOT within"
            print(
                f"m = {m:,}: width {row['width']}, {row['init']}, cut-off {row['cutoff']:,}, {row['restarts']}: "
                f"predicted {row['predicted']:.3g} [{row['low']:.3g}, {row['high']:.3g}], "
                f"measured {row['measured']:.3g} +- {row['standard_error']:.1g} FLOPs; "
                f"{row['predicted_tries']:.2f} and {row['tries']:.2f} tries, {row['never']} never: "
                f"ratio {row['ratio']:.2f}, {verdict} {FACTOR}",
                flush=True,
            )
    return pl.DataFrame(found)


if __name__ == "__main__":
    main()
