"""What the claims of ``tabular`` about our own estimator measure."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from glassware.foundation.statistics import Estimate
from glassware.studies.pareto.tabular_checks import Check, Errors, difference, family
from glassware.studies.verdict import NOT_ENOUGH, Finding


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
        return Finding(gap, gap.value < 0, "hundredths", detail)

    return check


def against(method: str, fraction: float) -> Check:
    """Our error minus that of a method, on the same trials; mean over tasks."""

    def check(frame: pl.DataFrame) -> Finding:
        found = _methods(frame, fraction)
        apart = difference({(): found.get("sparse", {})}, {(): found.get(method, {})})
        if apart is None:
            return NOT_ENOUGH
        gap, by_task = apart
        return Finding(
            gap, gap.value < 0, "hundredths", f"better on {sum(d < 0 for d in by_task)}/{len(by_task)} tasks"
        )

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
        place = 1 + table["method"].to_list().index("sparse")
        said = _ranks(table)
        if len(complete) < len(found):
            said += f"; with {', '.join(sorted(found.keys() - complete.keys()))}, {_ranks(ranking(found))}"
        return Finding(Estimate.exact(place), place <= need, "", said)

    return check


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
