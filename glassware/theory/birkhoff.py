"""The polytope of doubly stochastic matrices, cut into simplices of equal volume.

Its vertices are the permutation matrices and it is compressed: a pulling triangulation, in any order of the vertices,
has simplices of one volume only. So a uniform point of the polytope is a uniform simplex and a flat Dirichlet mixture
of its vertices: exact, and with a fixed number of random draws, where rejection has none.

Up to k = 4 the simplices are listed. For k = 5 there are 4,718,075, and one is drawn on a way down through the faces: a
vertex of the face, then one of its facets without that vertex, as often as that facet has simplices. Faces that differ
in the order of rows and columns are cut alike, which leaves a small table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations

import numpy as np

from glassware.foundation.arrays import Bool, Float, Int

LISTED = 4  # 1, 3 and 352 simplices for k = 2, 3, 4
LARGEST = 5


@lru_cache
def simplices(k: int) -> Int[np.ndarray, "simplices vertices"]:
    """The simplices of the k x k polytope, each as (k-1)^2 + 1 rows of ``vertices``."""
    if not 2 <= k <= LISTED:
        raise ValueError(f"simplices are listed for 2 to {LISTED} states, not {k}")
    flat = vertices(k).reshape(-1, k * k)

    @cache
    def dimension(face: tuple[int, ...]) -> int:
        return int(np.linalg.matrix_rank(flat[list(face)] - flat[face[0]]))

    @cache
    def pulled(face: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """The first vertex joined to the simplices of every facet that it is not on."""
        if len(face) == 1:
            return (face,)
        sides = {tuple(v for v in face if not flat[v, entry]) for entry in range(k * k)}
        facets = [side for side in sorted(sides) if side and dimension(side) == dimension(face) - 1]
        return tuple((face[0], *simplex) for side in facets if face[0] not in side for simplex in pulled(side))

    return np.array(pulled(tuple(range(len(flat)))))


def vertices(k: int) -> Float[np.ndarray, "vertices k k"]:
    """All permutation matrices."""
    return np.stack([np.eye(k)[list(order)] for order in permutations(range(k))])


@dataclass(frozen=True, eq=False)
class Descent:
    """Faces up to the order of rows and columns, and the ways down from each. Face 0 is the polytope itself.

    Args:
        simplices: how many each face has, its volume in units of a lattice simplex.
        vertex: of each face, as the column of the 1 in every row.
        ends: of each face, where the shares of its facets in [0, 1] end; 1 from the last facet on.
        facet: the face that each facet is, after its rows and columns are put in order.
        rows, columns: this order: row i of that face is row ``rows[.., i]`` of the facet.
    """

    simplices: Int[np.ndarray, " faces"]
    vertex: Int[np.ndarray, "faces k"]
    ends: Float[np.ndarray, "faces facets"]
    facet: Int[np.ndarray, "faces facets"]
    rows: Int[np.ndarray, "faces facets k"]
    columns: Int[np.ndarray, "faces facets k"]


@lru_cache
def descent(k: int) -> Descent:
    """The faces that the descent from the k x k polytope can meet."""
    whole = _ordered(np.ones((k, k), bool))[0]
    numbers, faces, ways = {whole.tobytes(): 0}, [whole], []
    for face in faces:  # grows while it is read
        apex = _vertices(face)[0]
        below = []
        for side in _facets(face, apex):
            form, rows, columns = _ordered(side)
            number = numbers.setdefault(form.tobytes(), len(faces))
            if number == len(faces):
                faces.append(form)
            below.append((number, rows, columns))
        ways.append((apex, below))

    @cache
    def volume(number: int) -> int:
        return sum(volume(lower) for lower, _, _ in ways[number][1]) or 1

    most, count = max(len(below) for _, below in ways), len(faces)
    ends, facet = np.ones((count, most)), np.zeros((count, most), int)
    orders = np.tile(np.arange(k), (2, count, most, 1))
    for number, (_, below) in enumerate(ways):
        shares = np.cumsum([volume(lower) for lower, _, _ in below]) / volume(number)
        ends[number, : len(below)] = shares
        for place, (lower, rows, columns) in enumerate(below):
            facet[number, place] = lower
            orders[:, number, place] = rows, columns
    apexes = np.array([apex for apex, _ in ways])
    return Descent(np.array([volume(i) for i in range(count)]), apexes, ends, facet, orders[0], orders[1])


@lru_cache
def _orders(k: int) -> Int[np.ndarray, "orders k"]:
    return np.array([*permutations(range(k))])


def _vertices(face: Bool[np.ndarray, "k k"]) -> Int[np.ndarray, "vertices k"]:
    """The permutations on the support of a face, as the column of the 1 in every row."""
    every = _orders(len(face))
    return every[face[np.arange(len(face)), every].all(axis=1)]


def _facets(face: Bool[np.ndarray, "k k"], apex: Int[np.ndarray, " k"]) -> list[Bool[np.ndarray, "k k"]]:
    """The supports of the facets that do not contain a vertex: one entry of it vanishes, and what goes with that."""
    k, every = len(face), _vertices(face)
    found: dict[bytes, Bool[np.ndarray, "k k"]] = {}
    for row in range(k):
        left = every[every[:, row] != apex[row]]
        if len(left):
            side = np.zeros((k, k), bool)
            side[np.arange(k), left] = True
            if _dimension(side) == _dimension(face) - 1:
                found[side.tobytes()] = side
    return [*found.values()]


def _dimension(face: Bool[np.ndarray, "k k"]) -> int:
    """Entries, less one condition per row and column, but one that is implied per connected block."""
    k, block = len(face), np.eye(len(face), dtype=bool)
    touch = (face[:, None] & face[None]).any(axis=-1)  # rows that share a column
    for _ in range(k):
        block = block @ touch
    return int(face.sum()) - 2 * k + len(np.unique(block, axis=0))


def _ordered(
    face: Bool[np.ndarray, "k k"],
) -> tuple[Bool[np.ndarray, "k k"], Int[np.ndarray, " k"], Int[np.ndarray, " k"]]:
    """The face with rows and columns in an order that all its rearrangements share, and that order."""
    k = len(face)
    rows = _orders(k)
    codes = face[rows].swapaxes(1, 2) @ (1 << np.arange(k))  # each column as a number, by order of the rows
    best = int(np.argmax(np.sort(codes, axis=1) @ (1 << k * np.arange(k))))
    columns = np.argsort(-codes[best], kind="stable")
    return face[rows[best]][:, columns], rows[best], columns
