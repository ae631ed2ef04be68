"""How far the neurons of a parity network are from the form of Theorem 7.8, and the mass of each sign pattern."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from glassware.foundation.arrays import Float
from glassware.theory.margins.margins import ParityTask, homogeneity, neuron_norms
from glassware.theory.margins.networks import ParityNetwork

PerNeuron: TypeAlias = Float[np.ndarray, " neurons"]


@dataclass(frozen=True, eq=False)
class ParityForm:
    """One entry per neuron, each with its value at maximum margin in brackets.

    Args:
        off_support: largest |u_j| outside S over the largest of all [0].
        imbalance: largest over smallest among |u_j| in S and |w| [1].
        common: |w_+ + w_-| / |w|, the part of w that both classes share [0].
        sign: of (prod_S u_j)(w_+ - w_-) [1].
    """

    off_support: PerNeuron
    imbalance: PerNeuron
    common: PerNeuron
    sign: PerNeuron


def parity_form(network: ParityNetwork, task: ParityTask) -> ParityForm:
    """The conditions of Theorem 7.8, neuron by neuron; NaN for neurons without weights."""
    size, length = np.abs(network.u), np.linalg.norm(network.w, axis=1)
    on = np.concatenate([size[: task.k], length[None]])
    with np.errstate(invalid="ignore", divide="ignore"):
        return ParityForm(
            off_support=np.max(size[task.k :], axis=0, initial=0.0) / size.max(axis=0),
            imbalance=on.max(axis=0) / on.min(axis=0),
            common=np.abs(network.w.sum(axis=1)) / length,
            sign=np.sign(np.prod(network.u[: task.k], axis=0) * (network.w[:, 0] - network.w[:, 1])),
        )


def pattern_masses(network: ParityNetwork, task: ParityTask) -> Float[np.ndarray, " patterns"]:
    """Share of |theta|^(k+1) per sign pattern of u on S, a pattern and its negative together; NaN for no weights.

    At maximum margin each of the 2^(k-1) patterns has 2^-(k-1): the lower monomials must cancel, and their coefficients
    are all the non-trivial characters of this distribution. So 2^(k-1) neurons are not only enough but needed.
    """
    mass = neuron_norms(network) ** homogeneity(task)
    negative = network.u[: task.k] < 0
    bits = (negative != negative[0])[1:]
    place = 2 ** np.arange(task.k - 1) @ bits if task.k > 1 else np.zeros(len(mass), int)
    with np.errstate(invalid="ignore"):
        return np.bincount(place, mass, 2 ** (task.k - 1)) / mass.sum()
