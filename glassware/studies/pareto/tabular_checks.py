"""What the claims of ``tabular`` about the made table and about forests measure, and what its checks share.

``glassware.tabular`` needs scikit-learn, so it is imported when asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from glassware.foundation.statistics import Estimate, mean, mean_share
from glassware.studies.cells import where
from glassware.studies.pareto.intervals import joint_mean, largest
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, at_least, counted

NEAR = 0.025  # points
EXACT = 13  # tasks whose tables have the printed sizes
NAMES = {1.0: "all rows, at most 10,000", 0.1: "10%", 0.01: "1%"}
PAIRED = "paired by table and trial"  # said beside a verdict
Check = Callable[[pl.DataFrame], Finding]
Errors = dict[str, dict[int, float]]  # by task and trial
Cells = Mapping[tuple[object, ...], Errors]  # by setting: only like is paired with like


# -- the made table ---------------------------------------------------------------------------------------------------


def xor_width(frame: pl.DataFrame) -> Finding:
    """Fall of the error of sparse networks from the narrowest to the widest, on few rows, in pairs."""
    rows = _xor(frame, 0)
    if rows is None:
        return NOT_ENOUGH
    networks = where(rows, init="s=2", optimiser="adam")
    few, many = (_by_trial(where(networks, width=w)) for w in (networks["width"].min(), networks["width"].max()))
    said = f"{np.mean([*few.values()]):.1%} to {np.mean([*many.values()]):.1%}, {len(few)} tables"
    return Finding(joint_mean(_gaps(few, many)), at_least(0.05), "hundredths", said)


def xor_forest(frame: pl.DataFrame) -> Finding:
    """Error of the forest minus that of the best network, in pairs, at each size."""
    conditions, said = [], []
    for place in (0, 1):
        rows = _xor(frame, place)
        forest = {} if rows is None else _by_trial(where(rows, method="forest"))
        if rows is None or not forest:
            return NOT_ENOUGH
        networks = [_by_trial(part) for part in where(rows, optimiser="adam").partition_by("width", "init")]
        # One interval per network, all right at once: the best is chosen among them.
        best = largest([joint_mean(_gaps(forest, network), len(networks)) for network in networks])
        conditions.append(Finding(best, above(0), "hundredths"))
        said.append(f"forest {np.mean([*forest.values()]):.1%}, best network {best.value * 100:.1f} less")
    return all_of(conditions, "; ".join(said))


def xor_sgd(frame: pl.DataFrame) -> Finding:
    """Error of every network trained by SGD with the printed rate, and by how much Adam's is lower, in pairs."""
    rows = _xor(frame, 1)
    if rows is None:
        return NOT_ENOUGH
    gaps, errors = list[Estimate](), list[Estimate]()
    for part in rows.drop_nulls("optimiser").partition_by("width", "init"):
        adam, sgd = (_by_trial(where(part, optimiser=rule)) for rule in ("adam", "sgd"))
        errors.append(mean_share([*sgd.values()]))
        gaps.append(joint_mean(_gaps(sgd, adam)))
    if not gaps:
        return NOT_ENOUGH
    lowest_first = [Finding(error, at_least(0.4), "points") for error in sorted(errors)]
    lower = [Finding(gap, at_least(0.1), "points") for gap in sorted(gaps)]
    return all_of([*lowest_first, *lower], f"Adam's lower by {min(gaps).value:.0%} or more")


def _by_trial(rows: pl.DataFrame) -> dict[int, float]:
    return dict(rows.select("trial", "error").drop_nulls().iter_rows())


def _gaps(first: dict[int, float], second: dict[int, float]) -> list[float]:
    """Differences on the same tables."""
    return [first[trial] - second[trial] for trial in sorted(first.keys() & second.keys())]


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
        return counted(near, len(found), need, f"off: {said}" if said else "")

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


def forests_depth(frame: pl.DataFrame) -> Finding:
    """Mean distance to the printed errors of each other reading minus that of depth at most 10 on all rows."""
    found = forests_read(frame)
    best = found.get("depth ≤ 10, all rows", {})
    if len(best) < 10 or any(best.keys() - off.keys() for off in found.values()):
        return NOT_ENOUGH
    gaps = {
        reading: mean([(abs(off[task]) - abs(best[task])) / 100 for task in best])
        for reading, off in found.items()
        if off is not best
    }
    means = {reading: float(np.mean(np.abs([*off.values()]))) for reading, off in found.items()}
    said = "; ".join(f"{reading} {distance:.2f}" for reading, distance in means.items())
    least_first = sorted(gaps.values())
    return all_of([Finding(gap, above(0), "hundredths") for gap in least_first], f"mean distance in points: {said}")


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
