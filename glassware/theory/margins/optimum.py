"""Maximum normalised margins: closed forms (Theorems 7.7 to 7.9), and a linear programme for every other group.

Networks are sums of neurons (u_a + v_b)^2 w for groups, (u.x)^k w for parity, and margins are relative to the L_{2,3}
and L_{2,k+1} norm. Put a share mu_R of the norm's cube on irrep R: its neurons write the character of R, and the margin
towards wrong labels in the class C is sum_R mu_R gain[R, C]. So the maximum margin is the value of a matrix game, the
network mixing irreps and the adversary (tau) classes. Theorem 7.9 is the case in which both mix everything.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from glassware.foundation.arrays import Float
from glassware.theory.margins.characters import hypothesis_sums, real_irreps
from glassware.theory.margins.groups import Group

PerIrrep: TypeAlias = Float[np.ndarray, " irreps"]
PerClass: TypeAlias = Float[np.ndarray, " classes"]

NONE = 1e-12  # shares and weights below this are rounding


@dataclass(frozen=True, eq=False)
class MaxMargin:
    """The maximum margin of a group and what attains it.

    Args:
        margin: gamma*.
        shares: of the norm's cube per irrep of ``real_irreps``; the trivial one has none.
        tau: weight of one wrong label by the class of a b c^-1; those of all wrong labels add up to 1.
        width: neurons that suffice.
        closed_form: by Theorem 7.9, whose hypothesis holds; otherwise the linear programme was solved.
    """

    margin: float
    shares: PerIrrep
    tau: PerClass
    width: int
    closed_form: bool


@lru_cache(maxsize=64)
def gains(group: Group) -> Float[np.ndarray, "irreps classes"]:
    """Margin towards each class per unit of norm cubed on each irrep: 2 / (3|G|)^1.5 kappa d^-1.5 (d - Re chi(C))."""
    _check_learnable(group)
    scale = 2 / (3 * group.order) ** 1.5
    per_unit = [scale * irrep.efficiency * irrep.dimension**-1.5 for irrep in real_irreps(group)]
    away = np.stack([irrep.dimension - irrep.character for irrep in real_irreps(group)])
    return np.array(per_unit)[:, None] * away


def max_margin(group: Group, lp: bool = False, without: Collection[str] = ()) -> MaxMargin:
    """The maximum margin of a group.

    Args:
        group: of order 2 at least.
        lp: solve the linear programme even where the closed form holds.
        without: labels of irreps that the network may not use; then the linear programme is solved.
    """
    _check_learnable(group)
    labels = [irrep.label for irrep in real_irreps(group)]
    if missing := sorted(set(without) - set(labels)):
        raise ValueError(f"{group.name} has no irrep {missing[0]}; its irreps are {', '.join(labels)}")
    allowed = np.array([label not in without for label in labels])
    allowed[0] = False
    sums = hypothesis_sums(group)
    closed_form = bool(sums[1:].max() < 0) and not lp and not without
    if closed_form:
        tau = np.concatenate([[0.0], -sums[1:] / sums[0]])
        shares = np.array([i.copies / i.efficiency * i.dimension**2.5 for i in real_irreps(group)]) * allowed / sums[0]
        margin = theorem_7_9(group)
    else:
        margin, shares, tau = _play(group, allowed)
    width = sum(irrep.neurons for irrep, share in zip(real_irreps(group), shares, strict=True) if share > NONE)
    return MaxMargin(margin, shares, tau, width, closed_form)


def max_margin_cyclic(p: int) -> float:
    """Theorem 7.7: sqrt(2/27) / (sqrt(p) (p - 1)), for any odd p: its proof does not use that p is prime."""
    if p < 3 or p % 2 == 0:
        raise ValueError(f"p is {p}; Theorem 7.7 is for odd p from 3 on, and max_margin for every group")
    return math.sqrt(2 / 27) / (math.sqrt(p) * (p - 1))


def max_margin_parity(k: int) -> float:
    """Theorem 7.8: k! sqrt(2 (k+1)^-(k+1)), whatever n is."""
    if k < 1:
        raise ValueError(f"k is {k}; a parity has at least one relevant bit")
    return math.exp(math.lgamma(k + 1) + 0.5 * (math.log(2) - (k + 1) * math.log(k + 1)))


def theorem_7_9(group: Group) -> float:
    """The formula of Theorem 7.9, whether or not its hypothesis holds; where it does not, other networks do better."""
    _check_learnable(group)
    return float(2 / (3 * math.sqrt(3 * group.order) * hypothesis_sums(group)[0]))


def uniform_labels(group: Group) -> PerClass:
    """tau equal on all wrong labels: right for Z_p, and for S_n a weighting under which sign is the only best irrep."""
    _check_learnable(group)
    return np.array([0.0, *(1 / (group.order - 1) for _ in group.class_sizes[1:])])


def uniform_classes(group: Group) -> PerClass:
    """tau with the same total on every class, the chapter's example of a weighting that certifies nothing for S_n."""
    _check_learnable(group)
    return np.concatenate([[0.0], 1 / group.class_sizes[1:] / (len(group.class_sizes) - 1)])


def memorising_margin(order: int, balanced: bool = True) -> float:
    """Normalised margin of the network of D.4 that stores each pair of elements in two neurons of its own.

    2 / (3^1.5 |G|^2) with balanced norms; with the text's own, whose output weights are 1/4, 0.439 of that.
    """
    return 2 / (3**1.5 * order**2) if balanced else 1 / (2 * order**2 * (33 / 16) ** 1.5)


def _play(group: Group, allowed: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[float, PerIrrep, PerClass]:
    """Value and both mixtures of the game of irreps against classes."""
    from scipy.optimize import linprog  # takes a third of a second, and most groups do not need it

    game = gains(group)[allowed][:, 1:]
    if not game.size:
        raise ValueError("a network needs at least one irrep besides the trivial one")
    scale = game.max()
    irreps, classes = game.shape
    # Maximise t with sum_R mu_R game[R, C] >= t for every class and sum mu = 1.
    found = linprog(
        np.append(np.zeros(irreps), -1.0),
        A_ub=np.column_stack([-game.T / scale, np.ones(classes)]),
        b_ub=np.zeros(classes),
        A_eq=np.append(np.ones(irreps), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * irreps + [(None, None)],
        method="highs",
    )
    if found.status != 0:
        raise ArithmeticError(f"the linear programme of {group.name} was not solved: {found.message}")
    shares = np.zeros(len(allowed))
    shares[allowed] = np.maximum(found.x[:-1], 0.0)
    total = np.append(0.0, np.maximum(-found.ineqlin.marginals, 0.0))
    tau = total / group.class_sizes / total.sum()
    inverse = group.classes[group.inverse[group.class_elements]]  # Re chi cannot tell a class from its inverse
    return float(found.x[-1] * scale), shares, (tau + tau[inverse]) / 2


def _check_learnable(group: Group) -> None:
    if group.order == 1:
        raise ValueError("the group of order 1 has one label only, and nothing to learn")
