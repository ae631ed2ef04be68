"""How the Transformer of chapter 4 is trained on a junta, at each scale, and what a trial of up to five runs is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from glassware.luck.threshold import TRY
from glassware.studies.claim import Scale
from glassware.studies.juntas.shared.training import ACCURATE, FIRST_SEED, NETWORK, SHORTER, full_batch, tiny_run
from glassware.tasks import Junta
from glassware.training import Evaluation, Run

STRICT = 0.00495  # an accuracy above 0.995
SMOKE = (17, 24)  # sample sizes of smoke scale: one compiled program serves them all


def base(length: int, scale: Scale, **task: Any) -> Run:
    """The run at a T, whatever its m: laptop and smoke train shorter, and without dropout on the embedding.

    At paper scale a run goes on until its accuracy is above 0.995, so that success at 0.97, 0.99 and 0.995 can all be
    read off its curve.
    """
    if scale == "smoke":
        run = tiny_run()
    elif scale == "laptop":
        exam = Evaluation(every=20, test=2000, success=ACCURATE)
        run = full_batch(Junta(length=length, **task), 100, SHORTER, 300, exam)
    else:
        exam = Evaluation(every=10, test=10_000, success=STRICT)
        run = full_batch(Junta(length=length, **task), 100, NETWORK, 1000, exam)
    return run.model_copy(update={"seed": FIRST_SEED})


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
