"""The minimal model learns in phases, uniform, unigram, bigram: W aligns first, then v (Figures 8.3, 8.4, E.7).

Chapter 8 replaces the transformer by two blocks: W for the second layer, v for the positions of the first. SGD takes it
through the same phases. W turns diagonal within tens of steps. While v is still smooth the model is nearest to unigram
statistics; then even coordinates of v (odd look-backs) outgrow their neighbours, v_2 wins, and bigrams take over. With
W frozen at a constant, v stays smooth and only unigrams are learned.

Grids
    laptop  k = 2 (8 seeds) and k = 3 (4 seeds), t = 100, v = 0.01 and W = 0 at first, 1,500 steps of SGD at 0.002 with
            batches of 64, a checkpoint every 20 steps on 2,048 held-out chains; k = 2 with W = 0.01 frozen, 400 steps
            (4 seeds).
    paper   10 seeds each, and 4,000 steps with W frozen. The text has one seed.
    smoke   seconds, for the tests: k = 2, t = 20, 60 steps.

Decisions where the text is silent
    First value of v: 0.01. Steps: 1,500. Learning rate: the same for v and W. Smoothing: add-one. A phase is the
    strategy s with the smallest mean KL(s || model) after the last position; the crossing tau* is the first checkpoint
    nearer to bigrams than to unigrams. Final: mean of the last three checkpoints. Levels of the strategies are those of
    the same held-out chains. "Shortly before the drop" is the last checkpoint before tau*, "mid-training" is tau*
    itself. The text's remark that the minimal model spends less time at unigrams than the transformer needs the
    transformer's runs: the share of checkpoints is reported beside the order of phases, and not judged.
"""

from __future__ import annotations

import polars as pl

from glassware.models import MinimalInduction
from glassware.studies.claim import Claim, Scale
from glassware.studies.induction import minimal_model_checks as checks
from glassware.studies.induction import minimal_model_figures as figures
from glassware.studies.induction.shared.runs import minimal_run, repeat
from glassware.studies.study import Study
from glassware.training import Run

FREE, FROZEN = MinimalInduction(v=0.01), MinimalInduction(v=0.01, w=0.01, frozen=True)


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Two and three states, and two states with W frozen."""
    if scale == "smoke":
        return repeat(minimal_run(2, FREE, steps=60, length=20, test=256), seeds or 2)
    two, three, frozen = (8, 4, 4) if scale == "laptop" else (10, 10, 10)
    still = minimal_run(2, FROZEN, steps=400 if scale == "laptop" else 4000)
    return [
        *repeat(minimal_run(2, FREE), seeds or two),
        *repeat(minimal_run(3, FREE), seeds or three),
        *repeat(still, seeds or frozen),
    ]


PILOT = "bands were chosen on pilot runs of another program"
CLAIMS = (
    Claim(
        "f3-phases",
        "Training is nearest to uniform, then to unigrams, then to bigrams",
        "Figures 8.3 and E.7, bottom right",
        "exactly these phases in this order in every seed, k = 2 and k = 3",
        checks.three_phases,
        note="the nearest strategy by mean KL(strategy || model); phases of one checkpoint in between are left out",
    ),
    Claim(
        "f3-below-unigram",
        "It ends well below the unigram level",
        "Figures 8.3 and E.7, bottom left",
        "final ≤ 0.5 of the unigram level in every seed, k = 2 and k = 3",
        checks.ends_below_unigrams,
        note="logits are raw counts, which no weights calibrate at every position: half the level counts as well below",
    ),
    Claim(
        "f3-bayes",
        "It ends near the Bayes-optimal level",
        "Section 8.3, Figures 8.3 and E.7",
        "final ≤ 1.5 of the bigram level in every seed, k = 2 and k = 3",
        checks.ends_at_bigrams,
        note="the text says near; 1.5 is ours, written when pilot runs of another program had shown about 3.6 and 2.5",
    ),
    Claim(
        "fe7-final",
        "Where it ends for k = 2, and when it crosses to bigrams",
        "Figure E.7, bottom",
        "final 0.36 to 0.43 of the unigram level, tau* at steps 400 to 520, every seed",
        checks.numbers_of_two,
        source="ours",
        note=PILOT,
    ),
    Claim(
        "f3-final",
        "Where it ends for k = 3, and when it crosses to bigrams",
        "Figure 8.3, bottom",
        "final 0.36 to 0.43 of the unigram level, tau* at steps 780 to 980, every seed",
        checks.numbers_of_three,
        source="ours",
        note=PILOT,
    ),
    Claim(
        "fe7-alternates",
        "Shortly before the drop even coordinates of v exceed their neighbours",
        "Figure E.7, bottom middle; Section 8.3",
        "v_2, v_4, v_6 at the last checkpoint before tau*, k = 2, every seed",
        checks.alternates_before,
    ),
    Claim(
        "f4b-weights",
        "In mid-training W is near-diagonal and v alternates",
        "Figure 8.4(b)",
        "diagonal > 3 times the other entries, v_2 to v_8 exceed their neighbours at tau*, k = 2, every seed",
        checks.weights_at_crossing,
    ),
    Claim(
        "x2-order",
        "The second layer is learned before the first",
        "Section 8.3",
        "diagonal of W > 3 times the others before v_2 > 1.5 times the others, k = 2 and k = 3, every seed",
        checks.second_layer_first,
    ),
    Claim(
        "x2-steps",
        "How early for k = 2",
        "Section 8.3",
        "diagonal > 3 times the others by step 40, v_2 > 1.5 times the others first at steps 150 to 300, every seed",
        checks.steps_of_two,
        source="ours",
        note=PILOT,
    ),
    Claim(
        "x3-frozen",
        "With W frozen at a constant v becomes smooth, and the model turns to unigrams",
        "Section 8.3",
        "v_1 > v_2 > .. > v_20 at the end, distance to unigrams ≤ 0.45 of its start, phases uniform, unigram",
        checks.frozen_goes_to_unigrams,
    ),
    Claim(
        "x3-unigrams",
        "With W frozen the model reaches the unigram strategy",
        "Section 8.3",
        "distance to unigrams ≤ 0.02 after 4,000 steps, every seed",
        checks.frozen_reaches_unigrams,
        ("paper",),
    ),
)

STUDY = Study(
    name="induction/minimal-model",
    title="Phases of the minimal model of an induction head",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={
        "distances": figures.distances,
        "loss": figures.loss,
        "positions": figures.positions,
        "matrix": figures.matrix,
    },
)
