"""Phases and the order of the layers at sizes that the text does not show: k = 5, and t = 50 (ours).

The text draws its phases for k = 2 and k = 3 at t = 100. Here the same transformer learns chains of five states, and
chains that are half as long. Do the three phases come in the same order, and is the second layer learned before the
first, by the transplant of ``induction/attention``?

Grids
    laptop  k = 5 with t = 100 (1,200 steps) and k = 3 with t = 50 (900 steps), 10 seeds each, the formula as printed;
            AdamW at 0.003, batches of 64, a checkpoint every 25 steps on 1,024 held-out chains.
    paper   layer norm and an output projection, AdamW at 0.0005, 4,000 steps, a checkpoint every 20, 20 seeds each.
    smoke   seconds, for the tests: k = 2, t = 20, 20 steps.

Decisions where the text is silent
    It is silent on these sizes. Phases, tau* and the times at which the layers form are defined as in
    ``induction/transformer`` and ``induction/attention``. The order is judged by the mean over seeds of the steps from
    the forming of the second layer to that of the first, with Student's interval; a seed in which one of them never
    forms makes it unknown. The text says of larger k at t = 100 that the unigram phase may not show although the
    plateau does: phases and plateau are judged apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, update_wrapper
from typing import NamedTuple, TypeAlias

import polars as pl

from glassware.charts.backend import alt
from glassware.foundation.statistics import mean
from glassware.studies.claim import Claim, Scale
from glassware.studies.induction import transformer
from glassware.studies.induction.attention_figures import order_chart, order_points
from glassware.studies.induction.shared.figures import Panelled, distance_chart
from glassware.studies.induction.shared.layers import first_formed, lead_of_second, probed_run, second_formed
from glassware.studies.induction.shared.levels import row_levels
from glassware.studies.induction.shared.phases import crossing, final_share, median_in_words, phase_list, step_at
from glassware.studies.induction.shared.plateaus import LONG, SUDDEN, fall_after, flat_part
from glassware.studies.induction.shared.runs import repeat
from glassware.studies.induction.transformer_figures import named_panels, setting
from glassware.studies.lanes import Measure, Row, each_lane, lanes, span
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, at_least, at_most
from glassware.training import Run

PROBES = ("attention", "positions", "strategies", "transplants")
LOW, HIGH = 0.9, 1.15  # of the unigram level, between which a plateau lies
FEWEST = 10  # lanes of either size
THREE = ["uniform", "unigram", "bigram"]

Check: TypeAlias = Callable[..., Finding]  # of rows and a size


class Size(NamedTuple):
    """A size: k and t, and the steps it takes at laptop scale."""

    id: str
    states: int
    length: int
    steps: int

    def __str__(self) -> str:
        return f"k = {self.states}, t = {self.length}"


SIZES = (Size("k5", 5, 100, 1200), Size("t50", 3, 50, 900))


def runs(scale: Scale, seeds: int | None, rows: pl.DataFrame) -> list[Run]:
    """Both sizes; at smoke scale the runs of ``induction/transformer``, whose program is compiled anyway."""
    if scale == "smoke":
        return transformer.runs(scale, seeds, rows)
    if scale == "laptop":
        made = [
            probed_run(k, steps=steps, length=t, test=1024, probes=PROBES, keep_every=25) for _, k, t, steps in SIZES
        ]
    else:
        normed = {"form": "normed", "steps": 4000, "every": 20, "probes": PROBES, "keep_every": 20}
        made = [probed_run(k, length=t, **normed) for _, k, t, _ in SIZES]  # type: ignore[arg-type]
    return [run for one in made for run in repeat(one, seeds or (10 if scale == "laptop" else 20))]


def three_phases(frame: pl.DataFrame, size: Size) -> Finding:
    """The list of phases of every lane, with the median of tau* and its interval."""
    rows = _of(frame, size)
    found = _most(rows, Measure("phases in order", lambda row: phase_list(row) == THREE, at_least(1)))
    times = [step_at(row, crossing(row)) for row in rows]
    if not times or any(map(math.isnan, times)):
        return found
    said = f"{found.detail}; tau* {span(times)}, {median_in_words(times)}"
    return Finding(found.measured, found.meets, found.unit, said)


def plateau(frame: pl.DataFrame, size: Size) -> Finding:
    """The longest plateau around the unigram level, and the largest fall after it over its median step."""
    level = lambda row: (LOW * row_levels(row)["unigram"], HIGH * row_levels(row)["unigram"])
    return _most(
        _of(frame, size),
        Measure("checkpoints of the plateau", lambda row: len(flat_part(row, *level(row))), at_least(LONG)),
        Measure("later fall / its median step", lambda row: fall_after(row, *level(row)), at_least(SUDDEN)),
    )


def ends_below_unigrams(frame: pl.DataFrame, size: Size) -> Finding:
    """The final distance from the truth over the unigram level."""
    return _most(_of(frame, size), Measure("final / unigram level", final_share, at_most(0.5)))


def second_layer_first(frame: pl.DataFrame, size: Size) -> Finding:
    """Mean steps from the forming of the second layer to that of the first."""
    rows = _of(frame, size)
    if len(rows) < FEWEST:
        return NOT_ENOUGH
    leads = [lead_of_second(row) for row in rows]
    times = f"second at step {span([*map(second_formed, rows)])}, first at {span([*map(first_formed, rows)])}"
    won = f"second first in {sum(lead > 0 for lead in leads)} of {len(rows)}"
    return Finding(mean(leads), above(0), "", f"{won}; {times}")


def distances(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(strategy || model) along training, over the phases."""
    return distance_chart(_panels(frame), "Phases with five states, and with 50 tokens", setting, columns=2)


def order(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """Both layers along training."""
    found = _panels(frame)
    if not found:
        return None
    return order_chart(pl.concat(order_points(panel, row) for panel, row in found), setting(found))


# -- shared -----------------------------------------------------------------------------------------------------------


def _of(frame: pl.DataFrame, size: Size) -> list[Row]:
    return lanes(frame, states=size.states, length=size.length)


def _most(rows: list[Row], *measures: Measure) -> Finding:
    """Nine of ten lanes."""
    return each_lane(rows, FEWEST, *measures, need=math.ceil(0.9 * max(FEWEST, len(rows))))


def _panels(frame: pl.DataFrame) -> Panelled:
    return named_panels([(f"k = {row['states']}, t = {row['length']}", row) for row in lanes(frame)])


def _claims(size: Size) -> tuple[Claim, ...]:
    """What is claimed of a size."""

    def claim(name: str, statement: str, threshold: str, check: Check, note: str = "") -> Claim:
        told = update_wrapper(partial(check, size=size), check)
        return Claim(f"{name}-{size.id}", f"{statement} ({size})", "ours", threshold, told, source="ours", note=note)

    seen = "written when one run of ours with another seed had been seen"
    return (
        claim(
            "phases",
            "Training is nearest to uniform, then to unigrams, then to bigrams",
            "exactly these phases in this order in ≥ 9 of 10 seeds",
            three_phases,
        ),
        claim(
            "plateau",
            "Between two drops the loss stays at the unigram level, and the second drop is sudden",
            "≥ 5 checkpoints in a row at 0.9 to 1.15 of the unigram level, steps between them ≤ 0.005 nats; a later "
            "fall ≥ 5 times their median; ≥ 9 of 10 seeds",
            plateau,
            seen,
        ),
        claim(
            "below-unigram",
            "It ends well below the unigram level",
            "final ≤ 0.5 of the unigram level in ≥ 9 of 10 seeds",
            ends_below_unigrams,
        ),
        claim(
            "x2-order",
            "The second layer is learned before the first",
            "mean of the steps from the second layer's forming to the first's > 0",
            second_layer_first,
            "by transplants, as in induction/attention",
        ),
    )


CLAIMS = tuple(claim for size in SIZES for claim in _claims(size))

STUDY = Study(
    name="induction/other-sizes",
    title="Phases and the order of the layers with five states, and with 50 tokens",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"distances": distances, "order": order},
)
