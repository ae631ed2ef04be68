"""D.9.2: groups outside Theorem 7.9, by choosing which irreps are used and which classes are on the margin.

Two square linear systems, one for the weights tau of the chosen classes and one for the weights of the chosen irreps,
and conditions on what was not chosen. An accepted choice is a pair of optimal mixtures of the game in ``optimum``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from glassware.foundation.arrays import Float
from glassware.theory.margins.characters import real_irreps
from glassware.theory.margins.groups import Group

SLACK = 1e-9  # what counts as a tie
SINGULAR = 1e12  # condition number from which a system has no unique solution


@dataclass(frozen=True, eq=False)
class KappaSolution:
    """What a choice of irreps and classes leads to.

    Args:
        irreps: labels of the chosen irreps.
        classes: the chosen classes.
        tau: weight of one wrong label, by class.
        weights: lambda_R of the text per irrep of ``real_irreps``: outputs are sum lambda_R chi_R, up to a factor.
        shares: the same as shares of the norm's cube, proportional to lambda_R d^1.5.
        margin: value of the best neuron among the chosen irreps, gamma* if ``accepted``.
        accepted: weights are non-negative, no other irrep does better and no other class is closer.
        strict: and none does as well or is as close, which the text's "no other" would need.
    """

    irreps: tuple[str, ...]
    classes: tuple[int, ...]
    tau: Float[np.ndarray, " classes"]
    weights: Float[np.ndarray, " irreps"]
    shares: Float[np.ndarray, " irreps"]
    margin: float
    accepted: bool
    strict: bool


def kappa_solution(
    group: Group, irreps: Sequence[str], classes: Sequence[int], printed: bool = False
) -> KappaSolution | None:
    """Solve both systems for a choice; None where one has no unique solution.

    Args:
        group: any.
        irreps: labels, without the trivial one.
        classes: as many, without 0.
        printed: let tau itself add up to 1 over the chosen classes. It is tau times the size of its class that does.
    """
    labels = [irrep.label for irrep in real_irreps(group)]
    if unknown := sorted(set(irreps) - set(labels[1:])):
        raise ValueError(f"{group.name} has no irrep {unknown[0]} to choose; choose among {', '.join(labels[1:])}")
    if bad := sorted(set(classes) - set(range(1, len(group.class_sizes)))):
        raise ValueError(f"{group.name} has no class {bad[0]} to choose; choose from 1 to {len(group.class_sizes) - 1}")
    if len(irreps) != len(classes) or len(set(irreps)) != len(irreps) or len(set(classes)) != len(classes):
        raise ValueError("as many irreps as classes are chosen, none of them twice")
    chosen, near = [labels.index(label) for label in irreps], list(classes)
    chi = np.stack([irrep.character for irrep in real_irreps(group)])
    efficiency = np.array([irrep.efficiency for irrep in real_irreps(group)])
    per_character = efficiency * chi[:, 0] ** -1.5
    sizes, one, zero = group.class_sizes, np.ones((1, len(near))), np.zeros((1, 1))

    # Unknown tau and the value v: efficiency / sqrt(d) - sum_C tau_C |C| chi(C) efficiency / d^1.5 = v.
    terms = per_character[:, None] * chi * sizes
    first = np.block([[terms[np.ix_(chosen, near)], one.T], [one if printed else one * sizes[near], zero]])
    # Unknown weights and the output c on the chosen classes: sum_R lambda_R chi_R(C) = c.
    second = np.block([[chi[np.ix_(chosen, near)].T, -one.T], [one, zero]])
    if max(np.linalg.cond(first), np.linalg.cond(second)) > SINGULAR:
        return None
    *found, value = np.linalg.solve(first, np.append(per_character[chosen] * chi[chosen, 0], 1.0))
    tau = np.zeros(len(sizes))
    tau[near] = found
    *found, output = np.linalg.solve(second, np.append(np.zeros(len(near)), 1.0))
    weights = np.zeros(len(labels))
    weights[chosen] = found

    worse = value - (per_character * chi[:, 0] - terms @ tau)[1:]  # of each irrep's best neuron
    farther = output - (weights @ chi)[1:]  # of each class's output
    unused, away = (
        [m for m in range(1, len(labels)) if m not in chosen],
        [c for c in range(1, len(sizes)) if c not in near],
    )
    positive = min(tau.min(), weights.min()) >= -SLACK
    least = min([worse[m - 1] for m in unused] + [farther[c - 1] for c in away], default=np.inf)
    mass = weights / per_character
    return KappaSolution(
        irreps=tuple(irreps),
        classes=tuple(classes),
        tau=tau,
        weights=weights,
        shares=mass / mass.sum(),
        margin=float(value) * 2 / (3 * group.order) ** 1.5,
        accepted=bool(positive and least >= -SLACK),
        strict=bool(positive and least > SLACK),
    )


def kappa_search(group: Group, size: int) -> Iterator[KappaSolution]:
    """All accepted choices of ``size`` irreps and classes; their number grows fast with the size."""
    labels = [irrep.label for irrep in real_irreps(group)][1:]
    for irreps in combinations(labels, size):
        for classes in combinations(range(1, len(group.class_sizes)), size):
            found = kappa_solution(group, irreps, classes)
            if found and found.accepted:
                yield found
