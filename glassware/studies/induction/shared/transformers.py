"""Transformers as chapter 8 trains them: AdamW on new chains in every batch, examined on held-out ones."""

from __future__ import annotations

from typing import Any

from glassware.models import CausalTransformer, Init
from glassware.studies.induction.shared.layers import DECAYED, RATES
from glassware.tasks import MarkovChain
from glassware.training import AdamW, Evaluation, Run

BATCH = 64


def transformer_run(
    task: MarkovChain,
    model: CausalTransformer,
    *,
    steps: int,
    lr: float | None = None,
    test: int = 2048,
    every: int = 25,
    init_pairing: str | None = None,
) -> Run:
    """A transformer trained with AdamW.

    Args:
        task: the chains.
        model: plain or normed.
        steps: of batches of 64 chains.
        lr: learning rate; that of the form (``RATES``) unless given.
        test: held-out chains.
        every: steps between checkpoints.
        init_pairing: runs with the same one and the same seed begin with the same weights.
    """
    # The measure saves a second look at the held-out chains; which runs succeed is not asked.
    evaluation = Evaluation(
        every=every, test=test, measure="truth_distance", direction="below", success=0.05, stop=False
    )  # fmt: skip
    optimiser = AdamW(lr=lr or RATES[model.form], b1=0.9, b2=0.95, weight_decay=0.1, decayed=DECAYED)
    return Run(
        task=task, model=model, init=Init(pairing=init_pairing), optimiser=optimiser, batch=BATCH, steps=steps,
        evaluation=evaluation, probes=("strategies",),
    )  # fmt: skip


def tiny_run(**chains: Any) -> Run:
    """One layer and short chains, for the tests: studies that share it compile it once."""
    model = CausalTransformer(depth=1, width=4)
    return transformer_run(MarkovChain(states=2, length=8, **chains), model, steps=10, test=64, every=5)
