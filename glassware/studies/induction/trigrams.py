"""Chains that look back two tokens are learned in four phases, and one head stops at bigrams (Figure 8.5).

The next token depends on the last two. A transformer of two layers with three heads each is nearest to guessing, then
to unigrams, bigrams and trigrams. With a single head per layer it stays at bigrams.

Grids
    laptop  Plain transformers, width 24, with 3 heads and with 1; k = 2, t = 100; AdamW at 0.003, 1,300 steps, 3 seeds,
            a checkpoint every 25 steps on 1,024 held-out chains.
    paper   Normed, 16 coordinates per head in a width of 48 and of 16, t = 200, 3 heads for 6,000 steps and 1 head for
            18,000, 10 seeds; the text's rate of 0.03 as well (3 seeds).
    smoke   seconds, for the tests: one layer, one head, t = 8, 10 steps.

Decisions where the text is silent
    States: 2. Layers: 2, with as many heads in each. Learning rate: 0.003; at the text's 0.03 runs may diverge, which
    is recorded and not judged. A crossing is the first checkpoint after step 0 that is nearer to the next strategy than
    to the one before it. Final: mean of the last three checkpoints, beside levels on the same held-out chains.
"""

from __future__ import annotations

from collections import Counter

import polars as pl

from glassware.charts.backend import alt
from glassware.models import CausalTransformer
from glassware.studies.claim import Claim, Scale
from glassware.studies.induction.shared.figures import Panelled, distance_chart, loss_chart
from glassware.studies.induction.shared.levels import STRATEGIES
from glassware.studies.induction.shared.phases import crossings, final_over, longest, phase_list
from glassware.studies.induction.shared.runs import repeat
from glassware.studies.induction.shared.transformers import tiny_run, transformer_run
from glassware.studies.lanes import Measure, Row, each_lane, lanes
from glassware.studies.study import Study
from glassware.studies.verdict import Finding, at_least, at_most, below, between
from glassware.tasks import MarkovChain
from glassware.training import Run

SEEDS = 3
TEXT_RATE, RATE = 0.03, 0.003


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Three heads and one."""
    if scale == "smoke":
        return repeat(tiny_run(order=3), seeds or 2)
    if scale == "laptop":
        task = MarkovChain(states=2, length=100, order=3)
        both = [CausalTransformer(width=24, heads=heads) for heads in (3, 1)]
        cells = [transformer_run(task, model, steps=1300, lr=RATE, test=1024) for model in both]
        return [run for cell in cells for run in repeat(cell, seeds or SEEDS)]
    task = MarkovChain(states=2, length=200, order=3)
    three, one = (CausalTransformer(form="normed", width=16 * heads, heads=heads) for heads in (3, 1))
    long = [(three, 6000, RATE, 10), (one, 18_000, RATE, 10), (three, 6000, TEXT_RATE, SEEDS)]
    return [
        run
        for model, steps, rate, count in long
        for run in repeat(transformer_run(task, model, steps=steps, lr=rate, every=10), seeds or count)
    ]


# -- checks -----------------------------------------------------------------------------------------------------------


def _heads(frame: pl.DataFrame, heads: int) -> list[Row]:
    """Lanes at the rate that is judged."""
    return [row for row in lanes(frame, heads=heads) if row["lr"] < TEXT_RATE / 2] if len(frame) else []


def _gap(row: Row) -> float:
    """The smallest distance of two successive crossings, in steps; NaN where one is missing."""
    unigram, bigram, trigram = crossings(row)
    return min(bigram - unigram, trigram - bigram)


def four_phases(frame: pl.DataFrame) -> Finding:
    """Steps of the crossings to unigrams, bigrams and trigrams, three heads."""
    times = (
        Measure(f"to {name}s at step", lambda row, at=at: crossings(row)[at], at_least(0))  # type: ignore[misc]
        for at, name in enumerate(STRATEGIES[1:])
    )
    order = Measure("smallest gap", _gap, at_least(1))
    phases = Measure("phases", lambda row: len(phase_list(row)), at_least(1))
    return each_lane(_heads(frame, 3), SEEDS, order, *times, phases)


def ends_below_bigrams(frame: pl.DataFrame) -> Finding:
    """The final distance from the truth over the bigram level, three heads."""
    end = Measure("final / bigram level", lambda row: final_over(row, "bigram"), below(0.5))
    return each_lane(_heads(frame, 3), SEEDS, end)


def ends_at_trigrams(frame: pl.DataFrame) -> Finding:
    """The final distance from the truth less the trigram level, three heads, t = 200."""
    rows = [row for row in _heads(frame, 3) if row["length"] == 200]
    end = Measure("final - trigram level", lambda row: final_over(row, "trigram", less=True), at_most(0.02))
    return each_lane(rows, SEEDS, end)


def one_head_stays(frame: pl.DataFrame) -> Finding:
    """The final distance from the truth over the bigram level, and checkpoints in a row at trigrams, one head."""
    return each_lane(
        _heads(frame, 1),
        SEEDS,
        Measure("final / bigram level", lambda row: final_over(row, "bigram"), between(0.8, 1.1)),
        Measure("checkpoints in a row at trigrams", lambda row: longest(row, "trigram"), at_most(2)),
    )


CLAIMS = (
    Claim(
        "f5-phases",
        "Training turns to unigrams, then to bigrams, then to trigrams",
        "Figure 8.5",
        "the three crossings exist and follow each other, three heads, every seed",
        four_phases,
    ),
    Claim(
        "f5-final",
        "Three heads end well below the bigram level",
        "Figure 8.5",
        "final < 0.5 of the bigram level, three heads, every seed",
        ends_below_bigrams,
    ),
    Claim(
        "f5-bayes",
        "Three heads end near the Bayes-optimal level",
        "Figure 8.5",
        "final ≤ the trigram level + 0.02, three heads, t = 200, every seed",
        ends_at_trigrams,
        ("paper",),
    ),
    Claim(
        "x1-one-head",
        "A single head does not do better than bigrams",
        "Section 8.4",
        "final 0.8 to 1.1 of the bigram level, never three checkpoints in a row nearest to trigrams, every seed",
        one_head_stays,
    ),
)


# -- figures ----------------------------------------------------------------------------------------------------------


def distances(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(strategy || model) along training, over the phases."""
    title = "Chains of order 3: four phases with three heads, three with one"
    return distance_chart(_panels(frame), title, _setting, columns=2)


def loss(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(truth || model) along training, beside the levels of the strategies."""
    title = "Chains of order 3: test loss beside the levels of the strategies"
    return loss_chart(_panels(frame), title, _setting, columns=2)


def _panels(frame: pl.DataFrame) -> Panelled:
    rows = [*_heads(frame, 3), *_heads(frame, 1)]
    seeds = Counter(row["heads"] for row in rows)
    words = {3: "three heads", 1: "one head"}
    return [(f"{words[row['heads']]} per layer, {seeds[row['heads']]} seeds", row) for row in rows]


def _setting(found: Panelled) -> str:
    row = found[0][1]
    return f"one line per seed; k = {row['states']}, t = {row['length']}, AdamW at {row['lr']:g}"


STUDY = Study(
    name="induction/trigrams",
    title="In-context trigrams: one phase per strategy, and one head is not enough",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"distances": distances, "loss": loss},
)
