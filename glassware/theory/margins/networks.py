"""Explicit networks: those of maximum margin, parts of them, and one that memorises.

Weights are stored (inputs, neurons) and (neurons, classes), as layers are elsewhere. A group network computes
sum_i (u[a, i] + v[b, i])^2 w[i, c], a parity network sum_i (x . u[:, i])^k w[i, y].
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple, TypeAlias

import numpy as np

from glassware.foundation.arrays import Float
from glassware.theory.boolean import cube
from glassware.theory.margins.characters import Irrep, real_irreps
from glassware.theory.margins.groups import Group
from glassware.theory.margins.optimum import NONE, max_margin
from glassware.theory.margins.representations import Matrices, matrices

Columns: TypeAlias = Float[np.ndarray, "inputs neurons"]


class GroupNetwork(NamedTuple):
    """Neurons (u_a + v_b)^2 w."""

    u: Float[np.ndarray, "order neurons"]
    v: Float[np.ndarray, "order neurons"]
    w: Float[np.ndarray, "neurons order"]


class ParityNetwork(NamedTuple):
    """Neurons (u.x)^k w; class 0 is y = +1, class 1 is y = -1."""

    u: Float[np.ndarray, "n neurons"]
    w: Float[np.ndarray, "neurons two"]


# Phases (theta_u, theta_v, theta_w) in quarter turns, each with theta_u + theta_v = theta_w. Neighbours are a pair:
# their squares cancel, and 4 cos cos cos, -4 sin sin cos, 4 sin cos sin and 4 cos sin sin are left.
QUARTERS = ((0, 0, 0), (0, 2, 2), (1, -1, 0), (1, 1, 2), (-1, 0, -1), (-1, 2, 1), (0, -1, -1), (0, 1, 1))

# The units of R, C and H as matrices: an irrep of each type is a matrix over one of them.
UNITS = {
    "R": np.ones((1, 1, 1), complex),
    "C": np.array([[[1]], [[1j]]]),
    "H": np.array([[[1, 0], [0, 1]], [[1j, 0], [0, -1j]], [[0, -1], [1, 0]], [[0, 1j], [1j, 0]]]),
}


def maxmargin_cyclic(p: int) -> GroupNetwork:
    """The network of Theorem 7.7 for odd p: eight neurons for each frequency, 4 (p - 1) in all, of norm 1."""
    return some_frequencies(p, range(1, (p + 1) // 2))


def some_frequencies(p: int, kept: Collection[int]) -> GroupNetwork:
    """The blocks of ``maxmargin_cyclic`` for some frequencies alone, scaled to norm 1.

    One frequency, coprime to p, already classifies everything; more frequencies cancel on wrong labels.
    """
    if p < 3 or p % 2 == 0:
        raise ValueError(f"p is {p}; the construction is for odd p from 3 on")
    if not kept or len(set(kept)) != len(kept) or not set(kept) <= set(range(1, (p + 1) // 2)):
        raise ValueError(
            f"frequencies for p = {p} lie between 1 and {(p - 1) // 2}, at least one and none of them twice"
        )
    turns = 2 * np.pi * np.multiply.outer(np.arange(p), np.asarray(list(kept))) / p
    phases = np.pi / 2 * np.array(QUARTERS)
    u, v, w = (np.cos(turns[:, :, None] + phases[:, i]).reshape(p, -1) for i in range(3))
    return normalised(GroupNetwork(u, v, w.T))


def maxmargin_parity(n: int, k: int) -> ParityNetwork:
    """The network of Theorem 7.8 for the parity of the first k of n bits: 2^(k-1) neurons, of norm 1.

    One neuron per sign pattern sigma with sigma_1 = +1 (the printed condition on the set of patterns lost its sigma; of
    a pattern and its negative either will do, since they give the same neuron).
    """
    if not 1 <= k <= n:
        raise ValueError(f"k is {k} and n is {n}; the parity of k bits needs 1 <= k <= n")
    patterns = np.column_stack([np.ones(2 ** (k - 1)), cube(k - 1)])
    size = 2 ** (-(k - 1) / (k + 1)) / math.sqrt(k + 1)
    u = np.zeros((n, len(patterns)))
    u[:k] = size * patterns.T
    return ParityNetwork(u, size * np.multiply.outer(patterns.prod(axis=1), [1.0, -1.0]) / math.sqrt(2))


def maxmargin_group(group: Group, shares: Float[np.ndarray, " irreps"] | None = None) -> GroupNetwork:
    """A network of maximum margin for any group, of norm 1.

    Args:
        group: any of order 2 at least.
        shares: of the norm's cube per irrep of ``real_irreps``, adding up to 1; unless given, those of ``max_margin``.
    """
    given = max_margin(group).shares if shares is None else np.asarray(shares, np.float64)
    irreps = real_irreps(group)
    if given.shape != (len(irreps),) or given.min() < 0 or not math.isclose(given.sum(), 1, abs_tol=1e-9):
        raise ValueError(
            f"shares are {len(irreps)} numbers, one per irrep of {group.name}, not negative, that add up to 1"
        )
    used = [m for m in range(len(irreps)) if given[m] > NONE]
    blocks = [_block(group, irreps[m], matrices(group)[m], given[m]) for m in used]
    return joined(*blocks)


def printed_group(group: Group) -> GroupNetwork:
    """The network of Lemmas D.15 and D.16 with the coefficients as printed, scaled to norm 1; all irreps of type R.

    Coefficients 1 / sqrt(3|G|) go with the printed scale d^(1/3), but the output weight of the first neuron of a pair
    stands at the entry (i, j) where (i, k) is meant: its square terms do not cancel, and it writes no character.
    """
    blocks = []
    for irrep, found in zip(real_irreps(group)[1:], matrices(group)[1:], strict=True):
        if irrep.type != "R":
            raise ValueError(f"{group.name} has irreps that are not real; Lemma D.15 is for real ones")
        d, size = irrep.dimension, irrep.dimension ** (1 / 3) / math.sqrt(3 * group.order)
        i, j, k = (index.ravel() for index in np.indices((d, d, d)))
        first, second, third = size * found[:, i, j], size * found[:, j, k], size * found[:, i, k]
        blocks.append(GroupNetwork(first, second, first.T))
        blocks.append(GroupNetwork(first, -second, -third.T))
    return normalised(joined(*blocks))


def memorising(group: Group, balanced: bool = True) -> GroupNetwork:
    """D.4: two neurons per pair (a, b) that see nothing else; flat in Fourier space. Works for any table.

    Args:
        group: of order n; the network has 2 n^2 neurons.
        balanced: output weights +-1, which costs least. The text has +-1/4, so that outputs are 1 and 0.
    """
    a, b = (index.ravel() for index in np.indices((group.order, group.order)))
    one = np.eye(group.order)
    w = one[group.table[a, b]] * (1.0 if balanced else 0.25)
    return GroupNetwork(
        np.concatenate([one[a], one[a]]).T, np.concatenate([one[b], -one[b]]).T, np.concatenate([w, -w])
    )


def joined(*networks: GroupNetwork) -> GroupNetwork:
    """The neurons of several networks side by side."""
    u, v, w = zip(*networks, strict=True)
    return GroupNetwork(np.concatenate(u, axis=1), np.concatenate(v, axis=1), np.concatenate(w))


def normalised(network: GroupNetwork) -> GroupNetwork:
    """The same network scaled to norm 1 (L_{2,3})."""
    cubes = (np.sum(network.u**2, axis=0) + np.sum(network.v**2, axis=0) + np.sum(network.w**2, axis=1)) ** 1.5
    size = cubes.sum() ** (1 / 3)
    return GroupNetwork(*(part / size for part in network))


def _block(group: Group, irrep: Irrep, found: Matrices, share: float) -> GroupNetwork:
    """Neurons that together write Re chi(a b c^-1), all of one norm, with ``share`` of a unit norm's cube.

    Re tr(R(a) R(b) R(c)*) is a sum of products of three real functions: entries of the irrep as a matrix over R, C or
    H, in each of its units. Two neurons make a product, as (x + y)^2 z - (x - y)^2 z = 4 x y z.
    """
    units = UNITS[irrep.type]
    side = units.shape[1]
    n = irrep.dimension // side
    entries = _quaternionic(found) if irrep.type == "H" else found
    tiles = entries.reshape(group.order, n, side, n, side).transpose(0, 1, 3, 2, 4)
    functions = np.einsum("gijxy,qxy->gijq", tiles, units.conj()).real / side
    signs = np.einsum("pxy,qyz,rxz->pqr", units, units, units.conj()).real / side
    x, y, z = np.nonzero(np.abs(signs) > 0.5)
    i, j, k, unit = (index.ravel() for index in np.indices((n, n, n, len(x))))
    u, v = functions[:, i, j, x[unit]], functions[:, j, k, y[unit]]
    w = functions[:, i, k, z[unit]] * signs[x, y, z][unit]
    size = (share / (2 * u.shape[1])) ** (1 / 3) / np.sqrt(
        np.sum(u**2, axis=0) + np.sum(v**2, axis=0) + np.sum(w**2, axis=0)
    )
    u, v, w = u * size, v * size, w * size
    return GroupNetwork(
        np.concatenate([u, u], axis=1), np.concatenate([v, -v], axis=1), np.concatenate([w, -w], axis=1).T
    )


def _quaternionic(found: Matrices) -> Matrices:
    """An irrep of type H in a basis in which it is made of tiles [[a, -b*], [b, a*]]."""
    d = found.shape[1]
    start = np.random.default_rng(0).standard_normal((d, d))
    # R(g) J = J R(g)* makes e -> J e* commute with the group; its square is -1.
    turn = np.mean(found @ start @ np.swapaxes(found, 1, 2), axis=0)
    turn /= np.linalg.norm(turn) / math.sqrt(d)
    basis = np.zeros((d, 0), complex)
    for e in np.eye(d):
        left = e - basis @ (basis.conj().T @ e)
        if basis.shape[1] < d and np.linalg.norm(left) > 1e-6:
            left /= np.linalg.norm(left)
            basis = np.column_stack([basis, left, turn @ left.conj()])
    return basis.conj().T @ found @ basis
