"""What the trained transformers must show (see ``transformer``)."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from glassware.foundation.statistics import Estimate
from glassware.studies.induction.shared.layers import steepest
from glassware.studies.induction.shared.levels import between_levels, row_levels
from glassware.studies.induction.shared.phases import (
    alternates,
    crossing,
    curve,
    final_excess,
    final_share,
    median_in_words,
    phase_list,
    phases,
    step_at,
)
from glassware.studies.induction.shared.plateaus import LONG, SUDDEN, at_level, fall_after, flat_part
from glassware.studies.lanes import Measure, Row, each_lane, lanes, span
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, at_least, at_most, below, between

LENGTH, BATCH = 100, 64  # of the runs that are judged
FEWEST = {"plain": 4, "normed": 10}  # lanes, by form
THREE = ["uniform", "unigram", "bigram"]
AFTER = 100  # steps after tau* at which the second drop is looked at

tau = Measure("tau*", lambda row: step_at(row, crossing(row)), above(0))


def three_phases(frame: pl.DataFrame) -> Finding:
    """The list of phases of every lane, with the share of checkpoints that are nearest to unigrams."""
    share = lambda row: np.mean(np.array(phases(row)) == "unigram")
    return _both(frame, _in_order(), Measure("share at unigrams", share, between(0, 1)))


def reaches_unigrams(frame: pl.DataFrame) -> Finding:
    """The smallest distance to unigrams over three checkpoints in a row, k = 3."""
    least = lambda row: np.convolve(curve(row, "distance_unigram"), np.full(3, 1 / 3), "valid").min()
    return _of(frame, 3, Measure("smallest distance to unigrams", least, at_most(0.025)))


def crossing_of_three(frame: pl.DataFrame) -> Finding:
    """tau* without layer norm, k = 3."""
    return _of(frame, 3, Measure("tau*", tau.of, between(225, 600)))


def crossing_of_normed(frame: pl.DataFrame) -> Finding:
    """tau* with layer norm in sequences seen, k = 3."""
    seen = lambda row: BATCH * float(tau.of(row))
    return _of(frame, 3, Measure("sequences at tau*", seen, between(40_000, 128_000)), form="normed")


def plateau(frame: pl.DataFrame) -> Finding:
    """The longest plateau at the unigram level, and the largest fall after it over its median step, k = 3."""
    return _of(
        frame,
        3,
        Measure("checkpoints of the plateau", lambda row: len(flat_part(row, *_level(row, 1.15))), at_least(LONG)),
        Measure("later fall / its median step", lambda row: fall_after(row, *_level(row, 1.15)), at_least(SUDDEN)),
    )


def long_plateau(frame: pl.DataFrame) -> Finding:
    """The share of checkpoints at the unigram level, with layer norm."""
    found = {}
    for k, top, least in ((3, 1.15, 0.15), (2, 1.1, 0.1)):
        share = lambda row, top=top: at_level(row, *_level(row, top)).mean()
        found[k] = _of(frame, k, Measure("share at the level", share, at_least(least)), form="normed")
    return _by_states(found)


def first_drop(frame: pl.DataFrame) -> Finding:
    """The distance to bigrams where the one to unigrams is smallest, over its start, k = 3."""
    share = lambda row: (far := curve(row, "distance_bigram"))[_nearest_to_unigrams(row)] / far[0]
    return _each_form(frame, 3, Measure("distance to bigrams over its start", share, at_most(0.8)))


def second_drop(frame: pl.DataFrame) -> Finding:
    """Both distances soon after tau*."""
    unigram = lambda row: _soon_after(row, "distance_unigram") / curve(row, "distance_unigram").min()
    bigram = lambda row: _soon_after(row, "distance_bigram") / _at(row, crossing(row), "distance_bigram")
    return _both(
        frame,
        Measure("distance to unigrams over its minimum", unigram, above(2)),
        Measure("distance to bigrams over that at tau*", bigram, below(1)),
    )


def drop_with_positions(frame: pl.DataFrame) -> Finding:
    """Steps between the steepest rise of prev_score and the steepest fall of the loss after unigrams."""

    def apart(row: Row) -> float:
        start = _nearest_to_unigrams(row)
        if crossing(row) is None or start + 2 > len(row["curve_step"]):
            return math.nan  # no second drop: a curve that stays put is steepest anywhere
        late = {name: row[name][start:] for name in ("curve_step", "curve_truth_distance", "curve_prev_score")}
        return abs(steepest(late, "prev_score") - steepest(late, "truth_distance", falls=True))

    return _both(frame, Measure("steps apart", apart, at_most(75)))


def ends_at_bigrams(frame: pl.DataFrame) -> Finding:
    """The final distance from the truth beyond the bigram level."""
    return _both(frame, Measure("final - bigram level", final_excess, at_most(0.03)))


def finals(frame: pl.DataFrame) -> Finding:
    """The final distance from the truth over the unigram level, and tau* for k = 2, without layer norm."""
    share = lambda most: Measure("final / unigram level", final_share, at_most(most))
    three, two = _of(frame, 3, share(0.4)), _of(frame, 2, share(0.26), Measure("tau*", tau.of, between(200, 450)))
    return _by_states({3: three, 2: two})


def final_of_normed(frame: pl.DataFrame) -> Finding:
    """The final distance from the truth over the unigram level with layer norm, k = 2."""
    return _of(frame, 2, Measure("final / unigram level", final_share, at_most(0.25)), form="normed")


def alternates_before(frame: pl.DataFrame) -> Finding:
    """Whether the positions alternate at the last checkpoint before tau*, k = 2."""
    holds = lambda row: (at := crossing(row)) is not None and alternates(curve(row, "position_scores")[at - 1], 7)
    found = lanes(frame, length=LENGTH, states=2, form="plain")
    return each_lane(
        found, 4, Measure("2, 4, 6 stick out", holds, at_least(1)), need=max(3, math.ceil(0.75 * len(found)))
    )


def alternates_half_way(frame: pl.DataFrame) -> Finding:
    """Whether the positions alternate at a checkpoint half-way through training, k = 2, with layer norm."""

    def holds(row: Row) -> bool:
        seen = BATCH * np.array(row["curve_step"])
        chosen = curve(row, "position_scores")[(seen >= 40_000) & (seen <= 70_000)]
        return any(alternates(scores, 5) for scores in chosen)

    found = lanes(frame, length=LENGTH, states=2, form="normed")
    return each_lane(found, 10, Measure("2, 4 stick out", holds, at_least(1)), need=max(9, math.ceil(0.9 * len(found))))


def positions_agree(frame: pl.DataFrame) -> Finding:
    """The spread of the effective positions over tokens at the last checkpoint before tau*."""
    spread = lambda row: _at(row, crossing(row), "vhat_spread", before=1)
    return _both(frame, Measure("spread over tokens", spread, at_most(0.25)))


def seeds_agree(frame: pl.DataFrame) -> Finding:
    """Phases of all lanes, and the largest tau* over the smallest, k = 2."""
    return _agree(lanes(frame, length=LENGTH, states=2, form="plain"), FEWEST["plain"], 2.5)


def ten_seeds_agree(frame: pl.DataFrame) -> Finding:
    """The same with layer norm."""
    return _agree(lanes(frame, length=LENGTH, states=2, form="normed"), FEWEST["normed"], 3.0)


# -- shared -----------------------------------------------------------------------------------------------------------


def _of(frame: pl.DataFrame, states: int, *measures: Measure, form: str = "plain") -> Finding:
    """Every lane of so many states."""
    return each_lane(lanes(frame, length=LENGTH, states=states, form=form), FEWEST[form], *measures)


def _each_form(frame: pl.DataFrame, states: int, *measures: Measure) -> Finding:
    """Every lane of so many states; a table has runs of one form."""
    form = "normed" if len(lanes(frame, length=LENGTH, form="normed")) else "plain"
    return _of(frame, states, *measures, form=form)


def _both(frame: pl.DataFrame, *measures: Measure) -> Finding:
    """Every lane of two and of three states."""
    return _by_states({k: _each_form(frame, k, *measures) for k in (2, 3)})


def _by_states(found: dict[int, Finding]) -> Finding:
    return all_of([*found.values()], "; ".join(f"k = {k}: {finding.detail}" for k, finding in found.items()))


def _in_order() -> Measure:
    return Measure("phases in order", lambda row: phase_list(row) == THREE, at_least(1))


def _agree(rows: list[Row], fewest: int, most: float) -> Finding:
    """The same phases in every lane, and times of the crossing that differ by a factor at most."""
    if len(rows) < fewest:
        return NOT_ENOUGH
    times = [float(tau.of(row)) for row in rows]
    ratio = Finding(Estimate.exact(max(times) / min(times)), at_most(most))
    if any(map(math.isnan, times)):
        ratio = Finding(Estimate.exact(math.inf), at_most(most))
    said = f"tau* {span(times)}, {median_in_words(times)}"
    order = each_lane(rows, fewest, _in_order())
    return all_of([ratio, order], f"{said}; {order.detail}")


def _at(row: Row, place: int | None, name: str, before: int = 0) -> float:
    """A curve at a checkpoint, or so many before; NaN where there is none."""
    return math.nan if place is None else float(curve(row, name)[place - before])


def _soon_after(row: Row, name: str) -> float:
    """A curve so many steps after tau*, or at the end where training ends earlier."""
    steps = np.array(row["curve_step"])
    place = int(np.searchsorted(steps, step_at(row, crossing(row)) + AFTER)) if crossing(row) is not None else None
    return _at(row, None if place is None else min(place, len(steps) - 1), name)


def _nearest_to_unigrams(row: Row) -> int:
    return int(np.argmin(curve(row, "distance_unigram")))


def _level(row: Row, top: float) -> tuple[float, float]:
    """Where a loss is at the level of unigrams: not above it by much, not below the best that counts allow."""
    return 0.95 * between_levels(row)["unigram_self"], top * row_levels(row)["unigram"]
