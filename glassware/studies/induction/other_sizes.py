"""Phases and the order of the layers at sizes that the text does not show: k = 5, and t = 50 (ours).

The text draws its phases for k = 2 and k = 3 at t = 100. Here the same transformer learns chains of five states, and
chains that are half as long. Do the three phases come in the same order, and is the second layer learned before the
first, by the transplant of ``induction/attention``?

Grids
    laptop  k = 5 with t = 100 and k = 3 with t = 50, 10 seeds each, the formula as printed; AdamW at 0.003, batches of
            64, 900 steps, a checkpoint every 25 steps on 1,024 held-out chains.
    paper   layer norm and an output projection, AdamW at 0.0005, 4,000 steps, a checkpoint every 20, 20 seeds each.
    smoke   seconds, for the tests: k = 2, t = 20, 20 steps.

Decisions where the text is silent
    It is silent on these sizes. Phases, tau* and the times at which the layers form are defined as in
    ``induction/transformer`` and ``induction/attention``. The order is judged by the mean over seeds of the steps from
    the forming of the second layer to that of the first, with Student's interval; a seed in which one of them never
    forms makes it unknown.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.phases import shaded_curves
from glassware.foundation.statistics import bootstrap, mean, median
from glassware.studies.claim import Claim, Scale
from glassware.studies.induction import transformer
from glassware.studies.induction.attention_figures import order_chart, order_points
from glassware.studies.induction.shared.figures import COLOURS, Panelled, distance_curves, phase_spans
from glassware.studies.induction.shared.layers import first_formed, lead_of_second, probed_run, second_formed
from glassware.studies.induction.shared.phases import crossing, final_share, phase_list, step_at
from glassware.studies.induction.shared.runs import repeat
from glassware.studies.induction.transformer_figures import named_panels, setting
from glassware.studies.lanes import Measure, Row, each_lane, lanes, span
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, above, all_of, at_least, at_most
from glassware.training import Run

PROBES = ("attention", "positions", "strategies", "transplants")
SIZES = ((5, 100), (3, 50))  # k and t
FEWEST = 10  # lanes of either size
THREE = ["uniform", "unigram", "bigram"]


def runs(scale: Scale, seeds: int | None, rows: pl.DataFrame) -> list[Run]:
    """Both sizes; at smoke scale the runs of ``induction/transformer``, whose program is compiled anyway."""
    if scale == "smoke":
        return transformer.runs(scale, seeds, rows)
    if scale == "laptop":
        made = [probed_run(k, steps=900, length=t, test=1024, probes=PROBES, keep_every=25) for k, t in SIZES]
    else:
        normed = {"form": "normed", "steps": 4000, "every": 20, "probes": PROBES, "keep_every": 20}
        made = [probed_run(k, length=t, **normed) for k, t in SIZES]  # type: ignore[arg-type]
    return [run for one in made for run in repeat(one, seeds or (10 if scale == "laptop" else 20))]


def three_phases(frame: pl.DataFrame) -> Finding:
    """The list of phases of every lane, with the median of tau* and its interval."""
    right = Measure("phases in order", lambda row: phase_list(row) == THREE, at_least(1))
    return _of_sizes(frame, lambda rows: _with_tau(each_lane(rows, FEWEST, right, need=_nine_tenths(rows)), rows))


def ends_below_unigrams(frame: pl.DataFrame) -> Finding:
    """The final distance from the truth over the unigram level."""
    share = Measure("final / unigram level", final_share, at_most(0.5))
    return _of_sizes(frame, lambda rows: each_lane(rows, FEWEST, share, need=_nine_tenths(rows)))


def second_layer_first(frame: pl.DataFrame) -> Finding:
    """Mean steps from the forming of the second layer to that of the first."""

    def order(rows: list[Row]) -> Finding:
        if len(rows) < FEWEST:
            return NOT_ENOUGH
        leads = [lead_of_second(row) for row in rows]
        won = sum(lead > 0 for lead in leads)
        times = f"second at {span([*map(second_formed, rows)])}, first at {span([*map(first_formed, rows)])}"
        found = mean(leads)
        said = f"{found.value:.0f} [{found.low:.0f}, {found.high:.0f}] steps, second first in {won} of {len(rows)}"
        return Finding(found, above(0), "", f"{said}; {times}")

    return _of_sizes(frame, order)


def distances(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(strategy || model) along training, over the phases."""
    found = _panels(frame)
    if not found:
        return None
    return shaded_curves(
        distance_curves(found), phase_spans(found), colours={name: COLOURS[name] for name in [*COLOURS][:3]},
        title="The same phases with five states, and with 50 tokens", x_title="training step", columns=2,
        y_title="mean KL(strategy ‖ model), nats",
        subtitle=f"{setting(found)}; background: nearest strategy of most seeds",
    )  # fmt: skip


def order(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """Both layers along training."""
    found = _panels(frame)
    if not found:
        return None
    return order_chart(pl.concat(order_points(panel, row) for panel, row in found), setting(found))


# -- shared -----------------------------------------------------------------------------------------------------------


def _of_sizes(frame: pl.DataFrame, judge: Callable[[list[Row]], Finding]) -> Finding:
    """Both sizes, judged alike."""
    found = {f"k = {k}, t = {t}": judge(lanes(frame, states=k, length=t)) for k, t in SIZES}
    return all_of([*found.values()], "; ".join(f"{size}: {finding.detail}" for size, finding in found.items()))


def _nine_tenths(rows: list[Row]) -> int:
    return max(math.ceil(0.9 * FEWEST), math.ceil(0.9 * len(rows)))


def _with_tau(finding: Finding, rows: list[Row]) -> Finding:
    """The finding with the median of tau* in its details."""
    times = [step_at(row, crossing(row)) for row in rows]
    if not times or any(map(math.isnan, times)):
        return finding
    middle = bootstrap(median, times)
    said = f"tau* {span(times)}, median {middle.value:.0f} [{middle.low:.0f}, {middle.high:.0f}]"
    return Finding(finding.measured, finding.meets, finding.unit, f"{finding.detail}; {said}")


def _panels(frame: pl.DataFrame) -> Panelled:
    return named_panels([(f"k = {row['states']}, t = {row['length']}", row) for row in lanes(frame)])


CLAIMS = (
    Claim(
        "phases",
        "Training is nearest to uniform, then to unigrams, then to bigrams",
        "ours",
        "exactly these phases in this order in ≥ 9 of 10 seeds, k = 5 and t = 50",
        three_phases,
        source="ours",
    ),
    Claim(
        "below-unigram",
        "It ends well below the unigram level",
        "ours",
        "final ≤ 0.5 of the unigram level in ≥ 9 of 10 seeds, k = 5 and t = 50",
        ends_below_unigrams,
        source="ours",
    ),
    Claim(
        "x2-order",
        "The second layer is learned before the first",
        "ours, after Section 8.3",
        "mean of the steps from the second layer's forming to the first's > 0, k = 5 and t = 50",
        second_layer_first,
        source="ours",
        note="by transplants, as in induction/attention",
    ),
)

STUDY = Study(
    name="induction/other-sizes",
    title="Phases and the order of the layers with five states, and with 50 tokens",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"distances": distances, "order": order},
)
