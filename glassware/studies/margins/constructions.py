"""Theorems 7.7 to 7.9 executed: networks of maximum margin, their certificates, and what a missing piece costs.

The theorems give the largest margin of a network on Z_p, on parity and on groups with real irreps, a network that
attains it, and a certificate (Lemmas 7.2 to 7.6) that no other does better. All of it is built and checked here in
float64, without training: margins, ties, widths, certificates; networks without one frequency, one irrep or one sign
pattern; the memorising network of D.4, which classifies as well and has a smaller margin; weightings of wrong labels
that certify nothing; the character table of S_5; and the formulas of the proofs, corrected and as printed.

Grids
    paper, laptop   Z_p for p = 5, 7, 9, 11, 13, 15, 23, 71; (5,2), (6,3), (10,4), (7,5) parity; S_3, S_4, S_5, D_4,
            D_5; of other types Z_4, A_4, Q_8. Memorising networks on Z_5, Z_23, Z_71, S_3, S_4, D_5, A_5.
    smoke   without Z_71, S_5 and A_5.

Decisions where the text is silent
    The formulas need odd p only, so 9 and 15 are there. "Fewer neurons" is not tested: widths of the theorems are
    sufficient, and necessary for parity alone. Weights of wrong labels in the remark before Lemma D.14: equal on
    classes, as the text has it, and equal on labels. Complex and quaternionic irreps are outside the theorems: margins
    and networks for them are ours.
"""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.dots import dots
from glassware.charts.levels import curves_and_levels
from glassware.charts.tiles import tiles
from glassware.studies.claim import Claim, Scale
from glassware.studies.margins import constructions_checks as checks
from glassware.studies.margins.constructions_lemmas import lemma_rows, table_rows
from glassware.studies.margins.constructions_rows import (
    deleted_rows,
    frequency_rows,
    memorising_rows,
    network_rows,
    pattern_rows,
    weighting_rows,
)
from glassware.studies.margins.shared.computed import part
from glassware.studies.study import Study

SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "part": pl.String, "kind": pl.String, "task": pl.String, "form": pl.String, "statement": pl.String,
    "label": pl.String, "nearest": pl.String, "meant": pl.String, "neurons": pl.Int64, "width": pl.Int64,
    "dimension": pl.Int64, "kept": pl.Int64, "common": pl.Int64, "gamma": pl.Float64, "ratio": pl.Float64,
    "formula": pl.Float64, "spread": pl.Float64, "labels": pl.Float64, "share": pl.Float64, "low": pl.Float64,
    "accuracy": pl.Float64, "gap": pl.Float64, "named_gap": pl.Float64, "certified": pl.Boolean,
    "values": pl.List(pl.Float64),
}  # fmt: skip
CLASSES = ("e", "(12)", "(12)(34)", "(123)", "(1234)", "(12345)", "(12)(345)")  # columns of Table D.1


def compute(scale: Scale, seeds: int | None) -> pl.DataFrame:
    """All rows; nothing here is repeated."""
    parts = [network_rows(scale), frequency_rows(scale), deleted_rows(scale), pattern_rows(), memorising_rows(scale),
             weighting_rows(), table_rows(), lemma_rows()]  # fmt: skip
    return pl.DataFrame([row for rows in parts for row in rows], schema=SCHEMA)


EVERYWHERE: tuple[Scale, ...] = ("smoke", "laptop", "paper")
TO = "to 1e-10"
CLAIMS = (
    Claim("margins", "The networks of the theorems have the margin gamma*", "Theorems 7.7, 7.8 and 7.9", TO,
          checks.margins, EVERYWHERE),
    Claim("ties", "All points and all wrong labels tie", "D.6.2, D.7, Lemma D.16", f"{TO} of gamma*", checks.ties,
          EVERYWHERE),
    Claim("widths", "4(p - 1), 2^(k-1) and 2 Σ d³ neurons suffice", "Theorems 7.7, 7.8 and 7.9", "exactly these",
          checks.widths, EVERYWHERE),
    Claim("certificates", "Equations 7.1 and 7.3 and condition C.1 certify them", "Lemma 7.6", "all of them",
          checks.certificates, EVERYWHERE),
    Claim("other-types", "Complex and quaternionic irreps have networks of the same kind", "ours, after Theorem 7.9",
          f"margin, ties and width {TO}, certified", checks.other_types, EVERYWHERE, "ours"),
    Claim("two-margins", "D_4 and Q_8 have one character table and two margins", "ours, after Theorem 7.9",
          "0.01571966 and 0.01237116 to 1e-6", checks.two_margins, EVERYWHERE, "ours"),
    Claim("one-frequency", "One frequency classifies every pair", "Section 7.1, the identity", "accuracy 1 for each",
          checks.one_frequency, EVERYWHERE),
    Claim("common-divisor", "For composite p, frequencies with a common divisor leave ties", "ours, after Section 7.1",
          "smallest margin 0 to 1e-12", checks.common_divisor, EVERYWHERE, "ours"),
    Claim("kept-frequencies", "The margin of k frequencies, and of all but one, in closed form", "ours, after D.6.2",
          TO, checks.kept_frequencies, EVERYWHERE, "ours"),
    Claim("deleted-irreps", "Without one irrep the margin falls as computed", "ours, after Lemma D.16",
          f"closed form {TO}; numbers to 1e-4", checks.deleted_irreps, EVERYWHERE, "ours"),
    Claim("uncertified", "A network without one frequency or irrep is not certified", "Lemma 7.6, D.6.3, D.9.1",
          "none of them", checks.uncertified, EVERYWHERE),
    Claim("patterns", "For parity every sign pattern is needed", "ours, after Theorem 7.8",
          "best margin ≤ 0 without one, -1/9 of gamma* for k = 4", checks.patterns, EVERYWHERE, "ours"),
    Claim("memorising", "A memorising network classifies everything, has flat spectra and a smaller margin", "D.4",
          "accuracy 1, flat to 1e-12, margin < gamma*", checks.memorised, EVERYWHERE),
    Claim("memorising-margin", "Its margin in closed form, 0.28 of gamma* at p = 23", "ours, after D.4", "to 1e-9",
          checks.memorised_ratio, EVERYWHERE, "ours"),
    Claim("uniform-weights", "Weighting wrong labels uniformly leaves sign as the only best irrep of S_n",
          "before Lemma D.14", "the others strictly below, for classes and for labels; bound > gamma*",
          checks.uniform_weights, EVERYWHERE),
    Claim("runners-up", "How far below: 0.884, 0.625, 0.521, 0.456 for S_3 to S_6", "ours, before Lemma D.14",
          "to 1e-3", checks.runners_up, EVERYWHERE, "ours"),
    Claim("tied-characters", "Groups with several 1-dimensional irreps tie there", "ours, before Lemma D.14",
          "D_4 and D_6, to 1e-9", checks.tied_characters, EVERYWHERE, "ours"),
    Claim("character-table", "The characters of S_5", "Table D.1", "each row to 1e-9", checks.character_table,
          EVERYWHERE),
    Claim("lemmas", "The formulas of the proofs, corrected", "D.6, D.9", TO, checks.corrected, EVERYWHERE),
    Claim("printed-labels", "'standard' and 'standard x sign' name these rows", "Table D.1, as printed", "to 1e-9",
          checks.printed_labels, EVERYWHERE, note="the two names are exchanged"),
    Claim("printed-pairs", "Two neurons make a product", "D.6.2 and Lemma D.15, as printed", TO,
          checks.printed("pair of neurons"), EVERYWHERE, note="a factor 4, and b in the place of the second a"),
    Claim("printed-outputs", "Right outputs (p - 1)/2, wrong ones 0", "D.6.2, as printed", TO,
          checks.printed("outputs of D.6.2"), EVERYWHERE, note="2(p - 1) and -2 with amplitudes 1"),
    Claim("printed-budget", "The spectra of a unit neuron have square norm 1", "Section 7.4, outline, as printed", TO,
          checks.printed("Plancherel's budget"), EVERYWHERE, note="it is p"),
    Claim("printed-power", "A pure cosine has normalised power 1", "Figure 7.4, as printed", TO,
          checks.printed("power of a cosine"), EVERYWHERE, note="with frequencies j and -j apart it has 1/2"),
    Claim("printed-transform", "The transform shows every frequency", "D.6.3, as printed", TO,
          checks.printed("transform of D.6.3"), EVERYWHERE, note="all three exponents are j there"),
    Claim("printed-factor", "The weighted margin of a neuron, and its maximum", "Lemmas D.11 and D.13, as printed", TO,
          checks.printed("Lemma D.11", "Lemma D.13"), EVERYWHERE, note="a factor 2, which Theorem 7.9 has"),
    Claim("printed-columns", "Columns of alpha", "Lemma D.13, as printed", TO, checks.printed("rows in Lemma D.13"),
          EVERYWHERE, note="they are its rows"),
    Claim("printed-weights", "The weights of wrong labels", "Lemma D.14, as printed", TO,
          checks.printed("weights of Lemma D.14", "weight of sign", "weight of an irrep", "total weight"), EVERYWHERE,
          note="a minus sign, a reciprocal, |G| and the sizes of classes are missing"),
    Claim("printed-network", "Coefficients, scale and network of the construction", "Lemmas D.15 and D.16, as printed",
          TO, checks.printed("network of Lemma D.15", "length of its neurons", "scale of Lemma D.16"), EVERYWHERE,
          note="unit neurons need sqrt(d / 3|G|) and the scale d^(-1/6); one index is wrong"),
    Claim("printed-constant", "Outputs at wrong labels are -1/Δ³", "equation D.16, middle, as printed", TO,
          checks.printed("equation D.16"), EVERYWHERE),
    Claim("printed-match", "The exchanged match has the same coefficient", "D.9.1, as printed", TO,
          checks.printed("matches of D.9.1"), EVERYWHERE, note="it has 0 there"),
)  # fmt: skip


# -- figures ----------------------------------------------------------------------------------------------------------


def frequencies(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Margin over gamma* against the share of frequencies in use, one line per p."""
    found = part(frame, "kept").filter(pl.col("task").is_in(["Z_7", "Z_13", "Z_23", "Z_71"]))
    curves = found.select(panel="task", run=pl.lit(0), x=100 * pl.col("share"), y="ratio")
    names = curves["panel"].unique(maintain_order=True).to_list()
    return curves, pl.DataFrame([{"panel": name, "kind": "largest margin γ*", "level": 1.0} for name in names])


def weightings(frame: pl.DataFrame) -> pl.DataFrame:
    """The best neuron of each irrep of S_5 under three weightings."""
    found = part(frame, "weighting", task="S_5")
    return found.select("ratio", irrep="label", weights="form")


def table_tiles(frame: pl.DataFrame) -> pl.DataFrame:
    """Table D.1 with the irreps that its rows are."""
    rows = [
        {"panel": "S_5", "row": f"{name}  →  {nearest}", "column": column, "value": value, "text": f"{value:g}"}
        for name, nearest, values in part(frame, "table").select("label", "nearest", "values").iter_rows()
        for column, value in zip(CLASSES, values, strict=True)
    ]
    return pl.DataFrame(rows)


def gaps(frame: pl.DataFrame) -> pl.DataFrame:
    """Largest distance of a statement in both forms, in decimal digits; what is exactly 0 is drawn at the last one."""
    found = part(frame, "lemma").filter(pl.col("statement") != "equation D.3")
    cells = found.group_by("statement", "form", maintain_order=True)
    shown = cells.agg(value=pl.col("gap").max(), low=pl.col("gap").min(), high=pl.col("gap").max())
    digits = [pl.max_horizontal(pl.col(column), pl.lit(1e-17)).log10() for column in ("value", "low", "high")]
    return shown.with_columns(*digits)


STUDY = Study(
    name="margins/constructions",
    title="Networks of maximum margin, built and certified",
    about=__doc__ or "",
    stages=(),
    claims=CLAIMS,
    figures={
        "frequencies": lambda frame: curves_and_levels(
            *frequencies(frame), title="Z_p: margin of the first frequencies alone", measured="frequencies 1 .. k",
            subtitle="one frequency classifies every pair; only all of them reach γ*", x_title="frequencies in use (%)",
            y_title="margin / γ*", y_domain=(0.0, 1.05),
        ),
        "memorising": lambda frame: dots(
            part(frame, "memorising").rename({"task": "group", "form": "output weights"}),
            x="group", y="ratio", low="ratio", high="ratio", colour="output weights",
            title="The memorising network of D.4", x_title="group", y_title="margin / γ*",
            subtitle="exact; balanced: all weights of a neuron are equal; printed: output weights are 1/4",
        ),
        "weightings": lambda frame: dots(
            weightings(frame), x="irrep", y="ratio", low="ratio", high="ratio", colour="weights",
            title="S_5: the best neuron in each irrep, by the weights of wrong labels",
            subtitle="exact; a weighting certifies γ* only if its largest value is 1", x_title="irrep",
            y_title="expected weighted margin / γ*",
        ),
        "table": lambda frame: tiles(
            table_tiles(frame),
            scale=alt.Scale(scheme="redblue", domain=[-6, 6]), title="Table D.1, and whose rows they are",
            x_title="class", y_title="name in the table → irrep", value_title="character", tile_width=74,
        ),
        "printed": lambda frame: dots(
            gaps(frame), x="statement", y="value", low="low", high="high", colour="form",
            title="Formulas of the proofs, corrected and as printed",
            subtitle="distance from equality, largest and smallest over the cases", x_title="statement",
            y_title="log10 of the distance",
        ),
    },
    compute=compute,
)  # fmt: skip
