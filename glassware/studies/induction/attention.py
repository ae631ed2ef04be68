"""Two layers of an induction head: look at the previous token, then at what followed copies (Figures 8.2 and E.5).

Attention starts even. At the end queries of the first layer look at the previous token, and the last query of the
second at tokens that follow earlier copies of the current one, all of them: it counts, it does not copy the latest. The
text finds that the second layer is learned first, clearly in the minimal model, less clearly here, where the second
layer sees nothing useful until the first one is done. A transplant removes that doubt: the second layer as it was at a
checkpoint is put behind the embedding and the first layer of the end.

Grids
    laptop, paper, smoke: the runs of ``induction/transformer``. Weights are kept at every checkpoint (laptop) or every
            20 steps (paper). Scores are means over 128 held-out chains; maps are those of one input of 16 tokens in
            which no state is rare and the last one comes last.

Decisions where the text is silent
    Even attention already gives 0.61 (k = 2) or 0.41 (k = 3) of its weight to the right tokens, for the current token
    is likely a frequent one. So the score is normed: (score - base) / (1 - base) with the share of right keys as base,
    per chain. A layer is formed when its score first exceeds 1/2: the weight on the previous token for the first, the
    normed score of the transplant for the second. Evenness is exp(entropy) of the attention to the n right tokens over
    n, recency n times the share of the latest, for chains with n >= 4; a head that copies the latest has about 1/n and
    n. Even attention at the start: no weight of row i above 1.1 / i, for rows from 8 on.
"""

from __future__ import annotations

from glassware.studies.claim import Claim
from glassware.studies.induction import attention_checks as checks
from glassware.studies.induction import attention_figures as figures
from glassware.studies.induction.transformer import runs
from glassware.studies.study import Study

PILOT = "thresholds were chosen on pilot runs of another program"
CLAIMS = (
    Claim(
        "f2-previous",
        "The first layer starts even and ends looking at the previous token",
        "Figures 8.2 and E.5",
        "largest weight of row i ≤ 1.1 / i at step 0; mean weight on the previous token ≥ 0.8 at the end; every seed",
        checks.looks_back,
        ("laptop",),
        note=PILOT,
    ),
    Claim(
        "f2-normed",
        "With layer norm, for k = 3, the first layer looks at the previous token, the second after copies",
        "Figures 8.2 and E.5",
        "even at step 0; at the end the previous token has the largest weight at ≥ 95% of positions, and tokens after "
        "copies have ≥ 0.8 of the weight; every seed",
        checks.looks_back_normed,
        ("paper",),
        note=PILOT,
    ),
    Claim(
        "f2-induction",
        "The second layer ends looking at tokens that follow earlier copies of the current one",
        "Figures 8.2 and E.5",
        "normed score ≤ 0.1 at step 0 and ≥ 0.75 at the end, k = 2 and k = 3, every seed",
        checks.follows_copies,
        note=PILOT,
    ),
    Claim(
        "x10-statistical",
        "It weighs all earlier matches, not the latest: the head is statistical",
        "Sections 8.1 and 8.3",
        "evenness ≥ 0.9, recency 0.3 to 1.5 and a normed score ≥ 0.5 at the end, k = 2 and k = 3, every seed",
        checks.weighs_all_matches,
        note=PILOT,
    ),
    Claim(
        "x2-order",
        "The second layer is learned before the first",
        "Section 8.3",
        "transplanted second layer > 1/2 at an earlier checkpoint than the first layer, k = 2 and k = 3, every seed",
        checks.second_layer_first,
        note="the transplant is ours; the text calls the order in transformers not so clear",
    ),
)

STUDY = Study(
    name="induction/attention",
    title="What the two layers of an induction head attend to, and which is learned first",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"arcs": figures.arcs, "scores": figures.maps, "weights": figures.weight_maps, "order": figures.order},
)
