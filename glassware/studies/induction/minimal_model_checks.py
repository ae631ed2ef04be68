"""What the trained minimal models must show (see ``minimal_model``)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import polars as pl

from glassware.foundation.arrays import Float
from glassware.studies.induction.shared.levels import row_levels
from glassware.studies.induction.shared.phases import (
    alternates,
    crossing,
    curve,
    decreases,
    final_share,
    first_step,
    phase_list,
    phases,
    step_at,
)
from glassware.studies.lanes import Measure, Row, each_lane, lanes
from glassware.studies.verdict import Finding, above, all_of, at_least, at_most, between

LENGTH = 100  # t of the runs that are judged
ALIGNED, LEADS = 3.0, 1.5  # of W's diagonal over its other entries, of v_2 over the others
FEWEST = {2: 8, 3: 4}  # lanes, by k
FEWEST_FROZEN = 4


def three_phases(frame: pl.DataFrame) -> Finding:
    """The list of phases of every lane, with the share of checkpoints that are nearest to unigrams."""
    right = lambda row: phase_list(row) == ["uniform", "unigram", "bigram"]
    share = lambda row: np.mean(np.array(phases(row)) == "unigram")
    both = Measure("phases in order", right, at_least(1)), Measure("share at unigrams", share, between(0, 1))
    return _both(frame, *both)


def ends_below_unigrams(frame: pl.DataFrame) -> Finding:
    """The final distance from the truth over the unigram level."""
    return _both(frame, Measure("final / unigram level", final_share, at_most(0.5)))


def ends_at_bigrams(frame: pl.DataFrame) -> Finding:
    """The final distance from the truth over the bigram level."""
    share = lambda row: final_share(row) * row_levels(row)["unigram"] / row_levels(row)["bigram"]
    return _both(frame, Measure("final / bigram level", share, at_most(1.5)))


def numbers_of_two(frame: pl.DataFrame) -> Finding:
    """Final share of the unigram level and tau*, k = 2."""
    return _numbers(frame, 2, 400, 520)


def numbers_of_three(frame: pl.DataFrame) -> Finding:
    """Final share of the unigram level and tau*, k = 3."""
    return _numbers(frame, 3, 780, 980)


def alternates_before(frame: pl.DataFrame) -> Finding:
    """Whether v alternates at the last checkpoint before tau*, k = 2."""
    measure = Measure("v_2, v_4, v_6 stick out", _at_crossing(lambda v: alternates(v, 7), before=1), at_least(1))
    return each_lane(_free(frame, 2), FEWEST[2], measure)


def weights_at_crossing(frame: pl.DataFrame) -> Finding:
    """The diagonal of W and the alternation of v at tau*, k = 2."""
    ratio = lambda row: math.nan if (at := crossing(row)) is None else curve(row, "diagonal_ratio")[at]
    return each_lane(
        _free(frame, 2),
        FEWEST[2],
        Measure("diagonal / others at tau*", ratio, above(ALIGNED)),
        Measure("v_2 to v_8 stick out", _at_crossing(lambda v: alternates(v, 9)), at_least(1)),
    )


def second_layer_first(frame: pl.DataFrame) -> Finding:
    """Steps between the alignment of W and the lead of v_2."""
    gap = lambda row: first_step(row, "second_lead", LEADS) - first_step(row, "diagonal_ratio", ALIGNED)
    return _both(frame, Measure("v_2 leads so many steps after W is aligned", gap, above(0)))


def steps_of_two(frame: pl.DataFrame) -> Finding:
    """First steps at which W is aligned and v_2 leads, k = 2."""
    return each_lane(
        _free(frame, 2),
        FEWEST[2],
        Measure("W aligned at step", lambda row: first_step(row, "diagonal_ratio", ALIGNED), at_most(40)),
        Measure("v_2 leads at step", lambda row: first_step(row, "second_lead", LEADS), between(150, 300)),
    )


def frozen_goes_to_unigrams(frame: pl.DataFrame) -> Finding:
    """The profile of v at the end, the distance to unigrams over its start, and the phases, with W frozen."""
    fallen = lambda row: (there := curve(row, "distance_unigram"))[-1] / there[0]
    return each_lane(
        lanes(frame, length=LENGTH, frozen=True),
        FEWEST_FROZEN,
        Measure("v decreases", lambda row: decreases(curve(row, "v")[-1], 20), at_least(1)),
        Measure("distance to unigrams, end / start", fallen, at_most(0.45)),
        Measure("phases uniform, unigram", lambda row: phase_list(row) == ["uniform", "unigram"], at_least(1)),
    )


def frozen_reaches_unigrams(frame: pl.DataFrame) -> Finding:
    """The distance to unigrams at step 4,000, with W frozen."""
    found = [row for row in lanes(frame, length=LENGTH, frozen=True) if row["steps"] >= 4000]
    end = Measure("distance to unigrams", lambda row: curve(row, "distance_unigram")[-1], at_most(0.02))
    return each_lane(found, FEWEST_FROZEN, end)


# -- shared -----------------------------------------------------------------------------------------------------------


def _free(frame: pl.DataFrame, states: int) -> list[Row]:
    return lanes(frame, length=LENGTH, states=states, frozen=False)


def _both(frame: pl.DataFrame, *measures: Measure) -> Finding:
    """Every lane of two and of three states."""
    found = {k: each_lane(_free(frame, k), FEWEST[k], *measures) for k in FEWEST}
    return all_of([*found.values()], "; ".join(f"k = {k}: {finding.detail}" for k, finding in found.items()))


def _numbers(frame: pl.DataFrame, states: int, low: float, high: float) -> Finding:
    return each_lane(
        _free(frame, states),
        FEWEST[states],
        Measure("final / unigram level", final_share, between(0.36, 0.43)),
        Measure("tau*", lambda row: step_at(row, crossing(row)), between(low, high)),
    )


def _at_crossing(holds: Callable[[Float[np.ndarray, " t"]], bool], before: int = 0) -> Callable[[Row], bool]:
    """Whether something holds of v at tau*, or so many checkpoints before; not where there is no tau*."""

    def check(row: Row) -> bool:
        at = crossing(row)
        return at is not None and holds(curve(row, "v")[at - before])

    return check
