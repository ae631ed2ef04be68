"""Runs as the dissertation trains them: on all examples, with a learning rate that doubles and a penalty on the norm.

Where the text is silent: the penalty is lambda times the sum over neurons of ||omega||^nu, nu the degree of the network
(so lambda ||theta||_2^2 for ReLU); first weights are uniform as PyTorch draws a linear layer; there is no test split.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from glassware.models import GroupNet, Homogeneous, PowerNet
from glassware.tasks import CubeParity, GroupMultiplication
from glassware.training import L2, SGD, Doubling, Evaluation, MixedNorm, Run

# Steps at which the learning rate doubles.
CYCLIC = tuple(range(1000, 10_001, 1000))  # Z_71: from 0.05 to 51.2
SMALL_SYMMETRIC = (*range(200, 2601, 200), 5000, 10_000)  # S_3 and S_4: from 0.05 to 1638.4
S_5 = tuple(range(3000, 24_001, 3000))  # from 0.05 to 12.8

POINTS = 100  # of a curve; a row keeps no more than twice as many
GROUP_PROBES = ("margin", "irrep_mass", "irrep_neurons", "largest_neurons")
PARITY_PROBES = ("margin", "parity_neurons", "largest_neurons")


def group_run(
    group: str,
    width: int,
    *,
    lam: float,
    steps: int,
    at: Sequence[int],
    lr: float = 0.05,
    activation: str = "square",
    batch: int | Literal["full"] = "full",
    probes: Sequence[str] = GROUP_PROBES,
) -> Run:
    """Multiplication in a group, learned from all pairs.

    Args:
        group: a name, as Z_71.
        width: neurons m.
        lam: lambda, of the cube of the L_{2,3} norm for squares, of the square of the L2 norm for ReLU.
        steps: of training.
        at: steps at which the learning rate doubles.
        lr: the first learning rate.
        activation: ``square`` or ``relu``.
        batch: pairs per step.
        probes: measurements.
    """
    task, model = GroupMultiplication(group=group), GroupNet(width=width, activation=activation)
    optimiser = SGD(lr=lr, weight_decay=0.0, schedule=Doubling(at=tuple(at)))
    return Run(
        task=task, model=model, penalty=(_penalty(model, lam),), optimiser=optimiser, batch=batch, steps=steps,
        evaluation=_evaluation(task.domain, steps), probes=tuple(probes),
    )  # fmt: skip


def parity_run(
    n: int,
    k: int,
    *,
    degree: int | None = None,
    width: int = 40,
    lam: float = 1e-3,
    steps: int = 30_000,
    lr: float = 0.1,
    probes: Sequence[str] = PARITY_PROBES,
) -> Run:
    """The (n, k)-parity, learned from all 2^n sign vectors by neurons (u.x)^k w.

    Args:
        n, k: of the parity.
        degree: of the power; k unless given.
        width: neurons m.
        lam: lambda, of the L_{2,k+1} norm to the power k + 1.
        steps: of training.
        lr: the learning rate, constant.
        probes: measurements.
    """
    task, model = CubeParity(n=n, k=k), PowerNet(width=width, degree=degree or k)
    return Run(
        task=task, model=model, penalty=(_penalty(model, lam),), optimiser=SGD(lr=lr, weight_decay=0.0), batch="full",
        steps=steps, evaluation=_evaluation(task.domain, steps), probes=tuple(probes),
    )  # fmt: skip


def portable(setting: float) -> float:
    """A computed setting to twelve digits: the last ones differ between machines, and with them the ids of runs."""
    return float(f"{setting:.12g}")


def _penalty(model: Homogeneous, lam: float) -> L2 | MixedNorm:
    """lambda times the sum over neurons of ||omega||^nu."""
    lam = portable(lam)
    if model.homogeneity == 2:
        return L2(weight=lam)
    return MixedNorm(weight=lam, outer=model.homogeneity)


def _evaluation(examples: int, steps: int) -> Evaluation:
    """On the whole domain, at equal distances to the last step."""
    return Evaluation(every=max(1, steps // POINTS), test=examples, metrics=("cross_entropy",), stop=False)
