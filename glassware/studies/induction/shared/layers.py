"""Transformers as chapter 8 trains them, and what their rows say about the layers."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from glassware.foundation.arrays import Float
from glassware.models import CausalTransformer
from glassware.studies.induction.shared.phases import curve, first_step
from glassware.studies.lanes import Row
from glassware.tasks import MarkovChain
from glassware.training import AdamW, Evaluation, Run

DECAYED = ("*.q", "*.k", "*.v", "*.out", "*.into", "*.back", "*.w")  # matrices; no embedding, no position, no norm
RATES = {"plain": 3e-3, "normed": 5e-4}
HALF = 0.5  # of a score from which on a layer counts as formed


def probed_run(
    states: int,
    *,
    form: Literal["plain", "normed"] = "plain",
    steps: int,
    length: int = 100,
    test: int = 2048,
    every: int = 25,
    probes: tuple[str, ...],
    keep_every: int | None = None,
    batch: int = 64,
) -> Run:
    """A transformer with two layers of one head, width 16, trained on new chains from the flat prior.

    Args:
        states: k.
        form: ``plain``, the formula as printed, learns faster; ``normed`` has layer norms and an output projection.
        steps: of AdamW, with weight decay on matrices alone.
        length: t.
        test: held-out chains.
        every: steps between checkpoints.
        probes: beside one that measures the distance from the truth, which they must include.
        keep_every: steps between checkpoints whose weights are kept; none unless given.
        batch: chains per step.
    """
    optimiser = AdamW(lr=RATES[form], b2=0.95, weight_decay=0.1, decayed=DECAYED)
    # The measure only saves a second look at the held-out chains: nobody asks which runs succeed.
    evaluation = Evaluation(
        every=every, test=test, measure="truth_distance", direction="below", success=0.05, stop=False
    )
    return Run(
        task=MarkovChain(states=states, length=length), model=CausalTransformer(form=form), optimiser=optimiser,
        batch=batch, steps=steps, evaluation=evaluation, probes=probes,
        keep=tuple(range(0, steps + 1, keep_every)) if keep_every else (),
    )  # fmt: skip


def kept_steps(row: Row) -> list[int]:
    """The steps whose weights a run has kept along the way."""
    return [int(step) for step in row["keep"] if step not in ("first", "final")]


def transplant_curve(row: Row) -> Float[np.ndarray, " steps"]:
    """How well the second layer of each kept step works behind the first layer of the end."""
    return np.array(row["transplant_norm"], float)


def second_formed(row: Row) -> float:
    """The first kept step whose second layer works behind the first layer of the end; NaN where there is none."""
    over = np.flatnonzero(transplant_curve(row) > HALF)
    return float(kept_steps(row)[over[0]]) if len(over) else math.nan


def first_formed(row: Row) -> float:
    """The first step at which the first layer looks at the previous token; NaN where there is none."""
    return first_step(row, "prev_score", HALF)


def lead_of_second(row: Row) -> float:
    """Steps by which the second layer is formed before the first."""
    return first_formed(row) - second_formed(row)


def steepest(row: Row, name: str, falls: bool = False) -> float:
    """The step at the end of the interval between checkpoints in which a curve rises (or falls) the most."""
    change = np.diff(curve(row, name))
    return float(row["curve_step"][1 + int(np.argmax(-change if falls else change))])
