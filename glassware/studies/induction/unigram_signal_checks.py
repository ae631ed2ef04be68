"""What unigram signal must do to the learning of bigrams (see ``unigram_signal``)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import polars as pl

from glassware.foundation.statistics import Estimate, bootstrap
from glassware.studies.induction.shared.phases import crossing, final_share, phases, step_at
from glassware.studies.lanes import Measure, Row, each_lane, lanes
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, at_least, at_most, between, counted

NEED = 9  # of 10 seeds: a fair coin passes with probability 0.011
FEWEST, MOST_VOID = 8, 2  # pairs that are judged, pairs without any crossing
MIXED = 0.5


def learns_without_unigrams(frame: pl.DataFrame) -> Finding:
    """tau* and the final share of the unigram level, doubly stochastic chains, k = 4."""
    return each_lane(
        _doubly(frame), NEED, _CROSSES, Measure("final / unigram level", final_share, at_most(0.6)), need=NEED
    )


def passes_by_unigrams(frame: pl.DataFrame) -> Finding:
    """The share of checkpoints nearest to unigrams, doubly stochastic chains, k = 4."""
    share = lambda row: np.mean(np.array(phases(row)) == "unigram")
    return each_lane(_doubly(frame), NEED, _CROSSES, Measure("share at unigrams", share, at_most(0.05)), need=NEED)


def stays_at_unigrams(frame: pl.DataFrame) -> Finding:
    """The last phase and the final share of the unigram level, mixture, k = 4."""
    rows = lanes(frame, states=4, length=100, form="normed", prior_share=MIXED)
    last = Measure("ends nearest to unigrams", lambda row: phases(row)[-1] == "unigram", at_least(1))
    return each_lane(rows, NEED, last, Measure("final / unigram level", final_share, between(0.88, 1.12)), need=NEED)


def slower(states: int, length: int) -> Callable[[pl.DataFrame], Finding]:
    """The check that the mixture crosses later than doubly stochastic chains alone, at one size."""

    def check(frame: pl.DataFrame) -> Finding:
        """Pairs in which the mixture crosses later, and the median ratio of tau*."""
        pairs = paired(frame, states=states, length=length)
        known = [ratio for pair in pairs if (ratio := log_ratio(*pair)) is not None]
        void = len(pairs) - len(known)
        if void > MOST_VOID or len(known) < FEWEST:
            return NOT_ENOUGH
        median = median_ratio(known)
        said = f"median ratio {median.value:.3g} [{median.low:.3g}, {median.high:.3g}]; {_crossings(pairs)}"
        won = counted(sum(ratio > 0 for ratio in known), len(known), math.ceil(0.9 * len(known)), said)
        return all_of([won, Finding(median, above(1), "times")], won.detail)

    return check


def paired(frame: pl.DataFrame, **columns: object) -> list[tuple[Row, Row]]:
    """Runs on doubly stochastic chains, each with the mixture that began with the same weights."""
    found = {"form": "normed", **columns}
    alone = lanes(frame, prior="doubly-stochastic", **found)
    mixed = {row["seed"]: row for row in lanes(frame, prior_share=MIXED, **found)}
    return [(row, mixed[row["seed"]]) for row in alone if row["seed"] in mixed]


def chains_until(row: Row, step: float) -> float:
    """Doubly stochastic chains seen by a step; chains of any kind where the prior is no mixture of them."""
    share = 1.0 if row.get("prior_share") is None else float(row["prior_share"])
    return step * share * float(row["batch"])


def chains_to_cross(row: Row) -> float:
    """Doubly stochastic chains seen when a run crosses to bigrams; NaN where it does not."""
    return chains_until(row, step_at(row, crossing(row)))


def log_ratio(alone: Row, mixed: Row) -> float | None:
    """The logarithm of the mixture's tau* over the other's; a run that does not cross counts as if it did at its end.
    None where neither does."""
    times = chains_to_cross(alone), chains_to_cross(mixed)
    if all(map(math.isnan, times)):
        return None
    first, second = (
        chains_until(row, float(row["steps"])) if math.isnan(time) else time
        for row, time in zip((alone, mixed), times, strict=True)
    )
    return math.log(second / first)


def median_ratio(logs: list[float]) -> Estimate:
    """The median of ratios with its bootstrap interval, from their logarithms."""
    found = bootstrap(lambda values: float(np.median(values)), logs)
    return Estimate(*(math.exp(number) for number in found))


_CROSSES = Measure("tau*, in chains", chains_to_cross, at_least(0))  # NaN, where there is none, meets nothing


def _doubly(frame: pl.DataFrame) -> list[Row]:
    return lanes(frame, states=4, length=100, form="normed", prior="doubly-stochastic")


def _crossings(pairs: list[tuple[Row, Row]]) -> str:
    """How many of each kind cross, and their median tau*."""
    said = []
    for name, rows in zip(("alone", "mixed"), zip(*pairs, strict=True), strict=True):
        times = [chains_to_cross(row) for row in rows]
        crossed = [time for time in times if not math.isnan(time)]
        middle = f", median tau* {np.median(crossed):,.0f} chains" if crossed else ""
        said.append(f"{name} {len(crossed)} of {len(rows)} cross{middle}")
    return "; ".join(said)
