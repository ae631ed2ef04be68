"""Attention that selects s of T tokens, and a lookup after it: the sparse functions of Proposition 4.12, built.

Is every function of s bits out of T a single Transformer layer with weights of norm O(log T)? The weights of Lemmas
A.19 to A.25 are written down for three ways to encode positions (fixed vectors, trained vectors, a bag of vectors), for
one head and for several, and tried on all inputs of short contexts and on all relevant patterns of long ones. Nothing
is trained; all of it is float64.

Grids
    laptop  (T, s) = (7,1), (8,2), (9,3), (12,4) on all inputs; (50,3), (150,4), (333,5), (400,6) on all relevant
            patterns with four fills; and, or, xor, majority and a table of random numbers. Random signs for vectors at
            T = 256 to 700. Gates of two bits at T = 256, 1024, 4096.
    paper   also s = 7, 8 and T = 3,000; random signs at T = 1,024 and 4,096.
    smoke   (5,1), (8,2), (9,3), (50,3); random signs at T = 100; gates at T = 128.

Decisions where the text is silent
    gamma is 2/s (at most 1) for one head, 1 for several and 1/s for bags; boxes of the lookup are a quarter of the
    distance of its points. Vectors that are not quite orthogonal: Delta is taken over pairs with a relevant vector, the
    only ones that enter. Effects of a fixed query norm are shown with trained positions, whose four dimensions do not
    grow with T. Fills of irrelevant bits: zeros, ones, random, and opposite to the relevant bits.
"""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.dots import dots
from glassware.charts.lines import lines
from glassware.studies.claim import Claim, Scale
from glassware.studies.computed import part
from glassware.studies.juntas import constructions_checks as checks
from glassware.studies.juntas.constructions_rows import (
    flip_rows,
    growth_rows,
    near_rows,
    network_rows,
    query_rows,
    softmax_rows,
)
from glassware.studies.juntas.constructions_variants import printed_rows, variant_rows
from glassware.studies.juntas.printed_figure import printed_figure
from glassware.studies.study import Study

SCHEMA: dict[str, type[pl.DataType]] = {
    "part": pl.String, "kind": pl.String, "name": pl.String, "form": pl.String, "T": pl.Int64, "s": pl.Int64,
    "delta": pl.Float64, "value": pl.Float64, "wanted": pl.Float64, "limit": pl.Float64, "norm": pl.Float64,
    "gap": pl.Float64,
}  # fmt: skip


def compute(scale: Scale, seeds: int | None) -> pl.DataFrame:
    """All rows; nothing here is repeated."""
    parts = (network_rows(scale), softmax_rows(scale), query_rows(scale), flip_rows(), growth_rows(), near_rows(scale),
             variant_rows(scale), printed_rows())  # fmt: skip
    return pl.DataFrame([row for rows in parts for row in rows], schema=SCHEMA)


EVERYWHERE: tuple[Scale, ...] = ("smoke", "laptop", "paper")
TO = "to 1e-9"
CLAIMS = (
    Claim("exact", "A layer of attention and a lookup computes every sparse function exactly",
          "Propositions 4.12 and A.18", f"{TO}: six constructions, five functions, every size", checks.exactness,
          EVERYWHERE),
    Claim("heads", "Heads come within γ/4 of the functions they select; the worst error has a closed form",
          "Lemmas A.19 to A.21", "closed form to 1e-12, and ≤ γ/4", checks.heads, EVERYWHERE),
    Claim("norms", "Norms of the weights keep the bounds of the lemmas, and have closed forms", "Lemmas A.19 to A.21",
          f"closed forms {TO}, and ≤ bounds", checks.norms, EVERYWHERE),
    Claim("log-query", "Only the query grows with the context, like log T", "Proposition 4.12",
          f"1 per unit of log T, other norms constant, {TO}", checks.query_grows, EVERYWHERE),
    Claim("truncation", "Attention is uniform on the selected tokens up to 2(T + 1 - s)/Z", "Lemma A.24",
          "to 1e-12, and < 2T/e^R", checks.truncation, EVERYWHERE,
          note="T + 1 rows: the lemma counts T and leaves [CLS] out"),
    Claim("fixed-norm", "At a fixed query norm the effect of one bit falls like 1/T", "Section 4.5, after Hahn",
          "slope -1.02 to -0.95 from T = 1,000 to 100,000", checks.fixed_norm, EVERYWHERE),
    Claim("growing-norm", "With a query of norm log(8T/γ) it does not fall", "Section 4.5",
          "≥ 0.648 at every T for s = 3, closed form to 1e-10", checks.growing_norm, EVERYWHERE,
          note="0.648 is from pilot runs of another program"),
    Claim("growth", "Norms of the lookup grow like poly(s), for general functions like 2^(s/2) poly(s)",
          "Proposition 4.12, ours in the exponents", "exponents 1.3, 1.4; 1.9, 1.4; 0.5, 0.76; 1.4, 1.8, each ±0.1",
          checks.growth, EVERYWHERE,
          note="better than the 2^s poly(s) of the text; exponents are from pilot runs of another program"),
    Claim("dual-keys", "With dual vectors for keys and values, nearly orthogonal positions do as well",
          "ours, after A.19", f"networks {TO}, heads ≤ γ/4, ‖W_K‖ ≤ √(s/(1-(s-1)Δ))", checks.dual_keys,
          EVERYWHERE, "ours"),
    Claim("gates", "Two heads and a lookup compute any gate of two bits, with d of order log T", "Section 4.5",
          f"all 16 gates {TO}, d = 64 s² log T", checks.gates, EVERYWHERE),
    Claim("class-average", "Attention can also average over a class of tokens", "Section 4.5, after Proposition 4.12",
          "1-norm from uniform to 1e-12", checks.variant("class average", limit=1e-12), EVERYWHERE),
    Claim("bag-symmetry", "The order of the rows of a bag does not matter", "A.2.1", "to 1e-12",
          checks.variant("bag symmetry", limit=1e-12), EVERYWHERE),
    Claim("shorter", "Two layers suffice with ReLU after W_C, one hidden layer for functions of the number of ones",
          "Remarks after Lemma A.25", TO, checks.variant("folded", "one hidden layer"), EVERYWHERE),
    Claim("entries", "Largest entries of the lookup's weights", "Lemma A.25, corrected", f"equal to the bounds {TO}",
          checks.variant("largest entry of W_1", "largest entry of W_2"), EVERYWHERE, "ours"),
    Claim("circuit", "Two layers compute a gate of two gates", "A.2.1, bag of vectors", f"{TO} on all inputs",
          checks.variant("circuit"), EVERYWHERE),
    Claim("categories", "Tokens of M kinds are selected alike, with M^s points to look up", "A.2.4",
          f"{TO}: 3 and 5 kinds", checks.variant("categories"), EVERYWHERE),
    Claim("corrected", "The statements below, corrected", "A.2", TO, checks.corrected, EVERYWHERE, "ours"),
    Claim("printed-bump", "The bump is 1 near its point and 0 elsewhere", "Lemma A.25, as printed", TO,
          checks.printed("bump"), EVERYWHERE, note="it is 0 at the point; the last two terms are mirrored wrongly"),
    Claim("printed-width", "Boxes of half-width γ/8 hold what is within γ/4", "Lemmas A.22 and A.23, as printed", TO,
          checks.printed("width"), EVERYWHERE, note="γ/4 does"),
    Claim("printed-index", "s heads, values at index 2 and outputs from index 1", "Lemma A.19, as printed",
          "heads within γ/4", checks.printed("index"), EVERYWHERE, note="W_V W_C is 0"),
    Claim("printed-sharpness", "Δ < 1/s is orthogonal enough", "Lemma A.19, as printed", "heads within γ/4",
          checks.printed("sharpness"), EVERYWHERE, note="other tokens can score higher from Δ = 1/(2s-1) on"),
    Claim("printed-keys", "A sum of nearly orthogonal vectors attends to all of them alike",
          "Lemmas A.19 and A.21, as printed", f"heads ≤ γ/4 with the corrected R, networks {TO}", checks.printed_keys,
          EVERYWHERE, note="scores differ by up to 2RsΔ, and R is large"),
    Claim("printed-monotone", "The mean of χ increases with the number of ones", "Lemma A.19, as printed",
          "by 2/s each", checks.printed("monotone"), EVERYWHERE, note="it decreases: χ = +1 for a 0"),
    Claim("printed-entries", "Entries of W_1 are at most max(1, B)/δ", "Lemma A.25, as printed", "ratio ≤ 1",
          checks.printed("first layer"), EVERYWHERE, note="biases add 2"),
    Claim("printed-permutation", "V Π diag(b) gives the same output as V diag(b)", "A.2.1, as printed", TO,
          checks.printed("permutation"), EVERYWHERE, note="rows of diag(b) V may be permuted, vectors may not"),
)  # fmt: skip


# -- figures ----------------------------------------------------------------------------------------------------------


def flips(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """What one relevant bit does, against the context."""
    table = part(frame, "flip").with_columns(panel=pl.lit("s = 3"), query=pl.lit("query norm ") + pl.col("form"))
    return lines(
        table, x="T", y="value", line="form", kind="query", panel="panel", log_x=True, log_y=True,
        title="One relevant bit, and how much it moves the output", x_title="context length T",
        y_title="change of the output", subtitle="exact; a fixed query norm of 3 loses the bit among T others",
    )  # fmt: skip


def weights(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """Norms of the weights against the context, one panel per construction."""
    table = part(frame, "query").with_columns(weight=pl.col("name").replace({"P": "positions, (2,1) norm"}))
    return lines(
        table, x="T", y="value", line="name", kind="weight", panel="kind", columns=3, log_x=True, own_x=False,
        y_domain=(0, 12), title="Norms of the weights that select 3 of T tokens", x_title="context length T",
        y_title="norm",
        subtitle="Frobenius norm of each matrix unless named; exact; equal norms lie on one another",
    )  # fmt: skip


def near(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """Error of the heads over gamma / 4 for positions of random signs, by keys."""
    found = part(frame, "near").filter(pl.col("form") != "dual, smaller R")
    cells = found.group_by("kind", "form", maintain_order=True)
    digits = {"value": pl.col("value").max(), "low": pl.col("value").min(), "high": pl.col("value").max()}
    table = cells.agg(**{name: value.log10() for name, value in digits.items()})
    keys = {"dual": "dual vectors", "keys as printed": "sums of the vectors"}
    return dots(
        table.with_columns(keys=pl.col("form").replace(keys)), x="kind", y="value", low="low", high="high",
        colour="keys", title="Positions that are not quite orthogonal", x_title="construction",
        y_title="log10 of error / (γ/4)",
        subtitle="random signs; largest (dot) and smallest over (T, s); above 0 the lemma fails",
    )  # fmt: skip


def prints(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """Statements of the constructions, as printed and corrected."""
    return printed_figure(frame, "Statements of A.2, as printed and corrected")


STUDY = Study(
    name="juntas/constructions",
    title="Sparse functions as attention and a lookup, built",
    about=__doc__ or "",
    stages=(),
    claims=CLAIMS,
    figures={"flips": flips, "norms": weights, "near": near, "printed": prints},
    compute=compute,
)
