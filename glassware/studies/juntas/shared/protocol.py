"""How the Transformer of chapter 4 is trained on a junta, at each scale, and what a trial of up to five runs is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from glassware.luck.threshold import TRY
from glassware.models import ClsTransformer
from glassware.studies.claim import Scale
from glassware.tasks import Junta
from glassware.training import AdamW, Evaluation, Run

FIRST = 1000  # seeds of trials that are judged; smaller ones are left to trying things out
ACCURATE = 0.00995  # largest error of a success: accuracy above 0.99, on 2,000 examples as on 10,000
STRICT = 0.00495  # above 0.995


def base(length: int, scale: Scale, **task: Any) -> Run:
    """The run at a T, whatever its m: laptop and smoke train shorter, and without dropout on the embedding.

    At paper scale a run goes on until its accuracy is above 0.995, so that success at 0.97, 0.99 and 0.995 can all be
    read off its curve.
    """
    if scale == "smoke":
        model, steps = ClsTransformer(width=8, heads=2, embedding_dropout=0.0), 60
        exam = Evaluation(every=20, test=200, success=0.1)
        task = {"relevant": 1, **task}
    elif scale == "laptop":
        model, steps = ClsTransformer(embedding_dropout=0.0), 300
        exam = Evaluation(every=20, test=2000, success=ACCURATE)
    else:
        model, steps = ClsTransformer(), 1000
        exam = Evaluation(every=10, test=10_000, success=STRICT)
    return Run(
        task=Junta(length=length, **task),
        m=100,  # a full batch needs one; every search and grid puts its own
        model=model,
        optimiser=AdamW(lr=1e-3, weight_decay=1e-4, clip=1.0),
        batch="full",
        steps=steps,
        evaluation=exam,
        seed=FIRST,
    )


def best_error() -> pl.Expr:
    """The smallest test error of a run after its first step."""
    return pl.col("curve_test_error").list.slice(1).list.eval(pl.element().fill_nan(1.0)).list.min()


def reached(frame: pl.DataFrame, error: float) -> pl.DataFrame:
    """The rows with ``success`` as an accuracy of more than 1 - error at some examination."""
    return frame.with_columns(success=best_error() <= error)


def tried_again(frame: pl.DataFrame, tries: int, runs: dict[tuple[int, int], Run]) -> Iterator[Run]:
    """Another try of every trial that has failed so far and has one left: the same data, new first weights.

    Args:
        frame: rows with ``success`` as it is judged.
        tries: runs that a trial may take.
        runs: the run of each T and m.
    """
    each = frame.group_by("length", "m", "seed").agg(pl.col("success").any(), pl.len()).sort("length", "m", "seed")
    for length, m, seed, success, before in each.iter_rows():
        if not success and before < tries and (length, m) in runs:
            run = runs[length, m]
            init = run.init.model_copy(update={"seed": before * TRY + seed})
            yield run.model_copy(update={"seed": seed, "init": init})
