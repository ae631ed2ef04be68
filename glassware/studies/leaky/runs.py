"""Runs that the studies of leaky parities share: the big first step, and going on from it."""

from __future__ import annotations

from typing import Any, Literal

from glassware.models import Mirrored
from glassware.studies.leaky.fit import FIRST_SEED
from glassware.sweeps import run_id
from glassware.tasks import LeakyParity
from glassware.training import L2, SGD, Evaluation, Run, Start


def repeats(count: int) -> range:
    """The seeds of a cell."""
    return range(FIRST_SEED, FIRST_SEED + count)


def regulariser(lam: float) -> L2:
    """The paper's lambda (|u|^2 + sum |w_i|^2), which leaves biases alone."""
    return L2(weight=lam, leaves="*.w")


def examined(every: int) -> Evaluation:
    """2,000 held-out examples every so many steps, to the end; success is 99% on uniform inputs."""
    return Evaluation(every=every, test=2000, measure="uniform", direction="above", success=0.99, stop=False)


def first_step(
    n: int, k: int, q: int, m: int, seed: int, copies: Literal["corrected", "printed", "none"] = "corrected"
) -> Run:
    """One step of rate 1 on m examples, with lambda = 1/2: w and u are what the gradient says, nothing else is left."""
    return Run(
        task=LeakyParity(n=n, k=k),
        m=m,
        model=Mirrored(half=q, copies=copies),
        optimiser=SGD(lr=1.0),
        penalty=(regulariser(0.5),),
        batch="full",
        steps=1,
        evaluation=examined(1),
        probes=("components", "largest_output"),
        keep=("final",),
        seed=seed,
    )


def continued(first: Run) -> dict[str, Any]:
    """Task, network and first weights of a run that goes on from a first step: its hidden set, other examples."""
    task = first.task.model_copy(update=first.task.hidden(first.key()))
    return {"task": task, "model": first.model, "start": Start(run=run_id(first))}
