"""Norms and normalisers of chapter 4: mixed matrix norms, softmax and its rivals, a projection in LayerNorm's place.

``pq_norm`` takes the p-norm of every column and then the q-norm of these numbers, so the longest row of X is
``pq_norm(X.T, 2, inf)`` and the sum of the lengths of the rows of W is ``pq_norm(W.T, 2, 1)``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.optimize import minimize

from glassware.foundation.arrays import Float

Floats: TypeAlias = Float[np.ndarray, "..."]
Normaliser: TypeAlias = Callable[[Floats], Floats]


def pq_norm(matrix: Float[np.ndarray, "rows columns"], p: float, q: float) -> float:
    """The q-norm of the p-norms of the columns.

    >>> pq_norm(np.array([[3.0, 0.0], [4.0, 1.0]]), 2, 1)
    6.0
    """
    return float(np.linalg.norm(np.linalg.norm(matrix, ord=p, axis=0), ord=q))


def longest_row(rows: Float[np.ndarray, "*batch T d"]) -> float:
    """The longest of all rows, ``pq_norm(X.T, 2, inf)`` of each matrix."""
    return float(np.linalg.norm(rows, axis=-1).max())


def spectral(matrix: Float[np.ndarray, "rows columns"]) -> float:
    """The largest singular value."""
    return float(np.linalg.norm(matrix, ord=2))


def project(rows: Floats) -> Floats:
    """Rows longer than 1 are shortened to 1: LayerNorm as the theory has it, which moves no two rows apart (A.9)."""
    return rows / np.maximum(1.0, np.linalg.norm(rows, axis=-1, keepdims=True))


def softmax(scores: Floats) -> Floats:
    """Along the last axis; scores of -inf get nothing."""
    up = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return up / up.sum(axis=-1, keepdims=True)


def sparsemax(scores: Floats) -> Floats:
    """The point of the simplex nearest to the scores, along the last axis."""
    down = -np.sort(-scores, axis=-1)
    count = np.arange(1, scores.shape[-1] + 1)
    kept = 1 + count * down > np.cumsum(down, axis=-1)
    size = kept.sum(axis=-1, keepdims=True)
    level = (np.where(kept, down, 0.0).sum(axis=-1, keepdims=True) - 1) / size
    return np.maximum(scores - level, 0.0)


def kernel_weights(scores: Floats) -> Floats:
    """Scores through a positive function, elu + 1, over their sum: linear attention."""
    up = np.where(scores > 0, 1 + np.maximum(scores, 0), np.exp(np.minimum(scores, 0)))
    return up / up.sum(axis=-1, keepdims=True)


def softmax_jacobian(scores: Float[np.ndarray, " T"]) -> Float[np.ndarray, "T T"]:
    """diag(p) - p p^T."""
    p = softmax(scores)
    return np.diag(p) - np.outer(p, p)


def sparsemax_jacobian(scores: Float[np.ndarray, " T"]) -> Float[np.ndarray, "T T"]:
    """I - 1 1^T / |S| on the support S, 0 off it."""
    kept = (sparsemax(scores) > 0) * 1.0
    return np.diag(kept) - np.outer(kept, kept) / kept.sum()


def kernel_jacobian(scores: Float[np.ndarray, " T"]) -> Float[np.ndarray, "T T"]:
    """Entry (i, j) is (1[i = j] - p_i) times the slope of j over the sum."""
    p = kernel_weights(scores)
    total = float(np.where(scores > 0, 1 + np.maximum(scores, 0), np.exp(np.minimum(scores, 0))).sum())
    slope = np.where(scores > 0, 1.0, np.exp(np.minimum(scores, 0))) / total
    return (np.eye(len(p)) - p[:, None]) * slope


JACOBIANS: dict[str, Callable[[Float[np.ndarray, " T"]], Float[np.ndarray, "T T"]]] = {
    "softmax": softmax_jacobian,
    "elu + 1": kernel_jacobian,
    "sparsemax": sparsemax_jacobian,
}


def softmax_jacobian_norm(scores: Float[np.ndarray, " T"]) -> float:
    """The sum of all entries of the Jacobian in absolute value, 2 sum p (1 - p): at most 2 (Corollary A.7)."""
    p = softmax(scores)
    return float(2 * np.sum(p * (1 - p)))


def largest_jacobian(name: str, T: int, rng: np.random.Generator, starts: int = 5) -> float:
    """C_Norm of a normaliser on T scores (Assumption 4.5): its largest ||J||_{1,1}, by ascent from random scores."""
    jacobian = JACOBIANS[name]
    size = lambda scores: float(np.abs(jacobian(scores)).sum())
    # Sparsemax is flat around most points, where no ascent moves: begin inside its full support as well.
    begins = [rng.standard_normal(T) * scale for scale in np.geomspace(0.1 / T, 2, starts)]
    found = [minimize(lambda x: -size(x), begin, method="Powell", options={"maxfev": 2000}) for begin in begins]
    return max(-float(one.fun) for one in found)


def softmax_ratio(first: Floats, second: Floats) -> Floats:
    """||softmax(a) - softmax(b)||_1 / ||a - b||_inf, at most 1: A.7 has 2, twice what is needed."""
    moved = np.abs(softmax(first) - softmax(second)).sum(axis=-1)
    return moved / np.abs(first - second).max(axis=-1)


def steepest_softmax(T: int, rng: np.random.Generator, starts: int = 4) -> float:
    """The largest such ratio on T scores that an ascent finds."""
    ratio = lambda x: -float(softmax_ratio(x[:T], x[:T] + 1e-3 * np.tanh(x[T:])))
    found = [minimize(ratio, rng.standard_normal(2 * T), method="Powell", options={"maxfev": 4000}).fun
             for _ in range(starts)]  # fmt: skip
    return -float(min(found))


def norm_inequalities(rng: np.random.Generator, draws: int) -> dict[str, float]:
    """The largest left side over right side of the inequalities that the proofs use, over random matrices."""
    worst: dict[str, float] = {}
    for _ in range(draws):
        m, n, k = rng.integers(1, 6, size=3)
        P, Q, v = rng.standard_normal((m, n)), rng.standard_normal((n, k)), rng.standard_normal(n)
        sides = {
            "|Pv| ≤ |P|_{2,∞} |v|_1": (np.linalg.norm(P @ v), pq_norm(P, 2, math.inf) * np.abs(v).sum()),
            "|Pv|_∞ ≤ |P^T|_{2,∞} |v|": (np.abs(P @ v).max(), pq_norm(P.T, 2, math.inf) * np.linalg.norm(v)),
            "|PQ|_{2,∞} ≤ |P| |Q|_{2,∞}": (pq_norm(P @ Q, 2, math.inf), spectral(P) * pq_norm(Q, 2, math.inf)),
            "|Pv|_1 ≤ |P|_{1,1} |v|_∞": (np.abs(P @ v).sum(), pq_norm(P, 1, 1) * np.abs(v).max()),
        }
        for name, (left, right) in sides.items():
            worst[name] = max(worst.get(name, 0.0), float(left / right))
    return worst
