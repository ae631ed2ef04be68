"""Vectors for positions, bits and [CLS] (A.2.1): orthonormal, or signs at random in fewer dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glassware.foundation.arrays import Float


@dataclass(frozen=True, eq=False)
class Basis:
    """T unit vectors v_t, and vectors of the tokens and of [CLS] that are orthogonal to them and to each other."""

    v: Float[np.ndarray, "T d"]
    tokens: Float[np.ndarray, "M d"]
    cls: Float[np.ndarray, " d"]

    def coherence(self, relevant: Sequence[int]) -> float:
        """Delta: the largest |v_i . v_t| of a relevant i and another t; pairs of irrelevant ones never matter."""
        products = np.abs(self.v[list(relevant)] @ self.v.T)
        products[np.arange(len(relevant)), list(relevant)] = 0.0
        return float(products.max())

    def duals(self, relevant: Sequence[int]) -> Float[np.ndarray, "s d"]:
        """Combinations of the relevant v_i whose product with v_j is exactly 1 for j = i and 0 for other relevant j."""
        chosen = self.v[list(relevant)]
        found: Float[np.ndarray, "s d"] = np.linalg.solve(chosen @ chosen.T, chosen)
        return found


def one_hot_basis(T: int, tokens: int = 2) -> Basis:
    """Unit vectors, Delta = 0; tokens and [CLS] on the last coordinates, d = T + tokens + 1."""
    eye = np.eye(T + tokens + 1)
    return Basis(eye[:T], eye[T:-1], eye[-1])


def random_sign_basis(T: int, d: int, rng: np.random.Generator) -> Basis:
    """Random signs over sqrt(d), and three more dimensions for tokens and [CLS].

    Delta over all pairs is about sqrt(2 log(T^2) / d).
    """
    signs = 1.0 - 2.0 * rng.integers(0, 2, (T, d), dtype=np.int8)
    eye = np.eye(d + 3)
    v = np.concatenate([signs / math.sqrt(d), np.zeros((T, 3))], axis=1)
    return Basis(v, eye[-3:-1], eye[-1])


def gate_dimension(T: int, s: int) -> int:
    """ceil(64 s^2 log T): dimensions, of the order log T, at which random signs are orthogonal enough."""
    return math.ceil(64 * s**2 * math.log(T))


def crowded_basis(s: int, others: int, delta: float) -> Basis:
    """The worst Delta allows: s relevant vectors with products -Delta, and others with +Delta to all vectors.

    The sum of the relevant ones then scores 1 - (s-1) Delta on each of them and s Delta on the others, which is more
    from Delta = 1 / (2s - 1) on.
    """
    T = s + others
    gram = np.full((T, T), delta)
    gram[:s, :s] = -delta
    np.fill_diagonal(gram, 1.0)
    if np.linalg.eigvalsh(gram)[0] <= 0:
        raise ValueError(f"there are no {T} vectors with these products; take fewer others or a smaller Delta")
    v = np.concatenate([np.linalg.cholesky(gram), np.zeros((T, 3))], axis=1)
    eye = np.eye(T + 3)
    return Basis(v, eye[-3:-1], eye[-1])
