"""More symbols: the same three phases where the context is long enough (Figure E.4).

With more states the unigram and bigram levels move towards guessing, since most transitions have been seen once or
never. At t = 200 the phases of two and three states are still there. At t = 100 and k = 8 the unigram phase may not
show, and only a plateau before the last drop remains.

Grids
    laptop  Plain transformers, k = 5, t = 200, AdamW at 0.003, 650 steps, 3 seeds, a checkpoint every 25 steps on 1,024
            held-out chains.
    paper   Normed, at 0.0005, 4,000 steps, a checkpoint every 10, 2,048 held-out chains, 10 seeds: k = 8 and k = 5 at
            t = 200, k = 8 at t = 100.
    smoke   seconds, for the tests: one layer, k = 2, t = 8, 10 steps.

Decisions where the text is silent
    States: 8, and 5 beside them. Without layer norm k = 8 stays nearest to uniform throughout, because its readout
    stays flat; so the plain form is judged at k = 5. A plateau is time spent with a test loss 0.93 to 1.07 of the
    unigram level. There is no dropout.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.models import CausalTransformer
from glassware.studies.claim import Claim, Scale
from glassware.studies.induction.shared.figures import Panelled, distance_chart, loss_chart
from glassware.studies.induction.shared.levels import row_levels
from glassware.studies.induction.shared.phases import crossing, curve, final_share, phase_list, step_at
from glassware.studies.induction.shared.runs import repeat
from glassware.studies.induction.shared.transformers import tiny_run, transformer_run
from glassware.studies.lanes import Measure, Row, each_lane, lanes
from glassware.studies.study import Study
from glassware.studies.verdict import Finding, at_least, at_most
from glassware.tasks import MarkovChain
from glassware.training import Run

SEEDS, LONG, SHORT = 3, 200, 100


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Five states in a long context; at paper scale eight, and a shorter context."""
    if scale == "smoke":
        return repeat(tiny_run(), seeds or 2)
    if scale == "laptop":
        five = MarkovChain(states=5, length=LONG)
        return repeat(transformer_run(five, CausalTransformer(), steps=650, test=1024), seeds or SEEDS)
    normed = CausalTransformer(form="normed")
    return [
        run
        for k, t in ((8, LONG), (5, LONG), (8, SHORT))
        for run in repeat(
            transformer_run(MarkovChain(states=k, length=t), normed, steps=4000, every=10), seeds or 10
        )
    ]  # fmt: skip


def three_phases(frame: pl.DataFrame) -> Finding:
    """The phases in their order and the step of the crossing, t = 200."""
    right = lambda row: phase_list(row) == ["uniform", "unigram", "bigram"]
    when = Measure("tau*", lambda row: step_at(row, crossing(row)), at_least(1))
    return each_lane(_at(frame, LONG), SEEDS, Measure("phases in order", right, at_least(1)), when)


def ends_below_unigrams(frame: pl.DataFrame) -> Finding:
    """The final distance from the truth over the unigram level, t = 200."""
    return each_lane(_at(frame, LONG), SEEDS, Measure("final / unigram level", final_share, at_most(0.5)))


def plateau_remains(frame: pl.DataFrame) -> Finding:
    """The share of checkpoints near the unigram level, and the final share of it, t = 100."""

    def plateau(row: Row) -> float:
        near = curve(row, "truth_distance") / row_levels(row)["unigram"]
        return float(np.mean((near > 0.93) & (near < 1.07)))

    return each_lane(
        _at(frame, SHORT),
        SEEDS,
        Measure("share of checkpoints on the plateau", plateau, at_least(0.1)),
        Measure("final / unigram level", final_share, at_most(0.75)),
    )


CLAIMS = (
    Claim(
        "fe4-phases",
        "With more states training is still nearest to uniform, then to unigrams, then to bigrams",
        "Figure E.4",
        "exactly these phases in this order, t = 200, every seed",
        three_phases,
    ),
    Claim(
        "fe4-final",
        "It ends well below the unigram level",
        "Figure E.4",
        "final ≤ 0.5 of the unigram level, t = 200, every seed",
        ends_below_unigrams,
    ),
    Claim(
        "fe4-plateau",
        "In shorter contexts a plateau before the last drop remains",
        "Figure E.4",
        "≥ 10% of checkpoints with a loss 0.93 to 1.07 of the unigram level, final ≤ 0.75 of it, k = 8, t = 100",
        plateau_remains,
        ("paper",),
    ),
)


def distances(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(strategy || model) along training, over the phases."""
    return distance_chart(_panels(frame), "More symbols: the same phases in a long context", _setting)


def loss(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(truth || model) along training, beside the levels of the strategies."""
    return loss_chart(_panels(frame), "More symbols: test loss beside the levels of the strategies", _setting)


def _at(frame: pl.DataFrame, length: int) -> list[Row]:
    return lanes(frame, length=length)


def _panels(frame: pl.DataFrame) -> Panelled:
    rows = sorted(lanes(frame), key=lambda row: (-row["length"], row["states"]))
    size = lambda row: f"k = {row['states']}, t = {row['length']}"
    seeds = Counter(map(size, rows))
    return [(f"{size(row)}, {seeds[size(row)]} seeds", row) for row in rows]


def _setting(found: Panelled) -> str:
    return f"one line per seed; AdamW at {found[0][1]['lr']:g}, batches of 64"


STUDY = Study(
    name="induction/more-symbols",
    title="More symbols learn in the same phases",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"distances": distances, "loss": loss},
)
