"""Irreps as matrices: Young's orthogonal form for S_n, and any other group's from its regular representation.

Matrices of an irrep are (order, d, d): real for type R, complex for types C and H, always unitary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import permutations
from typing import TypeAlias

import numpy as np

from glassware.foundation.arrays import Float, Num
from glassware.theory.margins.characters import Irrep, character_table, real_irreps
from glassware.theory.margins.groups import Group, symmetric
from glassware.theory.margins.partitions import Partition, partition_label, partitions

Matrices: TypeAlias = Num[np.ndarray, "order d d"]
Coefficients: TypeAlias = Num[np.ndarray, "d d"]
Tableau: TypeAlias = tuple[int, ...]  # the row of each entry: entries are filled in one after another

SAME = 1e-6  # eigenvalues closer than this count as one


@lru_cache(maxsize=16)
def matrices(group: Group) -> tuple[Matrices, ...]:
    """Unitary matrices of every irrep, in the order of ``real_irreps``; of one member of each conjugate pair."""
    if group.family == "symmetric":
        n = next(n for n in range(1, 8) if symmetric(n).order == group.order)
        return tuple(irreps_symmetric(n).values())
    return tuple(_split(group, irrep) for irrep in real_irreps(group))


@lru_cache(maxsize=8)
def irreps_symmetric(n: int) -> Mapping[str, Float[np.ndarray, "order d d"]]:
    """Young's orthogonal form of every irrep of S_n, by its label, (n) first and (1,...,1) last.

    The transposition of k and k+1 has 1/r on the diagonal and sqrt(1 - 1/r^2) between two standard tableaux that it
    exchanges, where r is the content (column - row) of k+1 minus that of k.
    """
    group, every = symmetric(n), list(permutations(range(n)))
    swaps = [every.index((*range(k), k + 1, k, *range(k + 2, n))) for k in range(n - 1)]
    found = {}
    for partition in partitions(n):
        tableaux = list(_standard_tableaux(partition))
        generators = {swap: _transposition(tableaux, k) for k, swap in enumerate(swaps)}
        found[partition_label(partition)] = _generated(group, generators, len(tableaux))
    return found


def unitarize(representation: Matrices) -> Matrices:
    """The same representation in a basis in which it is unitary (Theorem D.2).

    The mean of R(g)* R(g) is an invariant scalar product M; conjugating by M^(1/2) makes it the usual one.
    """
    adjoint = np.conj(np.swapaxes(representation, 1, 2))
    values, vectors = np.linalg.eigh(np.mean(adjoint @ representation, axis=0))
    root = (vectors * np.sqrt(values)) @ vectors.conj().T
    inverse = (vectors / np.sqrt(values)) @ vectors.conj().T
    return root @ representation @ inverse


def kronecker(left: Matrices, right: Matrices) -> Matrices:
    """Of irreps of G and H, the irrep of G x H; elements as ``groups.product`` counts them."""
    both = np.einsum("gij,hkl->ghikjl", left, right)
    return both.reshape(len(left) * len(right), left.shape[1] * right.shape[1], -1)


def coefficients(representation: Matrices, vector: Float[np.ndarray, " order"]) -> Coefficients:
    """alpha with u = sum_ij alpha_ij R_ij + what other irreps (and for type C the conjugate) span."""
    order, d, _ = representation.shape
    return np.tensordot(vector, representation.conj(), 1) * d / order


def rank1_defect(alpha: Coefficients, type_: str = "R") -> float:
    """Square share of a coefficient matrix outside its best approximation of rank one; 0 in an optimal neuron.

    Type H: singular values come in equal pairs, so it is rank two there.
    """
    squares = np.linalg.svd(alpha, compute_uv=False) ** 2
    return float(1 - squares[: 2 if type_ == "H" else 1].sum() / squares.sum()) if squares.any() else np.nan


def chaining_defect(alpha: Coefficients, beta: Coefficients, gamma: Coefficients) -> float:
    """1 - cos of the angle between alpha beta and gamma; 0 in an optimal neuron, 2 for the opposite sign."""
    chained = alpha @ beta
    size = np.linalg.norm(chained) * np.linalg.norm(gamma)
    return float(1 - np.sum(chained * gamma.conj()).real / size) if size else np.nan


def _standard_tableaux(partition: Partition) -> Iterator[Tableau]:
    """All ways to fill a shape with 1 .. n, increasing along rows and columns."""
    if not sum(partition):
        yield ()
    for row, length in enumerate(partition):
        if length > (partition[row + 1] if row + 1 < len(partition) else 0):
            for rest in _standard_tableaux((*partition[:row], length - 1, *partition[row + 1 :])):
                yield (*rest, row)


def _transposition(tableaux: list[Tableau], k: int) -> Float[np.ndarray, "d d"]:
    """The matrix of the transposition of entries k and k+1, counted from 0."""
    matrix = np.zeros((len(tableaux), len(tableaux)))
    for place, rows in enumerate(tableaux):
        contents = [rows[:i].count(rows[i]) - rows[i] for i in (k, k + 1)]
        step = 1 / (contents[1] - contents[0])
        matrix[place, place] = step
        if abs(step) < 1:
            other = tableaux.index((*rows[:k], rows[k + 1], rows[k], *rows[k + 2 :]))
            matrix[place, other] = np.sqrt(1 - step**2)
    return matrix


def _generated(group: Group, generators: dict[int, Float[np.ndarray, "d d"]], d: int) -> Float[np.ndarray, "order d d"]:
    """R(g) for every g as products of the generators' matrices."""
    found, known = np.zeros((group.order, d, d)), np.zeros(group.order, bool)
    found[group.identity], known[group.identity] = np.eye(d), True
    new = np.array([group.identity])
    while new.size:
        reached = []
        for g, matrix in generators.items():
            fresh = new[~known[group.table[g, new]]]
            found[group.table[g, fresh]] = matrix @ found[fresh]
            known[group.table[g, fresh]] = True
            reached.append(group.table[g, fresh])
        new = np.concatenate(reached) if reached else np.array([], int)
    return found


def _split(group: Group, irrep: Irrep) -> Matrices:
    """One copy of an irrep out of the functions on the group.

    There it occurs d times, and multiplying from the right mixes the copies alone. A random symmetric combination of
    right multiplications has d different eigenvalues, each with one copy as its space.
    """
    rng, d = np.random.default_rng(0), irrep.dimension
    rows = character_table(group)
    chi = rows[np.argmin(np.abs(rows.real - irrep.character).max(axis=1))]
    if irrep.type == "R":
        chi = chi.real
    projector = d / group.order * chi[group.classes[group.quotients]]  # chi(g h^-1): a class function, so either side
    basis = np.linalg.qr(projector @ rng.standard_normal((group.order, d * d)))[0]
    for _ in range(20):
        mixed = np.zeros_like(basis)
        for x in rng.integers(0, group.order, 8):
            weight = rng.standard_normal() + (0 if irrep.type == "R" else 1j * rng.standard_normal())
            mixed += weight * basis[group.table[:, x]] + np.conj(weight) * basis[group.table[:, group.inverse[x]]]
        values, vectors = np.linalg.eigh(basis.conj().T @ mixed)
        if np.all(np.diff(values[::d]) > SAME) and values[d - 1] - values[0] < SAME:
            copy = basis @ vectors[:, :d]
            # (L(g) f)(h) = f(g^-1 h)
            return np.stack([copy.conj().T @ copy[group.table[g]] for g in group.inverse])
    raise ArithmeticError(f"no copy of {irrep.label} could be split off the functions on {group.name}")
