"""A transformer learns in phases, uniform, unigram, bigram, with sudden drops (Figures 8.1, 8.3, E.3 and E.7).

Two layers of attention are trained on in-context Markov chains. The loss falls fast to about the level of unigram
statistics, stays there, and falls again when the bigram statistics are found. Shortly before, the positions of the
first layer favour odd look-backs (even coordinates). Ten seeds show the same, only the time of the second drop moves.
The minimal model's half of Figures 8.3 and E.7 is ``induction/minimal-model``.

Grids
    laptop  k = 3 (4 seeds, 700 steps) and k = 2 (4 seeds, 600 steps), t = 100, the formula as printed: no layer norm,
            no output projection; AdamW at 0.003, batches of 64, a checkpoint every 25 steps on 2,048 held-out chains.
    paper   layer norm and an output projection, AdamW at 0.0005, 2,000 steps, a checkpoint every 10, 10 seeds each. The
            text has one seed, and ten of them in Figure E.3.
    smoke   seconds, for the tests: k = 2, t = 20, 20 steps.

Decisions where the text is silent
    The rate 0.00003 that the text names never leaves the unigram phase in so many steps; 0.0005 is the rate of the
    authors' release, 0.003 suits the printed formula, whose arrays start as N(0, 0.1^2). No dropout. Betas 0.9 and
    0.95, weight decay 0.1 on matrices. k = 3 for Figures 8.1 and 8.3, k = 2 for E.3. A phase is the strategy s with
    the smallest mean KL(s || model) after the last position; the crossing tau* is the first checkpoint nearer to
    bigrams than to unigrams; final is the mean of the last three checkpoints. Levels are those of the same held-out
    chains. A strategy that knows the counts and the current token (unigram_self) is better than unigrams and needs no
    induction head: plateaus may lie between the two. Positions are judged before the softmax, averaged over tokens.
"""

from __future__ import annotations

import polars as pl

from glassware.studies.claim import Claim, Scale
from glassware.studies.induction import transformer_checks as checks
from glassware.studies.induction import transformer_figures as figures
from glassware.studies.induction.shared.layers import probed_run
from glassware.studies.induction.shared.runs import repeat
from glassware.studies.study import Study
from glassware.training import Run

PROBES = ("all_strategies", "attention", "other_priors", "positions", "short_maps", "transplants")
STEPS = {3: 700, 2: 600}  # at laptop scale, by k


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """Three and two states. Other studies of these transformers train the very same runs."""
    if scale == "smoke":
        tiny = probed_run(2, steps=20, length=20, test=64, every=10, probes=PROBES, keep_every=10, batch=16)
        return repeat(tiny, seeds or 2)
    if scale == "laptop":
        made = [probed_run(k, steps=steps, probes=PROBES, keep_every=25) for k, steps in STEPS.items()]
    else:
        normed = {"form": "normed", "steps": 2000, "every": 10, "probes": PROBES, "keep_every": 20}
        made = [probed_run(k, **normed) for k in STEPS]  # type: ignore[arg-type]
    return [run for one in made for run in repeat(one, seeds or (4 if scale == "laptop" else 10))]


PILOT = "bands were chosen on pilot runs of another program"
CLAIMS = (
    Claim(
        "f1-phases",
        "Training is nearest to uniform, then to unigrams, then to bigrams",
        "Figures 8.1, 8.3 and E.7, top right",
        "exactly these phases in this order in every seed, k = 2 and k = 3",
        checks.three_phases,
        note="the nearest strategy by mean KL(strategy || model); phases of one checkpoint in between are left out",
    ),
    Claim(
        "f1-unigrams",
        "In its second phase it is at unigrams, for k = 3",
        "Figure 8.1, right",
        "smallest distance to unigrams, over three checkpoints in a row, ≤ 0.025 nats, every seed",
        checks.reaches_unigrams,
        ("laptop",),
        note=f"{PILOT}; three in a row since random curves passed, after rows were seen",
    ),
    Claim(
        "f1-crossing",
        "When it crosses to bigrams, for k = 3",
        "Figure 8.1, right",
        "tau* at steps 225 to 600, every seed",
        checks.crossing_of_three,
        ("laptop",),
        source="ours",
        note=PILOT,
    ),
    Claim(
        "f1-crossing-normed",
        "It crosses to bigrams in the second half of training, for k = 3",
        "Figure 8.1, right",
        "tau* after 40,000 to 128,000 sequences, every seed",
        checks.crossing_of_normed,
        ("paper",),
        note=PILOT,
    ),
    Claim(
        "f3-plateau",
        "Between two drops the loss stays at the unigram level, and the second drop is sudden, for k = 3",
        "Figure 8.3, top left",
        "≥ 5 checkpoints in a row, 0.95 of the level of unigram_self to 1.15 of that of unigrams, steps between them "
        "≤ 0.005 nats; a later fall ≥ 5 times their median; every seed",
        checks.plateau,
        ("laptop",),
        note=PILOT,
    ),
    Claim(
        "f3-long-plateau",
        "The loss stays at the unigram level for long",
        "Figures 8.3 and E.7, top left",
        "from 0.95 of the level of unigram_self to 1.15 (k = 3) or 1.1 (k = 2) of that of unigrams for ≥ 15% (k = 3) "
        "or ≥ 10% (k = 2) of training, every seed",
        checks.long_plateau,
        ("paper",),
        note=PILOT,
    ),
    Claim(
        "f3-first-drop",
        "The first drop brings it nearer to bigrams, too, for k = 3",
        "Section 8.3",
        "distance to bigrams where that to unigrams is smallest ≤ 0.8 of its start, every seed",
        checks.first_drop,
    ),
    Claim(
        "f3-second-drop",
        "At the second drop the distance to bigrams falls and that to unigrams rises",
        "Figures 8.3 and E.7, top right",
        "100 steps after tau*: unigrams > 2 times their minimum, bigrams below their value at tau*; every seed",
        checks.second_drop,
    ),
    Claim(
        "f3-positions-drop",
        "The second drop comes with the positions of the first layer",
        "Appendix E, after (E.60)",
        "steepest rise of the attention to the previous token within 75 steps of the steepest later fall of the loss, "
        "k = 2 and k = 3, every seed",
        checks.drop_with_positions,
        ("laptop",),
        note="later: after the smallest distance to unigrams; 75 steps are three checkpoints; only networks that turn "
        "to bigrams have a second drop",
    ),
    Claim(
        "f3-bayes",
        "It ends near the Bayes-optimal level",
        "Section 8.3, Figures 8.3 and E.7",
        "final ≤ 0.03 nats above the bigram level, k = 2 and k = 3, every seed",
        checks.ends_at_bigrams,
        note="the text says near; 0.03 comes from pilot runs of another program with layer norm, 0.02 above",
    ),
    Claim(
        "f3-final",
        "Where it ends, and when it crosses for k = 2",
        "Figures 8.3 and E.7, top left",
        "final ≤ 0.4 (k = 3) and ≤ 0.26 (k = 2) of the unigram level; tau* at steps 200 to 450 for k = 2; every seed",
        checks.finals,
        ("laptop",),
        source="ours",
        note=PILOT,
    ),
    Claim(
        "fe7-final",
        "Where it ends for k = 2",
        "Figure E.7, top left",
        "final ≤ 0.25 of the unigram level, every seed",
        checks.final_of_normed,
        ("paper",),
        source="ours",
        note=PILOT,
    ),
    Claim(
        "fe7-alternates",
        "Shortly before the drop even coordinates of the positions exceed their neighbours, for k = 2",
        "Figure E.7, top middle; Section 8.3",
        "coordinates 2, 4, 6 at the last checkpoint before tau*, ≥ 3 of 4 seeds",
        checks.alternates_before,
        ("laptop",),
        note="three of four: single seeds of pilot runs of another program missed it",
    ),
    Claim(
        "fe7-alternates-normed",
        "Half-way through training even coordinates of the positions exceed their neighbours, for k = 2",
        "Figure E.7, top middle; Section 8.3",
        "coordinates 2, 4 at a checkpoint between 40,000 and 70,000 sequences, ≥ 9 of 10 seeds",
        checks.alternates_half_way,
        ("paper",),
    ),
    Claim(
        "f3-same-positions",
        "The effective positions are nearly the same for every token",
        "Section 8.3",
        "largest total variation from their mean ≤ 0.25 at the last checkpoint before tau*, every seed",
        checks.positions_agree,
    ),
    Claim(
        "fe3-seeds",
        "Other seeds show the same, only the time of the drop moves, for k = 2",
        "Figure E.3",
        "three phases in every seed, largest tau* ≤ 2.5 times the smallest",
        checks.seeds_agree,
        ("laptop",),
        note="four seeds; ten at paper scale",
    ),
    Claim(
        "fe3-ten-seeds",
        "Ten seeds show the same, only the time of the drop moves, for k = 2",
        "Figure E.3",
        "three phases in each of 10 seeds, largest tau* ≤ 3 times the smallest",
        checks.ten_seeds_agree,
        ("paper",),
    ),
)

STUDY = Study(
    name="induction/transformer",
    title="Phases of a transformer on in-context Markov chains",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={
        "data": figures.data,
        "distances": figures.distances,
        "loss": figures.loss,
        "positions": figures.positions,
    },
)
