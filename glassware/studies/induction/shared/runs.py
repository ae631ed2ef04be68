"""Runs as chapter 8 trains them: new chains in every batch, examined after the last position of held-out ones."""

from __future__ import annotations

from glassware.models import MinimalInduction, SoftmaxInduction
from glassware.tasks import MarkovChain
from glassware.training import SGD, Evaluation, Run

FIRST_SEED = 1000  # thresholds were chosen on other programs' runs; smaller seeds are free for trials
PROBES = ("strategies", "minimal_weights")


def minimal_run(
    states: int,
    model: MinimalInduction | SoftmaxInduction,
    *,
    steps: int = 1500,
    length: int = 100,
    test: int = 2048,
    every: int = 20,
) -> Run:
    """The minimal model, trained as Figure 8.3 has it.

    Args:
        states: k.
        model: with its first weights.
        steps: of SGD, batches of 64 chains, learning rate 0.002.
        length: t.
        test: held-out chains.
        every: steps between checkpoints.
    """
    return Run(
        task=MarkovChain(states=states, length=length), model=model, optimiser=SGD(lr=2e-3, weight_decay=0.0),
        batch=64, steps=steps, evaluation=Evaluation(every=every, test=test, stop=False), probes=PROBES,
    )  # fmt: skip


def repeat(run: Run, seeds: int) -> list[Run]:
    """The run with so many seeds."""
    return [run.model_copy(update={"seed": FIRST_SEED + i}) for i in range(seeds)]
