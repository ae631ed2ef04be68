"""How chapter 4 trains its Transformer, and how a scale shortens it."""

from __future__ import annotations

from typing import Any

from glassware.models import ClsTransformer, Init
from glassware.tasks import Junta
from glassware.training import AdamW, Evaluation, Run

FIRST_SEED = 1000  # thresholds were chosen on other programs' runs; smaller seeds are free for trials
ACCURATE = 0.00995  # an accuracy above 0.99, on 2,000 examples as on 10,000
LINEAR = ("*.q", "*.k", "*.v", "*.out", "*.up", "*.down", "*.w")  # what decays: no biases, norms or embeddings
ADAM = AdamW(lr=1e-3, weight_decay=1e-4, decayed=LINEAR, clip=1.0)
NETWORK = ClsTransformer()
SHORTER = ClsTransformer(embedding_dropout=0.0)  # of laptop runs: tokens are then two tables, a fraction of the work
TINY = ClsTransformer(width=8, heads=2, embedding_dropout=0.0)


def full_batch(task: Junta, m: int, model: ClsTransformer, steps: int, evaluation: Evaluation, **more: Any) -> Run:
    """A run on all m examples at every step."""
    return Run(
        task=task, m=m, model=model, optimiser=ADAM, batch="full", steps=steps, evaluation=evaluation, **more
    )  # fmt: skip


def tiny_run(m: int = 20, **more: Any) -> Run:
    """The run of smoke scale; one program serves all studies that have it."""
    exam = Evaluation(every=20, test=200, train=64, metrics=("cross_entropy",), success=0.1, stop=False)
    return full_batch(Junta(length=12, relevant=1, **more), m, TINY, 40, exam)


def repeat(run: Run, seeds: int, first: int = FIRST_SEED) -> list[Run]:
    """The run with so many seeds."""
    return [run.model_copy(update={"seed": first + i}) for i in range(seeds)]


def restarts(run: Run, count: int) -> list[Run]:
    """The run with so many first weights, each with its own dropout, on the same sample."""
    return [run.model_copy(update={"init": Init(seed=100_000 * i + run.seed)}) for i in range(1, count + 1)]
