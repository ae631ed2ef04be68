"""How many functions bounded attention can compute: covering numbers, Lipschitz lemmas, shattering, samples (4.4, A.1).

Do the bounds of chapter 4 bound what they say, and do they grow with the context like log T? Every lemma is executed:
its inequality on random weights and at the steepest inputs we know, its cover built for a tiny class, its formula
against a numerical search. Covering numbers of classes that can be written down are found by brute force and must not
exceed the bounds. A lower bound is executed too: heads of unbounded norm give log2 T sequences all labelings. Then the
norms of the constructions (``juntas/constructions``) go through the bounds to a number of samples. Nothing is trained.

Grids
    laptop  2,000 draws per inequality and 1,500 functions per class; T up to 2,048 for Rademacher complexities (20 sets
            of inputs with 20 signs each, m = 32), up to 1,024 for shattering, to 2^1000 for samples.
    paper   also 100 sets of inputs, and shattering at T = 2^14.
    smoke   150 draws, 300 functions, T up to 256.

Decisions where the text is silent
    Constants hidden by ≲ are those of the proofs (36 in Lemma A.10); Dudley's constant is 12. A bound up to constants
    is returned with the constant 1 and judged by its growth only. Classes are compared by packings at twice the error,
    which no cover can undercut. Numbers of samples are vacuous in size: only their exponents are judged. Error 0.1,
    confidence 95%, losses at most 1. Fixed norms have a query of norm 5.
"""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.dots import dots
from glassware.charts.lines import lines
from glassware.studies.claim import Claim, Scale
from glassware.studies.computed import part
from glassware.studies.juntas import bounds_checks as checks
from glassware.studies.juntas.bounds_brute import brute_rows, built_rows, composed_rows, lipschitz_rows, tool_rows
from glassware.studies.juntas.bounds_printed import printed_rows
from glassware.studies.juntas.bounds_rows import cover_rows, match_rows, rademacher_rows, sample_rows, shatter_rows
from glassware.studies.juntas.printed_figure import printed_figure
from glassware.studies.study import Study

SCHEMA: dict[str, type[pl.DataType]] = {
    "part": pl.String, "name": pl.String, "form": pl.String, "kind": pl.String, "T": pl.Int64, "x": pl.Float64,
    "value": pl.Float64, "wanted": pl.Float64, "gap": pl.Float64,
}  # fmt: skip


def compute(scale: Scale, seeds: int | None) -> pl.DataFrame:
    """All rows; nothing here is repeated."""
    parts = (tool_rows(scale), lipschitz_rows(scale), cover_rows(), match_rows(), brute_rows(scale), composed_rows(),
             built_rows(), rademacher_rows(scale), shatter_rows(scale), sample_rows(), printed_rows())  # fmt: skip
    return pl.DataFrame([row for rows in parts for row in rows], schema=SCHEMA)


EVERYWHERE: tuple[Scale, ...] = ("smoke", "laptop", "paper")
KEPT = "limit exceeded by ≤ 1e-9 of it"
CLAIMS = (
    Claim("tools", "Norm inequalities, the projection and softmax keep their constants, which are the best ones",
          "A.1.2, ours in the tightness", "ratios ≤ 1, each ≥ 0.999", checks.tools, EVERYWHERE,
          note="for softmax the constant is 1; Corollary A.7 has 2"),
    Claim("normalisers", "Softmax and a positive kernel keep C_Norm ≤ 2 for every T; sparsemax does not",
          "Assumption 4.5, ours for the others", "2(1-1/T), 2(1-1/T) and 2(T-1), to 1e-3", checks.normalisers,
          EVERYWHERE),
    Claim("lipschitz", "The Lipschitz lemmas, for tokens of any length", "Lemmas 4.7, A.13 to A.16, budget of A.17",
          "left over right side 0.2 to 1, A.13 ≥ 0.5", checks.lipschitz, EVERYWHERE,
          note="A.14 and A.17 corrected; 0.2 was chosen after rows were seen"),
    Claim("steepness", "On longer tokens attention is steeper, like B_X²: no constant serves all of them",
          "Section 4.4, ours in the power", "power 1.99 to 2.01", checks.steepness, EVERYWHERE, "ours"),
    Claim("log-growth", "Bounds grow like log T", "Corollary 4.9, Lemma 4.10, Theorem 4.11",
          "last doubling of T over the first, 2^4 to 2^21: 1 up to constants, 0.88 to 1 with them", checks.log_growth,
          EVERYWHERE, note="the limit 0.88 was known to hold in pilot runs of another program"),
    Claim("powers", "Bounds grow like ε^-2, and like the cube of the number of heads", "Corollary 4.9, Lemma A.12",
          "powers 2 and 3 to 1e-9", checks.powers, EVERYWHERE),
    Claim("formulas", "Closed forms of the proofs are what searches and quadratures find",
          "Corollary A.3, Lemma A.8, splits of 4.10 and A.17", "to 1e-6",
          checks.match("A.3", "A.7", "A.8", "split of 4.10", "A.17", limit=1e-6), EVERYWHERE, note="A.17 corrected"),
    Claim("maurey", "Maurey's averages have the mean square error (B‖v‖₁ - ‖v‖²)/K", "Lemma 4.10, proof", "to 1%",
          checks.match("Maurey", limit=0.01), EVERYWHERE),
    Claim("never-below", "No bound is below a covering number found by brute force", "ours, after Definition 4.1",
          "log packing ≤ bound for every class, smallest cover of an interval exact", checks.never_below, EVERYWHERE,
          "ours", "what fails the same test: printed-4.2, printed-4.10"),
    Claim("built-cover", "The cover that the proof builds covers, and is no larger than the bound", "Lemma 4.10, proof",
          "uncovered 0.2 to 1 of ε; packing ≤ smallest ≤ built ≤ bound", checks.built_cover, EVERYWHERE,
          note="0.2 was chosen after rows were seen"),
    Claim("composed", "Covers of scores and values make a cover of heads, smallest covers of a finite class throughout",
          "Theorem 4.6", "log of the head's ≤ sum of both, for every split", checks.composed, EVERYWHERE),
    Claim("rademacher-growth", "The complexity of T selectors grows like √log T", "Section 4.4, ours in the numbers",
          "T = 128 over T = 8: 1.45 to 1.75", checks.rademacher_grows, EVERYWHERE, "ours",
          "limits set in pilot runs of another program"),
    Claim("rademacher-bound", "It keeps the bound for 2T functions", "ours, after A.1.1", "0.5 to 1 of √(2 log(2T)/m)",
          checks.rademacher_bounded, EVERYWHERE, "ours", "0.5 was chosen after rows were seen"),
    Claim("shatters", "Heads of norm T² give ⌊log2 T⌋ sequences all labelings, T a power of 2 or not",
          "Proposition 4.8", "margins 0.2 to 0.5, attention ≥ 0.99, with and without tanh", checks.shatters,
          EVERYWHERE, note="0.2 was chosen after rows were seen; any margin above 0 shatters"),
    Claim("margins", "At norm c the lowest digit has margin exp(-T²/8c)", "ours, after Proposition 4.8", "to 1%",
          checks.margins, EVERYWHERE, "ours", "so shattering with any fixed margin needs a fixed share of T²"),
    Claim("sine", "One real parameter gives 10 points all labelings", "Section 4.4.2, footnote", "all 1,024",
          checks.sine, EVERYWHERE),
    Claim("samples-fixed", "With norms held fixed the samples needed grow no faster than log T", "Sections 4.4 and 4.5",
          "local exponent in log T > 0 and ≤ 1, six constructions, T to 2^1000", checks.fixed_norms, EVERYWHERE),
    Claim("samples-constructions", "With the norms of a construction they grow faster, and ever more so",
          "ours, after Section 4.5", "one head: local exponents 1.5 to 3 from T = 2^8 to 2^40, rising",
          checks.grown_norms, EVERYWHERE, "ours", "limits set in pilot runs of another program"),
    Claim("samples-cubed", "In the end like log³ T", "ours, after Section 4.5", "local exponent 2.8 to 3 at T = 2^1000",
          checks.cubed, EVERYWHERE, "ours",
          "‖W_Q‖ = log(8T/γ) enters squared, beside log(dmT); 2.8 was chosen after rows were seen"),
    Claim("corrected", "The statements below, corrected", "4.4, A.1", KEPT, checks.corrected, EVERYWHERE, "ours"),
    Claim("printed-4.2", "Linear functions have at most B²/ε² log(..) members in a cover", "Section 4.2, as printed",
          KEPT, checks.printed("4.2"), EVERYWHERE, note="that many in its logarithm; 3^10 functions are apart"),
    Claim("printed-4.10", "(B_X B_W/ε)² log(d₁N) bounds the cover", "Lemma 4.10, last line, as printed", KEPT,
          checks.printed("4.10"), EVERYWHERE, note="it is 0 for one row and one input, an interval"),
    Claim("printed-rows", "Sums over rows end at d₂", "Lemma 4.10, proof, as printed", KEPT,
          checks.printed("rows of 4.10"), EVERYWHERE, note="at d₁"),
    Claim("printed-4.9", "A score differs by what W_QK x_τ does", "Corollary 4.9, proof, as printed", KEPT,
          checks.printed("4.9"), EVERYWHERE, note="times ‖x_t‖ ≤ B_X, here 8"),
    Claim("printed-A.14", "Attention stretches inputs by ‖W_V‖(1 + 4‖W_QK‖) at most", "Lemma A.14, as printed", KEPT,
          checks.printed("A.14"), EVERYWHERE, note="for tokens of length ≤ 1; else 4B_X², here B_X = 8"),
    Claim("printed-activations", "W_C reads activations of length ≤ 1", "Theorem A.17, as printed", KEPT,
          checks.printed("activations"), EVERYWHERE, note="of length L_σ, here 3"),
    Claim("printed-order", "An error in layer i grows by the layers before it", "Theorem A.17, as printed", KEPT,
          checks.printed("order of A.17"), EVERYWHERE, note="by those after it"),
    Claim("printed-A.17", "The size of the whole cover", "Theorem A.17, as printed", KEPT,
          checks.printed("sum of A.17"), EVERYWHERE, note="d^(2/3) and k^(2/3) do not belong there, B_w is missing"),
    Claim("printed-denominator", "The sum of all exponentials", "Proposition 4.8, proof, as printed", KEPT,
          checks.printed("denominator"), EVERYWHERE, note="for even T the token opposite is left out; harmless"),
)  # fmt: skip


# -- figures ----------------------------------------------------------------------------------------------------------


def samples(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """Logarithm of the samples that the bounds ask for against log T, with slopes 1 and 3 for comparison."""
    found = part(frame, "samples").filter(pl.col("x") <= 40)
    drawn = found.with_columns(m=(pl.col("value").exp()), panel=pl.col("kind"))
    return lines(
        drawn, x="x", y="m", line="kind", kind="form", panel="panel", columns=3, log_x=True, log_y=True, own_x=False,
        title="Examples that the bounds ask for: their growth with the context", x_title="log2 T", y_title="examples m",
        subtitle="s = 3, error 0.1; vacuous in size; both axes logarithmic, so slopes are powers of log T",
    )  # fmt: skip


def complexity(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """Rademacher complexity of T selectors and its bound."""
    cells = part(frame, "rademacher").group_by("T", maintain_order=True)
    error = 1.96 * pl.col("value").std() / pl.len().sqrt()
    mean = cells.agg(pl.col("value").mean().alias("y"), error.alias("error"), pl.col("wanted").first())
    context = pl.col("T").map_elements("{:,}".format, pl.String).alias("context")
    measured = mean.select(context, "y", low=pl.col("y") - pl.col("error"), high=pl.col("y") + pl.col("error"),
                           functions=pl.lit("T selectors, both signs"))  # fmt: skip
    bound = mean.select(context, y="wanted", low="wanted", high="wanted", functions=pl.lit("any 2T, at most"))
    return dots(
        pl.concat([measured, bound]), x="context", y="y", low="low", high="high", colour="functions",
        title="Rademacher complexity of heads that select one of T tokens", x_title="context length T",
        y_title="complexity", subtitle="m = 32 sequences of random bits; mean and 95% interval over sets of inputs",
    )  # fmt: skip


def margin(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """Margin of the lowest digit against the query norm."""
    found = part(frame, "margin").with_columns(panel=pl.format("T = {}", "T"), share=100 * pl.col("x"))
    table = pl.concat([found.select("panel", "share", y=column, what=pl.lit(what)) for column, what in
                       (("wanted", "exp(-T²/8c)"), ("value", "measured"))])  # fmt: skip
    return lines(
        table.with_columns(line=pl.col("what")), x="share", y="y", line="line", kind="what", panel="panel", columns=2,
        log_y=True, title="Shattering with a margin needs a query norm of order T²", x_title="query norm c (% of T²)",
        y_title="margin of the lowest digit", subtitle="exact; both lines nearly coincide",
    )  # fmt: skip


def brute(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """Packings found by brute force and bounds, as logarithms of logarithms."""
    found = part(frame, "brute").filter(pl.col("x").is_in([0.5, 0.2, 0.08]))
    sides = [found.select("name", size=pl.lit(size), y=pl.col(column).log10()) for size, column in
             (("packing, by brute force", "value"), ("bound, with its constants", "wanted"))]  # fmt: skip
    cells = pl.concat(sides).group_by("name", "size", maintain_order=True)
    table = cells.agg(pl.col("y").median(), low=pl.col("y").min(), high=pl.col("y").max())
    return dots(
        table, x="name", y="y", low="low", high="high", colour="size", title="Covers of tiny classes",
        x_title="class", y_title="log10 of log N", subtitle="errors 0.5, 0.2, 0.08: median, smallest and largest",
    )  # fmt: skip


def prints(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """Statements of the bounds, as printed and corrected."""
    return printed_figure(frame, "Statements of 4.2, 4.4 and A.1, as printed and corrected")


STUDY = Study(
    name="juntas/bounds",
    title="Capacity of bounded attention: covers, lemmas, shattering, samples",
    about=__doc__ or "",
    stages=(),
    claims=CLAIMS,
    figures={"samples": samples, "complexity": complexity, "margin": margin, "brute": brute, "printed": prints},
    compute=compute,
)
