"""The first gradient steps of the minimal model, a curriculum, and an explicit induction head (Figures E.1 and E.2).

For two states the first two population steps on the margin loss have closed forms (Lemma 8.4). The first makes W
near-diagonal and v smooth, largest at v_1; the second, through the diagonal of W, lifts even coordinates of v, and v_2
most, if contexts are long enough for the learning rate. Two steps on chosen priors reach the bigram solution
(Proposition 8.5); a transformer of two layers writes it down (Proposition 8.2); and smoothed bigram counts are Bayes'
rule up to what x_1 says (Remark 8.1). All of it is computed here in float64; nothing is trained.

Grids
    laptop  c = 0.02, eta = 0.03, t = 100, beside 10,000 draws of chains; ten pairs of t and eta; the curriculum at
            t = 400, epsilon = 0.1, 0.2, 0.3; the network at k = 2, 3 (t = 100) and 8 (t = 200).
    paper   the same, and t = 400 for two steps.
    smoke   without t > 100 and k = 8, the curriculum at t = 40.

Decisions where the text is silent
    Averages over chains are quadratures; draws stand beside them. "Large enough t" of Lemma 8.4 is judged at t = 100
    and above. The network's counts are frequencies, since its attention is a softmax, so its readout is fitted. Its
    error is not monotone in the sharpness c: from c = 1 to c = 10 it grows. Only c from 20 on is claimed.
"""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.dots import dots
from glassware.charts.lines import lines
from glassware.charts.tiles import tiles
from glassware.studies.cells import where
from glassware.studies.claim import Claim, Scale
from glassware.studies.induction import first_steps_checks as checks
from glassware.studies.induction.first_steps_rows import (
    bayes_rows,
    curriculum_rows,
    formula_rows,
    leader_rows,
    network_rows,
    step_rows,
)
from glassware.studies.study import Study

SCHEMA: dict[str, type[pl.DataType]] = {
    "part": pl.String, "name": pl.String, "form": pl.String, "t": pl.Int64, "k": pl.Int64, "j": pl.Int64, "c": pl.Int64,
    "eta": pl.Float64, "spread": pl.Float64, "value": pl.Float64, "error": pl.Float64, "gap": pl.Float64,
}  # fmt: skip
SHOWN = 20  # coordinates of v and G in a figure


def compute(scale: Scale, seeds: int | None) -> pl.DataFrame:
    """All rows; nothing here is repeated."""
    parts = (step_rows(), leader_rows(scale), curriculum_rows(scale), network_rows(scale), bayes_rows(), formula_rows())
    return pl.DataFrame([row for rows in parts for row in rows], schema=SCHEMA)


EVERYWHERE: tuple[Scale, ...] = ("smoke", "laptop", "paper")
LARGER: tuple[Scale, ...] = ("laptop", "paper")
CLAIMS = (
    Claim("fe1-first-step", "After one step W leans to its diagonal and v falls from v_1 on", "Figure E.1, Lemma 8.4",
          "diagonal > other entries, v strictly decreasing", checks.first_step, EVERYWHERE),
    Claim("fe1-draws", "Draws of chains agree with the quadratures", "Figures E.1 and E.2",
          "W, v_1 to v_8, G_1 to G_8 within 4 standard errors, which resolve them: they span ≥ 8",
          checks.draws_agree, EVERYWHERE, "ours", "sharpened: zeros agree with zeros"),
    Claim("one-step", "One step is not enough: v_1 leads after it", "Lemma 8.4",
          "v strictly decreasing after one step for every t and eta", checks.one_step_is_not_enough, EVERYWHERE),
    Claim("fe2-even", "The diagonal of W lifts even coordinates of v, and v_2 most", "Figure E.2, Lemma 8.4",
          "G_2 largest; G_4 and G_6 exceed their neighbours", checks.even_coordinates, EVERYWHERE),
    Claim("second-leads", "After two steps v_2 is the largest coordinate", "Lemma 8.4, Lemma E.1",
          "at eta = 0.03 for every t ≥ 100", checks.second_leads, EVERYWHERE,
          note="the lemma is about large t; see leader-depends for how large"),
    Claim("leader-depends", "How long contexts must be depends on the learning rate", "after Lemma E.1",
          "v_2 leads from t = 50 on at eta = 0.03, at 150 but not 100 at 0.003, at 30 but not 20 at 0.3",
          checks.leader_depends, EVERYWHERE, "ours"),
    Claim("x4-curriculum", "Two steps of a curriculum reach the bigram solution", "Propositions 8.5 and E.3",
          "v_2 largest, off-diagonal W ≤ 1e-6 of the diagonal, v_4/v_2 within 15% of 12ε²/5 for ε ≥ 0.2",
          checks.curriculum_leads, LARGER),
    Claim("x4-order", "Its logits are of the order ε⁴", "Propositions 8.5 and E.3",
          "slope of log W_11 v_2 in log ε 3.8 to 4.6", checks.curriculum_order, LARGER),
    Claim("x5-network", "A transformer of two layers counts bigrams", "Proposition 8.2",
          "frequencies to 1e-8 at c = 200", checks.counts_by_attention, EVERYWHERE),
    Claim("x5-sharper", "The sharper, the closer to counting", "Proposition 8.2",
          "largest error falls from each c ≥ 20 to the next", checks.sharper_is_closer, EVERYWHERE, "ours",
          "below c = 20 it does not fall, and is not claimed to"),
    Claim("x5-readout", "With a fitted readout it predicts well", "Proposition 8.2",
          "loss ≤ 0.3 of the unigram level for k = 2, 3, < 0.5 for k = 8", checks.readout_is_good, EVERYWHERE, "ours"),
    Claim("x6-nearly", "Bigram counts come close to Bayes' rule as contexts grow", "Remark 8.1",
          "KL(Bayes ‖ bigram) falls with t, < 2e-4 at t = 100", checks.bigrams_are_nearly_bayes, EVERYWHERE),
    Claim("x6-exactly", "They are Bayes' rule where x_1 says nothing about the chain", "Remark 8.1", "to 1e-10",
          checks.bigrams_are_bayes, EVERYWHERE),
    Claim("formulas", "The formulas of the proofs, corrected", "E.37, E.38, E.43, E.45, E.53", "to 1e-10",
          checks.corrected, EVERYWHERE),
    Claim("printed-e37", "The second step's gradient from the diagonal", "E.37 and E.38, as printed", "to 1e-10",
          checks.printed("E.37, E.38"), EVERYWHERE,
          note="a factor λ/(λ-1), t(t+1)/2 and the sign of one denominator are off"),
    Claim("printed-e43", "The growth of v_2", "E.43, as printed", "to 1e-10", checks.printed("E.43"), EVERYWHERE,
          note="(5 - 8 log 2)/6 is negative: v_1 would lead. It is (8 log 2 - 5)/6"),
    Claim("printed-e45", "The growth of v where both states are equally frequent", "E.45 and E.49, as printed",
          "to 1e-10", checks.printed("E.45"), EVERYWHERE, note="2a - 2 stands where λ = 2a - 1 belongs; v grows"),
    Claim("printed-e53", "The diagonal of W after the curriculum", "E.53, as printed", "to 1e-10",
          checks.printed("E.53"), EVERYWHERE, note="the density 1/(2ε) is missing"),
)  # fmt: skip


# -- figures ----------------------------------------------------------------------------------------------------------


def matrix(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """W after one step."""
    values = where(frame, part="first", name="W", form="exact")["value"].to_list()
    cells = [
        {"panel": "t = 100, c = 0.02, η = 0.03", "row": f"x_p = {i // 2 + 1}", "column": f"x_s = {i % 2 + 1}",
         "value": value, "text": f"{value:.5f}"}
        for i, value in enumerate(values)
    ]  # fmt: skip
    return tiles(
        pl.DataFrame(cells), scale=alt.Scale(scheme="blues", domain=[0, 0.1]), title="W after one step",
        x_title="earlier token", y_title="current token", value_title="W", tile_width=110,
    )  # fmt: skip


def vectors(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """v after one step, G, and v after two."""
    panels = {"first": "v after one step", "diagonal": "G: what the diagonal of W adds", "second": "v after two steps"}
    found = frame.filter(
        pl.col("part").is_in([*panels]), pl.col("form") == "exact", pl.col("name") != "W", pl.col("j") <= SHOWN
    )
    table = found.select("j", "value", "form", panel=pl.col("part").replace_strict(panels), line=pl.lit(0))
    return lines(
        table, x="j", y="value", line="line", kind="form", panel="panel", columns=3, own_y=True,
        title="The second step lifts even coordinates of v", x_title="coordinate j (look-back j − 1)",
        y_title="value", subtitle="two states; t = 100, c = 0.02, η = 0.03; exact; the first 20 coordinates",
    )  # fmt: skip


def sharpness(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """Error of the explicit network against its sharpness."""
    found = where(frame, part="network", k=2).sort("c").with_columns(pl.max_horizontal("value", pl.lit(1e-17)).log10())
    return dots(
        found.with_columns(network=pl.lit("k = 2, t = 100")), x="c", y="value", low="value", high="value",
        colour="network", title="The explicit induction head against counting", x_title="sharpness c",
        subtitle="largest difference over 100 sequences; 0 is drawn at -17", y_title="log10 of the difference",
    )  # fmt: skip


STUDY = Study(
    name="induction/first-steps",
    title="First gradient steps, a curriculum and an explicit induction head",
    about=__doc__ or "",
    stages=(),
    claims=CLAIMS,
    figures={"matrix": matrix, "vectors": vectors, "sharpness": sharpness},
    compute=compute,
)
