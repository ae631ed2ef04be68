"""The polytope of doubly stochastic matrices, cut into simplices of equal volume.

Its vertices are the permutation matrices and it is compressed: a pulling triangulation, in any order of the vertices,
has simplices of one volume only. So a uniform point of the polytope is a uniform simplex and a flat Dirichlet mixture
of its vertices: exact, and with a fixed number of random draws, where rejection has none.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import permutations

import numpy as np

from glassware.foundation.arrays import Float, Int

LARGEST = 4  # 1, 3 and 352 simplices for k = 2, 3, 4; 4,718,075 for k = 5


@lru_cache
def simplices(k: int) -> Int[np.ndarray, "simplices vertices"]:
    """The simplices of the k x k polytope, each as (k-1)^2 + 1 rows of ``vertices``."""
    if not 2 <= k <= LARGEST:
        raise ValueError(f"uniform doubly stochastic matrices are drawn exactly for 2 to {LARGEST} states, not {k}")
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
