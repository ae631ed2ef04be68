"""Runs that the studies of leaky parities share: the big first step, and what follows it, solved or trained."""

from __future__ import annotations

from typing import Any, Literal

import polars as pl

from glassware.models import KernelRidge, Mirrored, Readout, Solved
from glassware.studies.cells import where
from glassware.sweeps import run_id
from glassware.tasks import LeakyParity
from glassware.training import L2, SGD, Evaluation, Run, Start

FIRST_SEED = 100  # thresholds were chosen on small seeds: what they judge must not be those draws
EXAMINED = 10_000  # held-out examples of each component
FEWER = 2000  # where a prediction is dear
TANGENT_KERNEL = KernelRidge(kernel="ntk", bias=True, unit=True, ridge=4e-5)  # a ridge of 1e-5 times k(x, x)


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
    n: int,
    k: int,
    q: int,
    m: int,
    seed: int,
    copies: Literal["corrected", "printed", "none"] = "corrected",
    *,
    leak: float = 0.5,
    pairing: str | None = None,
) -> Run:
    """One step of rate 1 on m examples, with lambda = 1/2: w and u are what the gradient says, nothing else is left."""
    return Run(
        task=LeakyParity(n=n, k=k, leak=leak),
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
        pairing=pairing,
    )


def fit(task: LeakyParity, model: Solved, m: int, seed: int, test: int = EXAMINED, **how: Any) -> Run:
    """A model solved on m examples and examined on D1 and on D2."""
    return Run(task=task, m=m, model=model, evaluation=Evaluation(test=test), probes=("components",), seed=seed, **how)


def readout(first: Run, test: int = EXAMINED) -> Run:
    """The readout of the hidden units that a first step has left, on the examples of the step: both have a pairing."""
    assert isinstance(first.task, LeakyParity)
    assert first.m is not None
    assert first.pairing is not None
    return fit(
        first.task, Readout(network=first.network), first.m, first.seed, test,
        start=Start(run=run_id(first), leaves=("0.*",)), pairing=first.pairing,
    )  # fmt: skip


def fits(frame: pl.DataFrame) -> pl.DataFrame:
    """The solved runs with their accuracy on D1 (``uniform``) and on D2 (``leaking``)."""
    found = where(frame, engine="solve")
    accuracies = (pl.col(f"curve_{part}").list.last().cast(pl.Float64).alias(part) for part in ("uniform", "leaking"))
    return found.with_columns(*accuracies) if found.columns else found


def continued(first: Run) -> dict[str, Any]:
    """Task, network and first weights of a run that goes on from a first step: its hidden set, other examples."""
    task = first.task.model_copy(update=first.task.hidden(first.key()))
    return {"task": task, "model": first.model, "start": Start(run=run_id(first))}
