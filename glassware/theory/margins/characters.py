"""Characters of a finite group from its multiplication table alone, and its irreps over the real numbers.

The sums of the elements of a class commute, so a generic combination of them has a simple spectrum, and its
eigenvectors are the irreducible characters. Networks have real weights: an irrep and its conjugate occur together and
are one ``Irrep`` here. The formulas of ``optimum`` need three things of it: complex dimension, type, real part of chi.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from math import factorial
from string import ascii_lowercase
from typing import Literal, TypeAlias

import numpy as np

from glassware.foundation.arrays import Float, Int, Num
from glassware.theory.margins.groups import Group
from glassware.theory.margins.partitions import cycle_type, partition_character, partition_label, partitions

Type: TypeAlias = Literal["R", "C", "H"]
PerClass: TypeAlias = Float[np.ndarray, " classes"]

TYPES: dict[int, Type] = {1: "R", 0: "C", -1: "H"}  # by the Frobenius-Schur indicator
TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Irrep:
    """An irreducible representation of a group, together with its conjugate if that is another one.

    Args:
        label: (3,1,1) for symmetric groups, a frequency for cyclic ones, else 5d, 3d a, 3d b.
        dimension: d, over the complex numbers.
        type: R: real matrices. C: not equal to its conjugate. H: equal to it, but without real matrices.
        character: Re chi at each class.
    """

    label: str
    dimension: int
    type: Type
    character: PerClass

    @property
    def copies(self) -> int:
        """w: complex irreps counted here, 2 for type C."""
        return 2 if self.type == "C" else 1

    @property
    def efficiency(self) -> float:
        """kappa: margin of its best neuron, relative to type R of the same dimension."""
        return 1.0 if self.type == "R" else 0.5**0.5

    @property
    def multiplicity(self) -> int:
        """Dimension of the functions on the group that it spans, w d^2; these add up to the order."""
        return self.copies * self.dimension**2

    @property
    def neurons(self) -> int:
        """Neurons that write its character: 2 d^3 for type R, 8 d^3 for C, 4 d^3 for H."""
        return {"R": 2, "C": 8, "H": 4}[self.type] * self.dimension**3


@lru_cache(maxsize=64)
def character_table(group: Group) -> Num[np.ndarray, "irreps classes"]:
    """All irreducible complex characters, one row each: the trivial one first, then by dimension."""
    rng = np.random.default_rng(0)
    sizes = group.class_sizes
    combinations = (_combination(group, rng) for _ in range(4))
    vectors = np.linalg.eigh(max(combinations, key=_smallest_gap))[1]
    # Columns are sqrt(|C| / |G|) chi up to a phase, which the value at e settles: chi(e) > 0.
    vectors *= np.conj(vectors[0] / np.abs(vectors[0]))
    table = (vectors / np.sqrt(sizes)[:, None]).T * np.sqrt(group.order)
    dimensions = table[:, 0].real
    other = _combination(group, rng)
    residual = other @ vectors - vectors * np.sum(vectors.conj() * (other @ vectors), axis=0)
    if np.abs(residual).max() > TOLERANCE or np.abs(dimensions - np.rint(dimensions)).max() > TOLERANCE:
        raise ArithmeticError(f"the characters of {group.name} could not be told apart in float64")
    trivial = np.argmax(table.real @ sizes)
    rows = sorted(range(len(table)), key=lambda r: (r != trivial, *_sort_key(table[r])))
    return table[rows]


def frobenius_schur(group: Group) -> Int[np.ndarray, " irreps"]:
    """mean_g chi(g^2) of each row of the character table: 1, 0 or -1."""
    squares = group.classes[np.diagonal(group.table)]
    return np.rint(np.mean(character_table(group)[:, squares].real, axis=1)).astype(int)


@lru_cache(maxsize=64)
def real_irreps(group: Group) -> tuple[Irrep, ...]:
    """All irreps, the trivial one first; conjugate pairs once.

    In the order of frequencies for cyclic groups and of partitions, (n) to (1, ..., 1), for symmetric ones; else by
    dimension.
    """
    found: list[Irrep] = []
    for row, indicator in zip(character_table(group), frobenius_schur(group), strict=True):
        if indicator == 0 and any(np.abs(row.real - irrep.character).max() < TOLERANCE for irrep in found):
            continue  # the conjugate of one that is there
        found.append(Irrep("", round(row[0].real), TYPES[indicator], row.real))
    labels = _labels(group, found)
    order = sorted(range(len(found)), key=lambda i: labels[i][0])
    return tuple(replace(found[i], label=labels[i][1]) for i in order)


def hypothesis(group: Group) -> float:
    """The largest value over classes C != e of sum d^1.5 chi(C), the trivial irrep left out.

    Theorem 7.9 asks that it be negative. For irreps of other types a term has the weight w / kappa: sqrt(8) for each
    conjugate pair, sqrt(2) for type H.
    """
    if group.order == 1:
        raise ValueError("the group of order 1 has no class besides that of e, and nothing to learn")
    return float(hypothesis_sums(group)[1:].max())


def hypothesis_sums(group: Group) -> PerClass:
    """The sum of ``hypothesis`` at each class; at e it is the S of gamma* = 2 / (3 sqrt(3 |G|) S)."""
    terms = [irrep.copies / irrep.efficiency * irrep.dimension**1.5 * irrep.character for irrep in real_irreps(group)]
    return np.sum(terms[1:], axis=0) + np.zeros(len(group.class_sizes))


def projectors(group: Group) -> Float[np.ndarray, "irreps order order"]:
    """The orthogonal projection onto the functions on the group that each irrep spans.

    P[g, h] = w d / |G| Re chi(g^-1 h), for the irreps of ``real_irreps`` in their order.
    """
    between = group.classes[group.table[group.inverse]]
    scale = [irrep.copies * irrep.dimension / group.order for irrep in real_irreps(group)]
    return np.stack([s * irrep.character[between] for s, irrep in zip(scale, real_irreps(group), strict=True)])


def powers(group: Group, vectors: Float[np.ndarray, "order ..."]) -> Float[np.ndarray, "irreps ..."]:
    """Share of each irrep in the square norm of vectors indexed by group elements; NaN for the zero vector.

    For a cyclic group: |u^(j)|^2 + |u^(-j)|^2 over the sum, frequencies 0, 1, ..., n/2.
    """
    if len(vectors) != group.order:
        raise ValueError(f"a function on {group.name} has {group.order} values, not {len(vectors)}")
    # Sum u(g) u(gx) over the x of a class first: irreps then cost nothing beside one pass over the table.
    shifted = np.zeros((len(group.class_sizes), *vectors.shape[1:]))
    for x, place in enumerate(group.classes):
        shifted[place] += np.sum(vectors * vectors[group.table[:, x]], axis=0)
    norms = np.sum(vectors**2, axis=0)
    scaled = np.stack([irrep.copies * irrep.dimension / group.order * irrep.character for irrep in real_irreps(group)])
    with np.errstate(invalid="ignore"):
        return np.maximum(np.tensordot(scaled, shifted, 1) / norms, 0.0)


def _combination(group: Group, rng: np.random.Generator) -> Num[np.ndarray, "classes classes"]:
    """A random combination of class sums, acting on class functions; Hermitian, with eigenvectors sqrt(|C|) chi(C)."""
    count, roots = len(group.class_sizes), np.sqrt(group.class_sizes)
    inverse = group.classes[group.inverse[group.class_elements]]
    draws = (rng.standard_normal(count) + 1j * rng.standard_normal(count)) / roots
    weights = (draws + draws[inverse].conj())[group.classes]
    columns = []
    for z in group.class_elements:
        met = group.classes[group.table[group.inverse, z]]
        columns.append(np.bincount(met, weights.real, count) + 1j * np.bincount(met, weights.imag, count))
    matrix = np.stack(columns, axis=1) * roots / roots[:, None]
    return matrix / np.abs(matrix).max()


def _smallest_gap(matrix: Num[np.ndarray, "classes classes"]) -> float:
    return float(np.min(np.diff(np.linalg.eigvalsh(matrix)), initial=np.inf))


def _sort_key(row: Num[np.ndarray, " classes"]) -> tuple[float, ...]:
    """By dimension, then larger characters first; rounded, so that noise decides nothing."""
    parts = np.round(np.concatenate([row.real, row.imag]), 6) + 0.0
    return (parts[0], *(-parts))


def _labels(group: Group, found: list[Irrep]) -> list[tuple[int, str]]:
    """A place and a name for each irrep."""
    if group.family == "cyclic":
        step = group.classes[1 % group.order]
        angles = [np.arccos(np.clip(irrep.character[step], -1, 1)) for irrep in found]
        return [(j := round(angle * group.order / (2 * np.pi)), str(j)) for angle in angles]
    if group.family == "symmetric":
        n = next(n for n in range(1, 8) if factorial(n) == group.order)
        every = list(permutations(range(n)))
        cycles = [cycle_type(every[g]) for g in group.class_elements]
        names = list(partitions(n))
        rows = np.array([[partition_character(name, c) for c in cycles] for name in names])
        places = [int(np.argmin(np.abs(rows - irrep.character).max(axis=1))) for irrep in found]
        return [(place, partition_label(names[place])) for place in places]
    size = [irrep.dimension for irrep in found[1:]]
    letters = [f" {_letters(size[:i].count(d))}" if size.count(d) > 1 else "" for i, d in enumerate(size)]
    return [(0, "trivial"), *((i + 1, f"{d}d{letters[i]}") for i, d in enumerate(size))]


def _letters(i: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    return (_letters(i // 26 - 1) if i >= 26 else "") + ascii_lowercase[i % 26]
