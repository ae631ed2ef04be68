"""Margins of networks, the class-weighted margin, and the certificate that a margin is the largest (Lemmas 7.2 to 7.6).

A point is a pair (a, b) of group elements, number a |G| + b, or an input of the parity's cube; its wrong labels are
weighted by tau, which for groups depends on the class of a b c^-1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias, TypeGuard

import numpy as np

from glassware.foundation.arrays import Float, Int
from glassware.theory.boolean import cube
from glassware.theory.margins.groups import Group
from glassware.theory.margins.networks import GroupNetwork, ParityNetwork
from glassware.theory.margins.optimum import gains, max_margin, max_margin_parity

CHUNK = 4096  # points at a time: hidden units of all points at once would not fit for wide networks


@dataclass(frozen=True)
class ParityTask:
    """(n, k)-sparse parity of the first k bits, on the whole cube."""

    n: int
    k: int

    def __post_init__(self) -> None:
        if not 1 <= self.k <= self.n:
            raise ValueError(f"k is {self.k} and n is {self.n}; the parity of k bits needs 1 <= k <= n")


Task: TypeAlias = Group | ParityTask
Network: TypeAlias = GroupNetwork | ParityNetwork
PerPoint: TypeAlias = Float[np.ndarray, " points"]
Points: TypeAlias = Int[np.ndarray, " points"]
PerClass: TypeAlias = Float[np.ndarray, " classes"]


def homogeneity(task: Task) -> int:
    """nu, with f(c theta) = c^nu f(theta): 3 for groups, k + 1 for parity."""
    return 3 if isinstance(task, Group) else task.k + 1


def labels(task: Task, points: Points | None = None) -> Points:
    """The right label of each point."""
    if isinstance(task, Group):
        every = task.table.ravel()
    else:
        every = (np.prod(cube(task.n)[:, : task.k], axis=1) < 0).astype(int)
    return every if points is None else every[points]


def outputs(network: Network, task: Task, points: Points | None = None) -> Float[np.ndarray, "points labels"]:
    """f at each point, or at some of them."""
    _check_fits(network, task)
    chosen = np.arange(len(labels(task))) if points is None else points
    parts = np.array_split(chosen, max(1, math.ceil(len(chosen) / CHUNK)))
    return np.concatenate([_activations(network, task, part) @ network.w for part in parts])


def point_margins(network: Network, task: Task, points: Points | None = None) -> PerPoint:
    """g: the right output minus the largest wrong one."""
    return _margins(outputs(network, task, points), labels(task, points))


def neuron_norms(network: Network) -> Float[np.ndarray, " neurons"]:
    """Length of each neuron's weights, ingoing and outgoing together."""
    ingoing = sum(np.sum(part**2, axis=0) for part in network[:-1])
    return np.sqrt(ingoing + np.sum(network.w**2, axis=1))


def norm_power(network: Network, task: Task) -> float:
    """|theta|^nu, the sum of nu-th powers of the neurons' lengths."""
    return float(np.sum(neuron_norms(network) ** homogeneity(task)))


def normalised_margin(network: Network, task: Task) -> float:
    """The smallest margin of theta / |theta|; NaN for the zero network."""
    power = norm_power(network, task)
    return float(point_margins(network, task).min() / power) if power else math.nan


def weighted_margins(
    network: Network, task: Task, tau: PerClass | None = None, points: Points | None = None
) -> PerPoint:
    """g': the right output minus the mean wrong one under tau; never below g.

    Args:
        network: any.
        task: for parity there is one wrong label, and g' is g.
        tau: weight of one wrong label by class of a b c^-1; unless given, that of ``max_margin``.
        points: all unless given.
    """
    found, right = outputs(network, task, points), labels(task, points)
    own = found[np.arange(len(right)), right]
    if isinstance(task, Group):
        weight = _tau(task, tau)[task.classes[task.quotients]]
        return own - np.sum(found * weight[right], axis=1)
    return own - found[np.arange(len(right)), 1 - right]


def neuron_values(network: Network, task: Task, tau: PerClass | None = None) -> Float[np.ndarray, " neurons"]:
    """E[psi'] of each neuron over uniform points, as it stands (not normalised); they add up to the mean of g'.

    For parity sqrt(2) k! (prod_S u) beta, with w = (alpha (1, 1) + beta (1, -1)) / sqrt(2).
    """
    _check_fits(network, task)
    if _is_group(network) and isinstance(task, Group):
        pulled = _pull(task, _tau(task, tau)) @ network.w.T
        return 2 * np.sum(_convolved(task, network.u, network.v) * pulled, axis=0) / task.order**2
    assert isinstance(task, ParityTask)
    return math.factorial(task.k) * np.prod(network.u[: task.k], axis=0) * (network.w[:, 0] - network.w[:, 1])


def expected_weighted_margin(
    network: Network, task: Task, q: PerPoint | None = None, tau: PerClass | None = None
) -> float:
    """E_q[g'] of a network as it stands; q uniform unless given."""
    if q is None:
        return float(neuron_values(network, task, tau).sum())
    return float(_distribution(task, q) @ weighted_margins(network, task, tau))


def best_neuron_value(task: Task, tau: PerClass | None = None, printed: bool = False) -> float:
    """The largest E[psi'] of a neuron of length 1, over uniform points: an upper bound of every margin.

    Args:
        task: a group, or parity, where it is gamma*.
        tau: as in ``weighted_margins``.
        printed: half of it, as Lemma D.13 has it: the 2 of the square is lost between Lemma D.11 and the theorem.
    """
    if isinstance(task, Group):
        value = float((gains(task) @ (_tau(task, tau) * task.class_sizes)).max())
        return value / 2 if printed else value
    return max_margin_parity(task.k)


def ascend(group: Group, rng: np.random.Generator, tau: PerClass | None = None, rounds: int = 2000) -> GroupNetwork:
    """One neuron of length 1 that cannot be improved nearby, climbing E[psi'] from a random start.

    The mean is linear in each of u, v and w, so each in turn is set to its best direction; the value never falls.
    """
    pull = _pull(group, _tau(group, tau))
    u, v, w = rng.standard_normal((3, group.order))
    before = -math.inf
    for _ in range(rounds):
        shifted = (pull @ w)[group.table]
        u = _unit(shifted @ v)
        v = _unit(shifted.T @ u)
        toward = pull.T @ _convolved(group, u[:, None], v[:, None])[:, 0]
        w, value = _unit(toward), float(np.linalg.norm(toward))
        if value <= before * (1 + 1e-14):
            break
        before = value
    return GroupNetwork(*(part / math.sqrt(3) for part in (u[:, None], v[:, None], w[None])))


@dataclass(frozen=True)
class Certificate:
    """What proves that a network has maximum margin, with a distribution q of points and weights tau of wrong labels.

    Args:
        on_margin: q lies on points of the smallest margin (equation 7.1).
        best_neurons: E_q[g'] is as large as neurons can make it (equation 7.3).
        tied_labels: on q, wrong labels with weight are the largest wrong ones, so g' = g (condition C.1).
        attained: the normalised margin is the value of the best neuron, which is then gamma*.
        margin: the normalised margin.
        bound: the value of the best neuron.
    """

    on_margin: bool
    best_neurons: bool
    tied_labels: bool
    attained: bool
    margin: float
    bound: float

    @property
    def proved(self) -> bool:
        """All four facts."""
        return self.on_margin and self.best_neurons and self.tied_labels and self.attained


def certify(
    network: Network,
    task: Task,
    q: PerPoint | None = None,
    tau: PerClass | None = None,
    bound: float | None = None,
    tolerance: float = 1e-9,
) -> Certificate:
    """Check the facts that together prove maximum margin.

    Args:
        network: the candidate.
        task: its task.
        q: probability of each point; uniform unless given.
        tau: as in ``weighted_margins``.
        bound: the value of the best neuron under q and tau. It is known for uniform q alone, so another q needs it.
        tolerance: relative to the margin.
    """
    if q is not None and bound is None and not np.allclose(q, 1 / len(labels(task)), rtol=1e-9):
        raise ValueError("the best neuron is known for uniform points only; give its value as bound with another q")
    best = best_neuron_value(task, tau) if bound is None else bound
    power = norm_power(network, task)
    if not power:
        return Certificate(False, False, False, False, math.nan, best)
    plain, weighted = point_margins(network, task) / power, weighted_margins(network, task, tau) / power
    share = _distribution(task, q)
    near = lambda x: bool(np.all(np.abs(x) <= tolerance * best))
    margin = float(plain.min())
    return Certificate(
        on_margin=near(plain[share > 0] - margin),
        best_neurons=near(share @ weighted - best),
        tied_labels=near((weighted - plain)[share > 0]),
        attained=near(margin - best),
        margin=margin,
        bound=best,
    )


def _is_group(network: Network) -> TypeGuard[GroupNetwork]:
    return isinstance(network, GroupNetwork)


def _activations(network: Network, task: Task, points: Points) -> Float[np.ndarray, "points neurons"]:
    if _is_group(network) and isinstance(task, Group):
        a, b = np.divmod(points, task.order)
        return (network.u[a] + network.v[b]) ** 2
    assert isinstance(task, ParityTask)
    return (cube(task.n)[points] @ network.u) ** task.k


def _margins(found: Float[np.ndarray, "points labels"], right: Points) -> PerPoint:
    rows = np.arange(len(right))
    others = found.copy()
    others[rows, right] = -np.inf
    return found[rows, right] - others.max(axis=1)


def _tau(group: Group, tau: PerClass | None) -> PerClass:
    if tau is None:
        return max_margin(group).tau
    if tau.shape != group.class_sizes.shape or tau.min() < 0 or tau[0] or not math.isclose(tau @ group.class_sizes, 1):
        raise ValueError(
            f"tau has {len(group.class_sizes)} weights, one per class, 0 for e, and adds up to 1 over labels"
        )
    if not np.allclose(tau, tau[group.classes[group.inverse[group.class_elements]]], rtol=1e-9, atol=1e-15):
        raise ValueError("tau must be the same on a class and on the inverses of its elements")
    return tau


def _distribution(task: Task, q: PerPoint | None) -> PerPoint:
    count = len(labels(task))
    if q is None:
        return np.full(count, 1 / count)
    if q.shape != (count,) or q.min() < 0 or not math.isclose(q.sum(), 1, rel_tol=1e-9):
        raise ValueError(f"q is a distribution over {count} points")
    return q


def _pull(group: Group, tau: PerClass) -> Float[np.ndarray, "order order"]:
    """w -> w(x) - sum_c tau(x c^-1) w(c)."""
    return np.eye(group.order) - tau[group.classes[group.quotients]]


def _convolved(
    group: Group, u: Float[np.ndarray, "order neurons"], v: Float[np.ndarray, "order neurons"]
) -> Float[np.ndarray, "order neurons"]:
    """sum over ab = x of u(a) v(b), for each neuron."""
    total = np.zeros_like(u)
    for a, row in enumerate(group.table):
        total[row] += u[a] * v
    return total


def _unit(vector: Float[np.ndarray, " order"]) -> Float[np.ndarray, " order"]:
    return vector / np.linalg.norm(vector)


def _check_fits(network: Network, task: Task) -> None:
    if _is_group(network) != isinstance(task, Group):
        raise ValueError("a group needs a group network (u, v, w), parity a parity network (u, w)")
    inputs = task.order if isinstance(task, Group) else task.n
    if len(network.u) != inputs:
        raise ValueError(f"the network has {len(network.u)} inputs, the task {inputs}")
