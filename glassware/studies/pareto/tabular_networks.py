"""What the claims of ``tabular`` about the paper's networks measure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from glassware.studies.cells import where
from glassware.studies.pareto.tabular_checks import NEAR, Cells, Check, Errors, difference, family
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, at_most, between, counted


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
        detail = f"{better} of them better by more" + (f"; worse: {said}" if said else "")
        return counted(near, len(found), need, detail)

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
        return _nearly_always(few, many, "better")

    return check


def sparse(optimiser: str, *depths: int) -> Check:
    """Dense minus s = 2 at 1%, at the same depth and width, paired."""

    def check(frame: pl.DataFrame) -> Finding:
        rows = _networks(frame, optimiser).filter(pl.col("depth").is_in(depths), pl.col("weight_decay") == 0)
        dense, two = (_by_width(rows, "depth", init=init) for init in ("dense", "s=2"))
        found = difference(dense, two)
        if found is None:
            return NOT_ENOUGH
        gain, by_task = found
        return Finding(gain, above(0), "hundredths", f"better on {sum(d > 0 for d in by_task)}/{len(by_task)} tasks")

    return check


def depth(optimiser: str) -> Check:
    """Error with one hidden layer minus that with three, at the same width, both inits, at 1%, paired."""

    def check(frame: pl.DataFrame) -> Finding:
        rows = _networks(frame, optimiser).filter(pl.col("init").is_in(["dense", "s=2"]), pl.col("weight_decay") == 0)
        shared = set(where(rows, depth=1)["width"].to_list()) & set(where(rows, depth=3)["width"].to_list())
        rows = rows.filter(pl.col("width").is_in(list(shared)))
        one, two, three = (_by_width(where(rows, depth=deep), "init") for deep in (1, 2, 3))
        found = _nearly_always(one, three, "worse with depth 1")
        beside = difference(one, two)
        if beside is None:
            return found
        worse = f"worse than depth 2 on {sum(d > 0 for d in beside[1])}/{len(beside[1])} tasks"
        return replace(found, detail=f"{found.detail}; {worse}, by {100 * beside[0].value:.2f}")

    return check


def four(frame: pl.DataFrame) -> Finding:
    """Error with s = 4 minus that with s = 2, at the same width and depth, at 1%, paired."""
    rows = _networks(frame, "adam").filter(pl.col("depth") == 3, pl.col("weight_decay") == 0)
    widths = where(rows, init="s=4")["width"].unique().to_list()
    rows = rows.filter(pl.col("width").is_in(widths))
    return _nearly_always(_by_width(rows, init="s=4"), _by_width(rows, init="s=2"), "worse")


def decay(frame: pl.DataFrame) -> Finding:
    """Error with weight decay 0.01 minus that without, at the same width, at 1%, paired; and the latter itself."""
    from glassware.tabular.benchmark.compare import mean_difference

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
    by_trial = plain.group_by("task", "trial").agg(pl.col("error").mean())
    error = mean_difference({task: part["error"].to_list() for (task,), part in by_trial.group_by(["task"])})
    conditions = [Finding(estimate, between(-0.005, 0.005), "hundredths"), Finding(error, at_most(0.4), "points")]
    return all_of(
        conditions, f"{small}/{len(by_task)} tasks within a point; mean error without decay {error.value:.1%}"
    )


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
    return counted(len(won), len(shared), 10)


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


def _nearly_always(first: Cells, second: Cells, words: str, need: int = 10) -> Finding:
    """First minus second in pairs: above 0 in the mean, and on so many tasks."""
    found = difference(first, second)
    if found is None:
        return NOT_ENOUGH
    gap, by_task = found
    won = sum(d > 0 for d in by_task)
    return all_of(
        [Finding(gap, above(0), "hundredths"), counted(won, len(by_task), need)],
        f"{words} on {won}/{len(by_task)} tasks, {need} needed",
    )
