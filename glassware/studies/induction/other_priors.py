"""On its plateau a model predicts by frequency: good on unigram chains, useless on doubly stochastic ones (Figure E.6).

Models trained on chains from the flat prior are examined on two others along training. Where all rows of the matrix
are equal (unigram) frequencies are all there is to know; where all tokens are equally frequent (doubly stochastic) they
say nothing. While a model is at unigrams the loss on the first kind is low, and on the second as high as that of a
uniform guess; it falls there only at the second drop.

Grids
    laptop  the transformers of ``induction/transformer`` (k = 2 and k = 3, 4 seeds each); the minimal model with k = 3,
            t = 100, SGD at 0.002, 1,500 steps, a checkpoint every 20 (4 seeds); 1,024 chains of either other prior.
    paper   its transformers, and 10 seeds of the minimal model.
    smoke   seconds, for the tests: k = 2, t = 20.

Decisions where the text is silent
    Labels are the true transition probabilities. "On its plateau" is the checkpoint with the smallest distance to
    unigrams; final is the mean of the last three checkpoints. Levels are those of the same chains. The caption's
    stationary law of doubly stochastic chains is the uniform one.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl

from glassware.charts.backend import alt
from glassware.charts.lines import lines
from glassware.charts.theme import CATEGORIES, DENSE, SPARSE
from glassware.models import MinimalInduction
from glassware.studies.claim import Claim, Scale
from glassware.studies.induction import transformer
from glassware.studies.induction.shared.levels import row_task, strategy_levels
from glassware.studies.induction.shared.phases import LAST, curve
from glassware.studies.induction.shared.runs import minimal_run, repeat
from glassware.studies.induction.transformer_figures import named_panels
from glassware.studies.lanes import Measure, Row, each_lane, lanes
from glassware.studies.study import Study
from glassware.studies.verdict import Finding, all_of, at_least, at_most
from glassware.training import Run

EXAMINED = 1024  # chains of either other prior, as the probe has it
LENGTH = 100  # t of the runs that are judged
TRANSFORMER, MINIMAL = "causal-transformer", "minimal-induction"
PRIORS = {"dirichlet": "truth_distance", "unigram": "truth_distance_unigram"}
STOCHASTIC = "truth_distance_doubly_stochastic"
HUES = {"flat prior (trained on)": DENSE, "unigram": SPARSE, "doubly stochastic": CATEGORIES[2]}


def runs(scale: Scale, seeds: int | None, rows: pl.DataFrame) -> list[Run]:
    """Transformers, and the minimal model."""
    small = {"steps": 40, "length": 20, "test": 64} if scale == "smoke" else {}
    one = minimal_run(2 if scale == "smoke" else 3, MinimalInduction(v=0.01), **small)
    one = one.model_copy(update={"probes": ("other_priors", "strategies")})
    own = {"smoke": 2, "laptop": 4, "paper": 10}[scale]
    return [*transformer.runs(scale, seeds, rows), *repeat(one, seeds or own)]


def frequencies_on_plateau(frame: pl.DataFrame) -> Finding:
    """Losses of transformers on both priors where they are nearest to unigrams."""
    return _each(frame, TRANSFORMER, *_plateau())


def frequencies_on_plateau_minimal(frame: pl.DataFrame) -> Finding:
    """Losses of the minimal model on both priors where it is nearest to unigrams."""
    return _each(frame, MINIMAL, *_plateau())


def falls_at_the_end(frame: pl.DataFrame) -> Finding:
    """The final loss of transformers on doubly stochastic chains over the uniform level."""
    return _each(frame, TRANSFORMER, _end(0.4))


def falls_at_the_end_minimal(frame: pl.DataFrame) -> Finding:
    """The final loss of the minimal model on doubly stochastic chains over the uniform level."""
    return _each(frame, MINIMAL, _end(0.6))


def losses(frame: pl.DataFrame) -> alt.TopLevelMixin | None:
    """KL(truth || model) along training on three priors."""
    words = {TRANSFORMER: "transformer", MINIMAL: "minimal model"}
    named = [(f"{words[row['model']]}, k = {row['states']}", row) for row in lanes(frame) if row["model"] in words]
    points = [
        pl.DataFrame({"step": np.array(row["curve_step"], float), "loss": curve(row, column)}).with_columns(
            panel=pl.lit(panel), run=pl.lit(str(row["id"])), kind=pl.lit(kind)
        )
        for panel, row in named_panels(named)
        for kind, column in zip(HUES, [*PRIORS.values(), STOCHASTIC], strict=True)
    ]
    if not points:
        return None
    return lines(
        pl.concat(points), x="step", y="loss", line="run", kind="kind", panel="panel", colours=HUES, columns=3,
        title="On the plateau unigram chains are learned, doubly stochastic ones are not", x_title="training step",
        y_title="mean KL(truth || model), nats",
        subtitle=f"one line per seed; trained on the flat prior, {EXAMINED:,} chains of either other prior",
    )  # fmt: skip


# -- shared -----------------------------------------------------------------------------------------------------------


def _each(frame: pl.DataFrame, model: str, *measures: Measure) -> Finding:
    """Every lane of a model, by the number of states."""
    found = {k: lanes(frame, length=LENGTH, states=k, model=model) for k in ((2, 3) if model == TRANSFORMER else (3,))}
    each = {k: each_lane(rows, 4, *measures) for k, rows in found.items()}
    return all_of([*each.values()], "; ".join(f"k = {k}: {finding.detail}" for k, finding in each.items()))


def _plateau() -> tuple[Measure, Measure]:
    at = lambda row: int(np.argmin(curve(row, "distance_unigram")))
    unigram = lambda row: curve(row, PRIORS["unigram"])[at(row)]
    stochastic = lambda row: curve(row, STOCHASTIC)[at(row)] / _uniform(row)
    return (
        Measure("loss on unigram chains", unigram, at_most(0.05)),
        Measure("doubly stochastic over the uniform level", stochastic, at_least(0.9)),
    )


def _end(most: float) -> Measure:
    share = lambda row: curve(row, STOCHASTIC)[-LAST:].mean() / _uniform(row)
    return Measure("final on doubly stochastic chains over the uniform level", share, at_most(most))


def _uniform(row: Row) -> float:
    """The level of guessing on doubly stochastic chains."""
    return strategy_levels(row_task(row).with_prior("doubly-stochastic"), EXAMINED)["uniform"]


_claim = partial(Claim, where="Figure E.6")
CLAIMS = (
    _claim(
        "fe6-plateau",
        "On the plateau the transformer knows unigram chains, and guesses on doubly stochastic ones",
        threshold="where nearest to unigrams: ≤ 0.05 nats on unigram chains, ≥ 0.9 of the uniform level on doubly "
        "stochastic ones, k = 2 and k = 3, every seed",
        check=frequencies_on_plateau,
    ),
    _claim(
        "fe6-end",
        "The transformer's loss on doubly stochastic chains falls in the end",
        threshold="final ≤ 0.4 of the uniform level, k = 2 and k = 3, every seed",
        check=falls_at_the_end,
    ),
    _claim(
        "fe6-minimal-plateau",
        "On the plateau the same is true of the minimal model",
        threshold="where nearest to unigrams: ≤ 0.05 nats on unigram chains, ≥ 0.9 of the uniform level on doubly "
        "stochastic ones, k = 3, every seed",
        check=frequencies_on_plateau_minimal,
    ),
    _claim(
        "fe6-minimal-end",
        "The minimal model's loss on doubly stochastic chains falls in the end",
        threshold="final ≤ 0.6 of the uniform level, k = 3, every seed",
        check=falls_at_the_end_minimal,
    ),
)

STUDY = Study(
    name="induction/other-priors",
    title="Transformers and minimal models on chains of other priors",
    about=__doc__ or "",
    stages=(runs,),
    claims=CLAIMS,
    figures={"losses": losses},
)
