"""Two-state chains [[a, 1-a], [1-b, b]], and expectations over them by quadrature.

Rational functions of (a, b) with powers of 2 - a - b below the line are awkward near a = b = 1. With 1 - a = r and
1 - b = r s (and the mirror image) they are smooth: 2 - a - b = r (1 + s), and the area element r cancels one power.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from glassware.foundation.arrays import Float
from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats


@dataclass(frozen=True, eq=False)
class Chains:
    """Chains with weights that sum to 1: a law of two-state chains, or one chain.

    Args:
        leave: (1-a, 1-b), the probabilities of leaving a state; kept because a and b round to 1 in the corner.
        weight: of each chain.
    """

    leave: Float[np.ndarray, "chains 2"]
    weight: Float[np.ndarray, " chains"]

    @property
    def a(self) -> Float[np.ndarray, " chains"]:
        """Probability that state 1 repeats."""
        return 1 - self.leave[:, 0]

    @property
    def b(self) -> Float[np.ndarray, " chains"]:
        """Probability that state 2 repeats."""
        return 1 - self.leave[:, 1]

    @property
    def second(self) -> Float[np.ndarray, " chains"]:
        """The second eigenvalue, lambda = a + b - 1."""
        return 1 - self.leave.sum(axis=-1)

    @property
    def matrices(self) -> Float[np.ndarray, "chains 2 2"]:
        """[[a, 1-a], [1-b, b]]."""
        (p, q), (a, b) = self.leave.T, (self.a, self.b)
        return np.stack([np.stack([a, p], axis=-1), np.stack([q, b], axis=-1)], axis=-2)

    @property
    def stationary(self) -> Float[np.ndarray, "chains 2"]:
        """pi = (1-b, 1-a) / (2-a-b)."""
        return self.leave[:, ::-1] / self.leave.sum(axis=-1, keepdims=True)

    def mean(self, values: Floats) -> Floats:
        """The expectation of values given per chain (first axis)."""
        return np.tensordot(self.weight, values, axes=1)


def enough(t: int) -> int:
    """Nodes per direction that integrate the probabilities of sequences of t tokens to rounding."""
    return 16 + t // 4


def flat(nodes: int = 120, graded: bool = False) -> Chains:
    """a and b independent and uniform: rows from the flat Dirichlet distribution.

    Args:
        nodes: per direction. Exact for polynomials in (a, b) of degree up to 2 nodes - 2.
        graded: crowd the nodes at the ends, for integrands with logarithms there.
    """
    u, weight = _legendre(nodes)
    if graded:
        u, weight = u**3 * (10 - 15 * u + 6 * u**2), weight * 30 * u**2 * (1 - u) ** 2
    r, s = (axis.ravel() for axis in np.meshgrid(u, u, indexing="ij"))
    half, leave = (weight[:, None] * weight).ravel() * r, np.stack([r, r * s], axis=-1)
    return Chains(np.concatenate([leave, leave[:, ::-1]]), np.concatenate([half, half]))


def equal(nodes: int = 120, spread: float = 0.5) -> Chains:
    """a = b uniform in 1/2 +- spread: doubly stochastic, so that both states are equally frequent."""
    if not 0 < spread <= 0.5:
        raise GlasswareError(f"the spread of a around 1/2 is in (0, 1/2], not {spread:g}")
    u, weight = _legendre(nodes)
    leave = 0.5 - spread * (2 * u - 1)
    return Chains(np.stack([leave, leave], axis=-1), weight)


def point(a: float, b: float) -> Chains:
    """One chain."""
    return Chains(np.array([[1 - a, 1 - b]]), np.ones(1))


def sample(count: int, rng: np.random.Generator) -> Chains:
    """Draws from the flat law, equally weighted."""
    return Chains(rng.random((count, 2)), np.full(count, 1 / count))


def stationary(matrix: Float[np.ndarray, "*batch k k"]) -> Float[np.ndarray, "*batch k"]:
    """pi with pi P = pi, for any number of states.

    With J all ones, pi (I - P + J) is the row of ones, and the matrix is invertible when pi is unique.
    """
    k = matrix.shape[-1]
    system = np.swapaxes(np.eye(k) - matrix + 1, -1, -2)
    return np.linalg.solve(system, np.ones((*matrix.shape[:-1], 1)))[..., 0]


def _legendre(nodes: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    x, weight = np.polynomial.legendre.leggauss(nodes)
    return (x + 1) / 2, weight / 2
