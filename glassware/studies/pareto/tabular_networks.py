"""What the claims of ``tabular`` about the paper's networks measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from glassware.foundation.statistics import wilson
from glassware.studies.cells import where
from glassware.studies.pareto.tabular_checks import NEAR, Cells, Check, Errors, difference, family
from glassware.studies.verdict import NOT_ENOUGH, Finding


def networks_near(fraction: float, optimiser: str | None = None, need: int = 10) -> Check:
    """Share of exact tasks whose best network is within 2.5 points of the printed one, or better."""

    def check(frame: pl.DataFrame) -> Finding:
        from glassware.tabular.benchmark.best import best_networks

        rows = family(frame, "networks", fraction)
        if optimiser is not None and len(rows):
            rows = rows.filter(pl.col("optimiser") == optimiser)
        found = best_networks(rows).filter(pl.col("exact")) if len(rows) else pl.DataFrame()
        if len(found) < need:
            return NOT_ENOUGH
        far = found.filter(pl.col("difference") > 100 * NEAR)
        near = len(found) - len(far)
        better = int((found["difference"] < -100 * NEAR).sum())
        said = ", ".join(f"{t} {ours:.1f} ({paper})" for t, ours, paper in far["task", "ours", "printed"].iter_rows())
        detail = f"{near}/{len(found)} tasks, {better} of them better by more" + (f"; worse: {said}" if said else "")
        return Finding(wilson(near, len(found)), near >= need, "points", detail)

    return check


def width(optimiser: str, *depths: int) -> Check:
    """Narrowest minus widest dense network at 1%, at the same depth, paired."""

    def check(frame: pl.DataFrame) -> Finding:
        rows = _networks(frame, optimiser).filter(pl.col("init") == "dense", pl.col("weight_decay") == 0)
        few: dict[tuple[object, ...], Errors] = {}
        many: dict[tuple[object, ...], Errors] = {}
        for deep in depths:
            some = where(rows, depth=deep)
            ends = some.group_by("task").agg(pl.col("width").min().alias("least"), pl.col("width").max().alias("most"))
            apart = some.join(ends.filter(pl.col("most") > pl.col("least")), on="task")
            few[(deep,)] = _errors(apart.filter(pl.col("width") == pl.col("least")))
            many[(deep,)] = _errors(apart.filter(pl.col("width") == pl.col("most")))
        return _judged(few, many, lambda tasks: [d >= -0.01 for d in tasks], 10, "no worse by a point")

    return check


def sparse(optimiser: str, *depths: int) -> Check:
    """Dense minus s = 2 at 1%, at the same depth and width, paired."""

    def check(frame: pl.DataFrame) -> Finding:
        rows = _networks(frame, optimiser).filter(pl.col("depth").is_in(depths), pl.col("weight_decay") == 0)
        dense, two = (_by_width(rows, "depth", init=init) for init in ("dense", "s=2"))
        return _judged(dense, two, lambda tasks: [d > 0 for d in tasks], 5, "better")

    return check


def depth(optimiser: str) -> Check:
    """Error with one hidden layer minus that with three, at the same width, both inits, at 1%, paired."""

    def check(frame: pl.DataFrame) -> Finding:
        rows = _networks(frame, optimiser).filter(pl.col("init").is_in(["dense", "s=2"]), pl.col("weight_decay") == 0)
        shared = set(where(rows, depth=1)["width"].to_list()) & set(where(rows, depth=3)["width"].to_list())
        rows = rows.filter(pl.col("width").is_in(list(shared)))
        one, two, three = (_by_width(where(rows, depth=deep), "init") for deep in (1, 2, 3))
        worse = lambda tasks: [d > 0 for d in tasks]
        found = _judged(one, three, worse, 10, "worse with depth 1")
        if found.holds is None or not two:
            return found
        beside = _judged(one, two, worse, 10, "worse than depth 2")
        detail = f"{found.detail}; {beside.detail}, by {100 * beside.measured[0]:.2f}"
        return Finding(found.measured, found.holds, found.unit, detail)

    return check


def four(frame: pl.DataFrame) -> Finding:
    """Error with s = 4 minus that with s = 2, at the same width and depth, at 1%, paired."""
    rows = _networks(frame, "adam").filter(pl.col("depth") == 3, pl.col("weight_decay") == 0)
    widths = where(rows, init="s=4")["width"].unique().to_list()
    rows = rows.filter(pl.col("width").is_in(widths))
    return _judged(
        _by_width(rows, init="s=4"), _by_width(rows, init="s=2"), lambda tasks: [d > 0 for d in tasks], 10, "worse"
    )


def decay(frame: pl.DataFrame) -> Finding:
    """Error with weight decay 0.01 minus that without, at the same width, at 1%, paired."""
    rows = _networks(frame, "adam").filter(pl.col("depth") == 3)
    decayed = rows.filter(pl.col("weight_decay") > 0)
    plain = rows.filter(
        pl.col("weight_decay") == 0,
        pl.col("width").is_in(decayed["width"].unique().to_list()),
        pl.col("init").is_in(decayed["init"].unique().to_list()),
    )
    found = difference(_by_width(decayed, "init"), _by_width(plain, "init"))
    if found is None:
        return NOT_ENOUGH
    estimate, by_task = found
    small = sum(abs(d) <= 0.01 for d in by_task)
    return Finding(estimate, abs(estimate.value) <= 0.005, "hundredths", f"{small}/{len(by_task)} tasks within a point")


def forests_win(frame: pl.DataFrame) -> Finding:
    """Share of tasks at 1% on which the best forest beats the best network, each the best of its grid."""
    from glassware.tabular.benchmark.compare import best_forest, best_network, on_exact

    if not len(family(frame, "forest")) or not len(family(frame, "networks")):
        return NOT_ENOUGH
    frame = on_exact(frame)
    forest, network = best_forest(frame, 0.01), best_network(frame, 0.01)
    shared = [task for task in forest if task in network]
    if len(shared) < 10:
        return NOT_ENOUGH
    won = [task for task in shared if np.median([*forest[task].values()]) < np.median([*network[task].values()])]
    return Finding(wilson(len(won), len(shared)), len(won) >= 10, "points", f"{len(won)}/{len(shared)} tasks")


def _networks(frame: pl.DataFrame, optimiser: str) -> pl.DataFrame:
    """Networks trained by an optimiser on exact tables at 1%."""
    from glassware.tabular.benchmark.compare import on_exact

    rows = family(frame, "networks", 0.01)
    rows = rows.filter(pl.col("optimiser") == optimiser) if len(rows) else rows
    return on_exact(rows) if len(rows) else NO_NETWORKS


NO_NETWORKS = pl.DataFrame(
    schema={"task": pl.String, "trial": pl.Int64, "error": pl.Float64, "depth": pl.Int64, "width": pl.Int64,
            "init": pl.String, "weight_decay": pl.Float64}
)  # fmt: skip


def _errors(rows: pl.DataFrame) -> Errors:
    from glassware.tabular.benchmark.compare import errors_of

    return errors_of(rows)


def _by_width(rows: pl.DataFrame, *more: str, init: str | None = None) -> Cells:
    """Errors by width, and more."""
    kept = rows if init is None else where(rows, init=init)
    return {key: _errors(part) for key, part in kept.group_by(["width", *more])}


def _judged(
    first: Cells,
    second: Cells,
    counted: Callable[[Sequence[float]], Sequence[bool]],
    need: int,
    words: str,
) -> Finding:
    """A paired difference, judged by the number of tasks of which something is true."""
    found = difference(first, second)
    if found is None:
        return NOT_ENOUGH
    estimate, by_task = found
    count = sum(counted(by_task))
    return Finding(estimate, count >= need, "hundredths", f"{words} on {count}/{len(by_task)} tasks")
