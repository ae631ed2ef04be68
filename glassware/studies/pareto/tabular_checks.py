"""What the claims of ``tabular`` about the made table and about forests measure, and what its checks share.

``glassware.tabular`` needs scikit-learn, so it is imported when asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from glassware.foundation.statistics import Estimate, bootstrap, mean, wilson
from glassware.studies.cells import where
from glassware.studies.verdict import NOT_ENOUGH, Finding

NEAR = 0.025  # points
EXACT = 13  # tasks whose tables have the printed sizes
NAMES = {1.0: "all rows", 0.1: "10%", 0.01: "1%"}
Check = Callable[[pl.DataFrame], Finding]
Errors = dict[str, dict[int, float]]  # by task and trial
Cells = Mapping[tuple[object, ...], Errors]  # by setting: only like is paired with like


# -- the made table ---------------------------------------------------------------------------------------------------


def xor_width(frame: pl.DataFrame) -> Finding:
    """Fall of the median error of sparse networks from the narrowest to the widest, on few rows."""
    rows = _xor(frame, 0)
    if rows is None:
        return NOT_ENOUGH
    widths = rows["width"].drop_nulls().unique().sort().to_list()
    few, many = (where(rows, init="s=2", optimiser="adam", width=w)["error"].to_list() for w in (widths[0], widths[-1]))
    fall = bootstrap(lambda a, b: float(np.median(a) - np.median(b)), few, many)
    return Finding(fall, fall.value >= 0.05, "hundredths", f"{np.median(few):.1%} to {np.median(many):.1%}")


def xor_forest(frame: pl.DataFrame) -> Finding:
    """Median error of the forest minus that of the best network, at the size where it is smaller."""
    found = []
    for place in (0, 1):
        rows = _xor(frame, place)
        if rows is None:
            return NOT_ENOUGH
        forest = where(rows, method="forest")["error"].to_list()
        groups = where(rows, method="network", optimiser="adam").partition_by("width", "init")
        network = min((group["error"].to_list() for group in groups), key=np.median)
        found.append((bootstrap(lambda a, b: float(np.median(a) - np.median(b)), forest, network), forest, network))
    least = min((gap for gap, _, _ in found), key=lambda gap: gap.value)
    said = "; ".join(f"forest {np.median(f):.1%}, network {np.median(n):.1%}" for _, f, n in found)
    return Finding(least, least.value > 0, "hundredths", said)


def xor_sgd(frame: pl.DataFrame) -> Finding:
    """Lowest median error of networks trained by SGD with the printed rate."""
    rows = _xor(frame, 1)
    if rows is None:
        return NOT_ENOUGH
    groups = where(rows, optimiser="sgd").partition_by("width", "init")
    lowest = min((group["error"].to_list() for group in groups), key=np.median)
    error = bootstrap(lambda sample: float(np.median(sample)), lowest)
    return Finding(error, error.value >= 0.4, "points")


def _xor(frame: pl.DataFrame, place: int) -> pl.DataFrame | None:
    """Rows of the made table at its smaller (0) or larger (1) size."""
    rows = family(frame, "xor")
    sizes = rows["train_rows"].unique().sort().to_list() if len(rows) else []
    return where(rows, train_rows=sizes[place]) if len(sizes) > place else None


# -- forests ----------------------------------------------------------------------------------------------------------


def forests_near(fraction: float, need: int = 11) -> Check:
    """Share of exact tasks whose best forest is within 2.5 points of the printed one."""

    def check(frame: pl.DataFrame) -> Finding:
        from glassware.tabular.benchmark.best import best_forests

        rows = family(frame, "forest", fraction)
        rows = rows.filter(pl.col("cap").is_not_null()) if len(rows) else rows
        found = best_forests(rows).filter(pl.col("exact")) if len(rows) else pl.DataFrame()
        if len(found) < min(need, EXACT):
            return NOT_ENOUGH
        near = int((found["difference"].abs() <= 100 * NEAR).sum())
        far = found.filter(pl.col("difference").abs() > 100 * NEAR)
        said = ", ".join(f"{t} {ours:.1f} ({paper})" for t, ours, paper in far["task", "ours", "printed"].iter_rows())
        return Finding(
            wilson(near, len(found)), near >= need, "points",
            f"{near}/{len(found)} tasks" + (f"; off: {said}" if said else ""),
        )  # fmt: skip

    return check


# What the printed forests at "all" rows may be: trees of any depth or of at most 10 (scikit-learn refuses the grid's
# max_depth = -1, so that these fits may have failed), on all rows or on 10,000 of them.
READINGS = {
    "any depth, 10,000 rows": (False, True),
    "any depth, all rows": (False, False),
    "depth ≤ 10, 10,000 rows": (True, True),
    "depth ≤ 10, all rows": (True, False),
}


def forests_read(frame: pl.DataFrame) -> dict[str, dict[str, float]]:
    """Best forest minus the printed one at all rows, in points, by reading and exact task; up to 100 trees."""
    from glassware.tabular.benchmark.best import best_forests

    rows = family(frame, "forest", 1.0)
    if not len(rows):
        return {}
    rows = rows.filter(pl.col("n_estimators") <= 100)
    found: dict[str, dict[str, float]] = {}
    for reading, (limited, capped) in READINGS.items():
        kept = rows.filter(pl.col("max_depth").is_not_null()) if limited else rows
        beside = best_forests(kept).filter(pl.col("exact"))
        # Where the cap takes no row away the capped cell is the only one.
        whole = beside.filter(pl.col("cap").is_null())
        off = dict(beside.filter(pl.col("cap").is_not_null())["task", "difference"].iter_rows())
        found[reading] = off if capped else off | dict(whole["task", "difference"].iter_rows())
    return found


def forests_rows(frame: pl.DataFrame) -> Finding:
    """Where fully grown forests on 10,000 and on all rows are apart: share of tasks printed nearer to the former."""
    found = forests_read(frame)
    if not found:
        return NOT_ENOUGH
    few, many = found["any depth, 10,000 rows"], found["any depth, all rows"]
    apart = [task for task in few if abs(few[task] - many[task]) > 1.0]
    if not apart:
        return NOT_ENOUGH
    nearer = sum(abs(few[task]) < abs(many[task]) for task in apart)
    said = "; ".join(f"{task}: {few[task]:+.1f} and {many[task]:+.1f} points from the printed error" for task in apart)
    return Finding(wilson(nearer, len(apart)), nearer == len(apart), "points", f"{nearer}/{len(apart)} tasks; {said}")


def forests_depth(frame: pl.DataFrame) -> Finding:
    """Mean distance to the printed errors: any depth on 10,000 rows minus depth at most 10 on all rows."""
    found = forests_read(frame)
    if not found or len(found["any depth, all rows"]) < 10:
        return NOT_ENOUGH
    means = {reading: float(np.mean(np.abs([*off.values()]))) for reading, off in found.items()}
    tasks = [*found["any depth, all rows"]]
    one, other = found["any depth, 10,000 rows"], found["depth ≤ 10, all rows"]
    gaps = [(abs(one[task]) - abs(other[task])) / 100 for task in tasks]
    gain = mean(gaps)
    said = "; ".join(f"{reading} {mean:.2f}" for reading, mean in means.items())
    return Finding(
        gain,
        min(means, key=lambda r: means[r]) == "depth ≤ 10, all rows",
        "hundredths",
        f"mean distance in points: {said}",
    )


# -- shared -----------------------------------------------------------------------------------------------------------


def family(frame: pl.DataFrame, family: str, fraction: float | None = None) -> pl.DataFrame:
    """Rows of a family; a table without columns where there are none."""
    if "family" not in frame.columns:
        return pl.DataFrame()
    rows = frame.filter(pl.col("family") == family)
    if len(rows) and fraction is not None:
        rows = rows.filter(pl.col("fraction") == fraction)
    return rows if len(rows) else pl.DataFrame()


def difference(first: Cells, second: Cells) -> tuple[Estimate, list[float]] | None:
    """Mean paired difference, and each task's. A trial's differences at several settings count as their mean."""
    from glassware.tabular.benchmark.compare import mean_difference

    found: dict[str, dict[int, list[float]]] = {}
    for key in first.keys() & second.keys():
        for task, trials in first[key].items():
            for trial in trials.keys() & second[key].get(task, {}).keys():
                gap = trials[trial] - second[key][task][trial]
                found.setdefault(task, {}).setdefault(trial, []).append(gap)
    if len(found) < 5:
        return None
    means = {task: [float(np.mean(gaps)) for gaps in trials.values()] for task, trials in found.items()}
    return mean_difference(means), [float(np.mean(gaps)) for gaps in means.values()]
