"""The claims of ``tabular`` about our own estimator, none of which the paper makes, and what they measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from glassware.foundation.statistics import Estimate, bootstrap
from glassware.studies.claim import Claim
from glassware.studies.pareto.tabular_checks import NAMES, PAIRED, Check, Errors, difference, family
from glassware.studies.verdict import NOT_ENOUGH, Finding, at_most, below


def against_printed(fraction: float) -> Check:
    """Our mean error over the tasks minus that of the printed networks, on cells with as many rows as in the paper."""

    def check(frame: pl.DataFrame) -> Finding:
        from glassware.tabular.benchmark.compare import mean_difference
        from glassware.tabular.benchmark.printed import BY_NAME

        found = _methods(frame, fraction).get("sparse", {})
        same = {t: e for t, e in found.items() if _uncut(t, fraction, BY_NAME[t].rows)}
        if len(same) < 5:
            return NOT_ENOUGH
        against = {t: [v - BY_NAME[t].mlp.at(fraction) / 100 for v in e.values()] for t, e in same.items()}
        gap = mean_difference(against)
        won = sum(np.mean(d) < 0 for d in against.values())
        ours, theirs = (
            np.mean([np.mean([*e.values()]) for e in same.values()]),
            np.mean([BY_NAME[t].mlp.at(fraction) / 100 for t in same]),
        )
        detail = f"ours {ours:.1%}, printed {theirs:.1%}; better on {won}/{len(same)} tasks"
        return Finding(gap, below(0), "hundredths", detail)

    return check


def against(method: str, fraction: float) -> Check:
    """Our error minus that of a method, on the same trials; mean over tasks."""

    def check(frame: pl.DataFrame) -> Finding:
        found = _methods(frame, fraction)
        apart = difference({(): found.get("sparse", {})}, {(): found.get(method, {})})
        if apart is None:
            return NOT_ENOUGH
        gap, by_task = apart
        return Finding(gap, below(0), "hundredths", f"better on {sum(d < 0 for d in by_task)}/{len(by_task)} tasks")

    return check


def rank(fraction: float, need: int) -> Check:
    """Our place in mean rank among all methods, our own twin apart, that have as many trials as we do.

    Methods with fewer trials are ranked in a second list, on the trials that all have.
    """

    def check(frame: pl.DataFrame) -> Finding:
        from glassware.tabular.benchmark.compare import ranking

        found = {name: e for name, e in _methods(frame, fraction).items() if name != "dense" and len(e) >= 10}
        if "sparse" not in found or len(found) < 5:
            return NOT_ENOUGH
        ours = found["sparse"]
        complete = {
            name: errors
            for name, errors in found.items()
            if all(len(errors.get(task, {})) >= len(ours[task]) for task in ours)
        }
        table = ranking(complete)
        if len(complete) < 5 or not len(table):
            return NOT_ENOUGH
        said = _ranks(table)
        if len(complete) < len(found):
            said += f"; with {', '.join(sorted(found.keys() - complete.keys()))}, {_ranks(ranking(found))}"
        return Finding(_place(complete), at_most(need), "", said)

    return check


def _place(found: Mapping[str, Errors]) -> Estimate:
    """Our place by mean rank; the interval draws trials again within every task, the same for all methods."""
    tasks = sorted(set.intersection(*({*errors} for errors in found.values())))
    cells = []
    for task in tasks:
        trials = sorted(set.intersection(*({*errors[task]} for errors in found.values())))
        cells.append(np.array([[errors[task][trial] for trial in trials] for errors in found.values()]))
    ours = [*found].index("sparse")

    def place(*chosen: Sequence[float]) -> float:
        means = np.array([cell[:, np.array(c, int)].mean(axis=1) for cell, c in zip(cells, chosen, strict=True)])
        # Half a place for a tie: what is left out, the same for all, does not change the order.
        ranks = (
            ((means[:, None] < means[:, :, None]) + 0.5 * (means[:, None] == means[:, :, None]))
            .sum(axis=2)
            .mean(axis=0)
        )
        return 1.0 + int((ranks < ranks[ours] - 1e-9).sum())

    return bootstrap(place, *(range(cell.shape[1]) for cell in cells))


def _ranks(table: pl.DataFrame) -> str:
    if not len(table):
        return "no trial that all have"
    ranks = ", ".join(f"{method} {rank:.1f}" for method, rank in table["method", "rank"].iter_rows())
    return f"mean ranks on {table['tasks'][0]} tasks, at least {table['trials'][0]} trials: {ranks}"


def _methods(frame: pl.DataFrame, fraction: float) -> Mapping[str, Errors]:
    from glassware.tabular.benchmark.compare import methods, on_exact

    return methods(on_exact(frame), fraction) if len(family(frame, "methods")) else {}


def _uncut(task: str, fraction: float, rows: int) -> bool:
    """Whether a cell has as many training rows as its fraction says: the cap takes none away."""
    from glassware.tabular.benchmark.protocol import Cell

    return Cell(task, fraction).rows(rows) == Cell(task, fraction, None).rows(rows)


RECIPE = (
    "an earlier recipe failed here (20.30% against 20.24%); it was then changed, partly because a sparse start shows "
    "more where fewer networks read pieces, so this recipe was chosen with the claim in view"
)
CLAIMS = (
    *(
        Claim(
            f"ours-printed-{name}",
            f"Our estimator as it comes against the paper's best network, {NAMES[fraction]}",
            "ours; Table 2",
            "lower mean error over the exact tasks on which as many rows were used",
            against_printed(fraction),
            ("paper",),
            source="ours",
            note="means against printed medians, whose own intervals (up to 2 points wide) are not counted",
        )
        for name, fraction in (("full", 1.0), ("tenth", 0.1), ("hundredth", 0.01))
    ),
    *(
        Claim(
            f"ours-{name}-{place}",
            f"Our estimator against {words}, {NAMES[fraction]}",
            "ours",
            "lower mean error over the exact tasks, on the same trials",
            against(method, fraction),
            ("paper",),
            source="ours",
            note=f"{PAIRED}; {RECIPE}" if (name, place) == ("dense", "full") else PAIRED,
        )
        for name, method, words in (
            ("mlp", "MLPClassifier", "scikit-learn's MLPClassifier"),
            ("dense", "dense", "its dense twin"),
        )
        for place, fraction in (("full", 1.0), ("tenth", 0.1), ("hundredth", 0.01))
    ),
    *(
        Claim(
            f"ours-rank-{name}",
            f"Our estimator among all methods, {NAMES[fraction]}",
            "ours",
            f"place {need} or better in mean rank",
            rank(fraction, need),
            ("paper",),
            source="ours",
            note="the interval draws trials again, the same for all methods",
        )
        for name, fraction, need in (("full", 1.0, 3), ("tenth", 0.1, 3), ("hundredth", 0.01, 1))
    ),
)
