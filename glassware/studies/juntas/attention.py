"""A trained head attends to the hidden bits, where one of them is 0 (Figure 4.3, right).

One head learns the AND of 3 of 50 bits. The text shows its weights from [CLS] on 100 examples: approximately zero on
all bits but the three. On examples of class 0, which have a 0 among the three, that is so. On examples of class 1 there
is no such 0, and the head looks anywhere: its weights are reported by class.

Grids
    laptop  T = 50, m = 300, I = {5, 20, 30}, one head, d = k = 64, 500 full-batch steps without dropout on the
            embedding, 8 seeds; attention on 1,000 held-out examples, accuracy on 10,000.
    paper   the same with all dropouts, 20 seeds. The text shows one.
    smoke   seconds, for the tests: the value of 1 of 12 bits, two small heads, 40 steps.

Decisions where the text is silent
    I counts from 1. "Approximately zero" is a mean weight per irrelevant bit of at most 0.6 of the uniform one,
    1 / (T + 1). Weights are those without dropout. [CLS] attends to itself as well; that weight is printed.
"""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.theme import CATEGORIES, MUTED, heading, inline
from glassware.models import ClsTransformer
from glassware.studies.claim import Claim, Scale
from glassware.studies.juntas.shared.training import ACCURATE, full_batch, repeat, tiny_run
from glassware.studies.lanes import Measure, Row, each_lane, lanes
from glassware.studies.study import Study
from glassware.studies.verdict import Finding, at_least, at_most
from glassware.tasks import Junta
from glassware.training import Evaluation, Run

LENGTH, SUPPORT = 50, (4, 19, 29)
PROBE = ("selection",)


def runs(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """One head, trained on 300 examples."""
    if scale == "smoke":
        return repeat(tiny_run(support=(4,)).model_copy(update={"probes": PROBE}), seeds or 4)
    model = ClsTransformer(heads=1, d_attn=64, embedding_dropout=0.1 if scale == "paper" else 0.0)
    exam = Evaluation(every=50, test=10_000, success=ACCURATE, stop=False)
    run = full_batch(Junta(length=LENGTH, support=SUPPORT), 300, model, 500, exam, probes=PROBE)
    return repeat(run, seeds or (20 if scale == "paper" else 8))


# -- claims -----------------------------------------------------------------------------------------------------------

SELECTED = Measure("share on I, class 0", lambda row: row["selected_0"], at_least(0.95))
LOOSER = Measure("share on I, class 0", lambda row: row["selected_0"], at_least(0.9))
ZEROS = Measure("weight of a hidden 0", lambda row: row["zero_weight"], at_least(0.5))


def irrelevant(frame: pl.DataFrame) -> Finding:
    """The error on held-out examples, the mean weight of an irrelevant bit over the uniform one, that of a hidden 0."""
    relative = lambda row: row["irrelevant_weight"] * (LENGTH + 1)
    right = Measure("held-out error", lambda row: row["test_error"], at_most(0.0))
    return _most(frame, right, Measure("weight of an irrelevant bit / uniform", relative, at_most(0.6)), ZEROS)


def selects(frame: pl.DataFrame) -> Finding:
    """Weights on examples of class 0."""
    dropped = bool(len(frame)) and "embedding_dropout" in frame.columns and frame["embedding_dropout"].max() > 0  # type: ignore[operator]
    return _most(frame, LOOSER if dropped else SELECTED)


def by_class(frame: pl.DataFrame) -> Finding:
    """The share on I of class 0 less that of class 1."""
    difference = lambda row: row["selected_0"] - row["selected_1"]
    reported = Measure("share on I, class 1", lambda row: row["selected_1"], at_least(0.0))
    return _most(frame, Measure("share on I, class 0 - class 1", difference, at_least(0.3)), reported)


def _most(frame: pl.DataFrame, *measures: Measure) -> Finding:
    """6 of 8 seeds, 16 of 20."""
    rows: list[Row] = lanes(frame, length=LENGTH) if "selected_0" in frame.columns else []
    return each_lane(rows, 8, *measures, need=16 if len(rows) >= 20 else 6)


FOUND = "chosen on pilot runs of another program"
WHERE = "Figure 4.3, right"
CLAIMS = (
    Claim(
        "f3r-irrelevant",
        "One head learns the AND of 3 of 50 bits, and attends to irrelevant ones approximately not at all",
        WHERE,
        "right on 10,000 examples; an irrelevant bit has ≤ 0.6 of uniform, a hidden 0 ≥ 0.5; 6 of 8 (16 of 20)",
        irrelevant,
        note=f"over examples of both classes; 0.6 and 0.5 were {FOUND}",
    ),
    Claim(
        "f3r-class-0",
        "Where a hidden bit is 0, attention is on the hidden bits",
        WHERE,
        "share on I ≥ 0.95 on class 0 (≥ 0.9 with dropout on embeddings), 6 of 8 seeds (16 of 20)",
        selects,
        note=f"limits were {FOUND}",
    ),
    Claim(
        "f3r-class-1",
        "Where no hidden bit is 0, attention leaves the hidden bits",
        "ours; the text's figure does not tell the classes apart",
        "share on I on class 0 exceeds that on class 1 by ≥ 0.3, 6 of 8 seeds (16 of 20)",
        by_class,
        source="ours",
        note=f"0.3 was {FOUND}",
    ),
)


# -- figure -----------------------------------------------------------------------------------------------------------


def weights(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """The first seed's attention to every bit, one dot per example and position, by class."""
    if "attention" not in frame.columns:
        return None
    row = frame.sort("seed").row(0, named=True)
    hidden = set(row["support"])
    records = [
        {
            "position": t + 1,
            "weight": round(weight, 4),
            "bit": "hidden" if t in hidden else "irrelevant",
            "class": f"class {label:.0f}",
        }
        for label, shares in zip(row["attention_class"], row["attention"], strict=True)
        for t, weight in enumerate(shares[:-1])
    ]
    colour = alt.Scale(domain=["hidden", "irrelevant"], range=[CATEGORIES[0], MUTED])
    dots = alt.Chart(inline(records)).mark_circle(size=18, opacity=0.5).encode(
        x=alt.X("position:Q", title="position", scale=alt.Scale(domain=[0, row["length"] + 1], nice=False)),
        y=alt.Y("weight:Q", title="attention from [CLS]", scale=alt.Scale(domain=[0, 1])),
        color=alt.Color("bit:N", scale=colour, legend=alt.Legend(title="bit", symbolOpacity=1)),
    )  # fmt: skip
    what = f"AND of {row['relevant']} of {row['length']} bits, m = {row['m']}, one head"
    said = f"{what}; 100 held-out examples; seed {row['seed']}"
    return dots.properties(width=330, height=220).facet(alt.Facet("class:N", title=None), columns=2).properties(
        title=heading("A head attends to hidden bits where one of them is 0", said)
    )  # fmt: skip


STUDY = Study(
    name="juntas/attention",
    title="Attention of a trained head on the hidden bits",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"weights": weights},
)
