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
    lr: float = 2e-3,
    layer_rates: tuple[float, ...] | None = None,
    pairing: str | None = None,
) -> Run:
    """The minimal model, trained as Figure 8.3 has it.

    Args:
        states: k.
        model: with its first weights.
        steps: of SGD, batches of 64 chains.
        length: t.
        test: held-out chains.
        every: steps between checkpoints.
        lr: learning rate.
        layer_rates: factors on it for v, W and, where there is one, the scale.
        pairing: runs with the same one and the same seed see the same chains.
    """
    return Run(
        task=MarkovChain(states=states, length=length), model=model,
        optimiser=SGD(lr=lr, weight_decay=0.0, layer_rates=layer_rates), batch=64, steps=steps,
        evaluation=Evaluation(every=every, test=test, stop=False), probes=PROBES, pairing=pairing,
    )  # fmt: skip


def repeat(run: Run, seeds: int) -> list[Run]:
    """The run with so many seeds."""
    return [run.model_copy(update={"seed": FIRST_SEED + i}) for i in range(seeds)]
