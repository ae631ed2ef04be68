"""The commonest check of a claim: one cell succeeds more often than another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import polars as pl

from glassware.foundation.statistics import difference
from glassware.studies.cells import counts
from glassware.studies.verdict import Finding, at_least

Cell: TypeAlias = Mapping[str, float | str | None]  # columns and their values, as {"width": 30, "m": None}


def success_gain(better: Cell, worse: Cell, need: float) -> Callable[[pl.DataFrame], Finding]:
    """A check for ``Claim``: one cell's success rate exceeds another's by at least ``need`` (0.3: 30 points).

    The number measured is the difference of the two rates, with Newcombe's 95% interval.
    """

    def check(frame: pl.DataFrame) -> Finding:
        (won, trials), (other_won, other_trials) = counts(frame, **better), counts(frame, **worse)
        more = difference(won, trials, other_won, other_trials)
        return Finding(more, at_least(need), "points", f"{won}/{trials} against {other_won}/{other_trials}")

    return check
