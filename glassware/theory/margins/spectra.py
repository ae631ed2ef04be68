"""What trained networks are looked at for: powers per frequency or irrep, phases, masses, and the form of the outputs.

Per neuron, one entry per column of u. A neuron without weights has NaN, never 0. A neuron's mass is its length to the
power 3, and belongs to the irrep that has most of u; beside masses ``weighted_maxpow`` says how far that is justified.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from glassware.foundation.arrays import Bool, Float, Int, Num
from glassware.theory.margins.characters import powers, real_irreps
from glassware.theory.margins.groups import Group, cyclic
from glassware.theory.margins.margins import Task, best_neuron_value, neuron_norms, norm_power, outputs, point_margins
from glassware.theory.margins.networks import GroupNetwork, ParityNetwork
from glassware.theory.margins.optimum import max_margin
from glassware.theory.margins.representations import matrices

PerNeuron: TypeAlias = Float[np.ndarray, " neurons"]
PerIrrep: TypeAlias = Float[np.ndarray, " irreps"]
Side: TypeAlias = Literal["u", "v", "w"]

PRESENT = 0.1  # of its share at maximum margin


def fourier_power(
    vectors: Float[np.ndarray, "p neurons"], printed: bool = False
) -> Float[np.ndarray, "frequencies neurons"]:
    """Share of each frequency 0 .. p/2 in the square norm, frequencies j and -j together.

    As printed j and -j are kept apart, p rows: a pure cosine then has 1/2 twice, and the maximum cannot be 1.
    """
    if not printed:
        return powers(cyclic(len(vectors)), vectors)
    squares = np.abs(np.fft.fft(vectors, axis=0)) ** 2
    with np.errstate(invalid="ignore"):
        return squares / squares.sum(axis=0)


def maxpow(group: Group, vectors: Float[np.ndarray, "order neurons"]) -> PerNeuron:
    """The largest share of one irrep (of one frequency) in each vector."""
    return powers(group, vectors).max(axis=0)


def dominant(group: Group, vectors: Float[np.ndarray, "order neurons"]) -> Int[np.ndarray, " neurons"]:
    """The irrep with most of each vector, as a place in ``real_irreps`` (a frequency for Z_n); -1 for no weights."""
    share = powers(group, vectors)
    return np.where(np.isnan(share[0]), -1, np.argmax(share, axis=0))


def weights_of(network: GroupNetwork, side: Side) -> Float[np.ndarray, "order neurons"]:
    """u, v or w with one column per neuron."""
    return network.w.T if side == "w" else getattr(network, side)


def phase_defect(network: GroupNetwork) -> PerNeuron:
    """theta_u + theta_v - theta_w at u's dominant frequency, in (-pi, pi]; 0 in an optimal neuron of Z_p.

    NaN where that frequency is 0, or where one of the three has nothing of it.
    """
    frequency = dominant(cyclic(len(network.u)), network.u)
    at = (np.maximum(frequency, 0), np.arange(len(frequency)))
    u, v, w = (np.fft.fft(weights_of(network, side), axis=0)[at] for side in ("u", "v", "w"))
    product = u * v * w.conj()
    angle = np.angle(product)
    return np.where((frequency > 0) & (product != 0), np.where(angle <= -math.pi, math.pi, angle), np.nan)


def norm_balance(network: GroupNetwork) -> PerNeuron:
    """Largest over smallest length among u, v and w; 1 in an optimal neuron."""
    lengths = np.stack([np.linalg.norm(weights_of(network, side), axis=0) for side in ("u", "v", "w")])
    with np.errstate(invalid="ignore", divide="ignore"):
        return lengths.max(axis=0) / lengths.min(axis=0)


def interpolate_real(vector: Float[np.ndarray, " p"], x: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """The real function with the vector's spectrum, frequencies -(p-1)/2 .. (p-1)/2, at any real numbers x; p odd."""
    p = len(vector)
    if p % 2 == 0:
        raise ValueError(f"the vector has {p} values; without a frequency p/2, for odd p, the interpolation is unique")
    spectrum = np.fft.fft(vector)
    j = np.fft.fftfreq(p, 1 / p)
    waves = np.exp(2j * np.pi * np.multiply.outer(np.asarray(x, np.float64), j) / p)
    return np.asarray((waves @ spectrum).real / p)


def network_dft3(network: GroupNetwork, printed: bool = False) -> Num[np.ndarray, "p p p"]:
    """sum f(a, b, c) rho^-(ja + kb + lc) of a network on Z_p.

    At maximum margin it is margin p^2 where j = k = -l != 0, and one neuron is there at its own frequency alone; so
    every frequency occurs. As printed all three exponents are j, and the entry does not depend on k and l.
    """
    group = cyclic(len(network.u))
    found = np.fft.fftn(outputs(network, group).reshape([group.order] * 3))
    if not printed:
        return found
    j = np.arange(group.order)
    return np.broadcast_to(found[j, j, j][:, None, None], found.shape)


def irrep_dft3(network: GroupNetwork, group: Group, place: int) -> Num[np.ndarray, "d d d d d d"]:
    """The same for any group: sum f(a, b, c) R_ij(a) R_kl(b) R_mn(c)*, at [i, j, k, l, m, n], for one irrep.

    At maximum margin it is margin |G|^2 / d^2 at matching indices (i, j), (j, l), (i, l) and 0 elsewhere. The text also
    allows the match with the first two exchanged, which for d > 1 gives 0.
    """
    entries = matrices(group)[place]
    found = outputs(network, group).reshape([group.order] * 3)
    # a, b: conjugated, so that f = sum of R(a) R(b) R(c)* has its coefficients here.
    return np.einsum("abc,aij,bkl,cmn->ijklmn", found, entries.conj(), entries.conj(), entries, optimize=True)


@dataclass(frozen=True, eq=False)
class LogitDecomposition:
    """Outputs, less their mean over labels, as a function of the class of a b c^-1.

    Args:
        r2: share of their variance that the class explains; 1 for sums of characters.
        gaps: mean right output minus mean wrong output, per class; all one number at maximum margin.
    """

    r2: float
    gaps: Float[np.ndarray, " classes"]


def logit_decomposition(network: GroupNetwork, group: Group) -> LogitDecomposition:
    """Regress the outputs on the class of a b c^-1."""
    found = outputs(network, group)
    found = (found - found.mean(axis=1, keepdims=True)).ravel()
    place = group.classes[group.quotients[group.table.ravel()]].ravel()
    means = np.bincount(place, found) / np.bincount(place)
    total = float(np.sum(found**2))
    r2 = 1 - float(np.sum((found - means[place]) ** 2)) / total if total else math.nan
    return LogitDecomposition(r2, means[0] - means)


def alive(network: GroupNetwork | ParityNetwork, threshold: float = 0.1) -> Bool[np.ndarray, " neurons"]:
    """Neurons longer than a share of the longest; 0.1 suits groups, 0.5 parity, whose neurons fade more slowly."""
    lengths = neuron_norms(network)
    return np.asarray((lengths > threshold * lengths.max()) & (lengths > 0))


def mass_shares(network: GroupNetwork, group: Group) -> PerIrrep:
    """Share of each irrep in |theta|^3, each neuron counting for the dominant irrep of u; NaN for the zero network."""
    place, mass = dominant(group, network.u), neuron_norms(network) ** 3
    total = np.bincount(place[place >= 0], mass[place >= 0], len(real_irreps(group)))
    with np.errstate(invalid="ignore"):
        return total / mass.sum()


def neuron_counts(network: GroupNetwork, group: Group) -> Int[np.ndarray, " irreps"]:
    """Neurons per dominant irrep of u. Weak evidence: random neurons of S_5 are already counted for its largest one."""
    place = dominant(group, network.u)
    return np.bincount(place[place >= 0], minlength=len(real_irreps(group)))


def weighted_maxpow(network: GroupNetwork, group: Group, side: Side = "u") -> float:
    """Mean of ``maxpow``, neurons weighted by their mass."""
    mass = neuron_norms(network) ** 3
    share = maxpow(group, weights_of(network, side))
    there = ~np.isnan(share)
    return float(np.sum((mass * share)[there]) / mass[there].sum()) if mass[there].any() else math.nan


def mean_margin_ratio(network: GroupNetwork | ParityNetwork, task: Task) -> float:
    """The mean margin over |theta|^nu gamma*, where ``normalised_margin`` has the smallest."""
    power = norm_power(network, task)
    best = max_margin(task).margin if isinstance(task, Group) else best_neuron_value(task)
    return float(point_margins(network, task).mean() / (power * best)) if power else math.nan


def present(network: GroupNetwork, group: Group) -> Bool[np.ndarray, " irreps"]:
    """Irreps (frequencies) with more than a tenth of their share of mass at maximum margin."""
    return np.asarray(mass_shares(network, group) > PRESENT * max_margin(group).shares)


def all_present(network: GroupNetwork, group: Group) -> bool:
    """Whether every irrep that a network of maximum margin uses is ``present``."""
    used = max_margin(group).shares > 0
    return bool(np.all(present(network, group)[used]))
