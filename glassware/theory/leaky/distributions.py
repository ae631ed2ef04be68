"""The distributions of Learning Parities with Neural Networks: a parity whose inputs leak the label half of the time.

D1: all bits uniform. D2: the k relevant bits are equal, all + or all -, the others uniform. D_A mixes the two. For odd
k a single relevant bit is the label under D2, so E[y z_j] = 1/2 on A under the fair mixture; D1 alone shows nothing.
The paper's inputs are x = z / sqrt(n) with z = +-1; functions here take z and say so where they take x.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from glassware.foundation.arrays import Bool
from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats, chi, cube, random_signs
from glassware.theory.half import majority

Bools: TypeAlias = Bool[np.ndarray, "..."]


class Sample(NamedTuple):
    """Examples, and which component each came from."""

    z: Floats  # (m, n), +-1
    y: Floats  # (m,), +-1
    leaky: Bools  # (m,), from D2

    @property
    def x(self) -> Floats:
        """The paper's inputs, of norm 1."""
        return self.z / math.sqrt(self.z.shape[1])


@dataclass(frozen=True)
class LeakyParity:
    """D_A: with probability ``leak`` the relevant bits are all equal; 1/2 in the paper, 0 is the plain parity."""

    n: int
    support: tuple[int, ...]
    leak: float = 0.5

    def __post_init__(self) -> None:
        if len(set(self.support)) != len(self.support) or not all(0 <= i < self.n for i in self.support):
            raise GlasswareError(f"support must name different coordinates below n = {self.n}, not {self.support}")
        if not 0 <= self.leak <= 1:
            raise GlasswareError(f"leak is a probability, not {self.leak}")

    @classmethod
    def draw(cls, n: int, k: int, rng: np.random.Generator, leak: float = 0.5) -> LeakyParity:
        """A support drawn at random. k must be odd: for even k the label of D2 is always +1 and nothing leaks."""
        if k < 1 or k % 2 == 0 or k > n:
            raise GlasswareError(f"k must be odd and at most n = {n}, not {k}: with even k the label does not leak")
        return cls(n, tuple(int(i) for i in np.sort(rng.choice(n, k, replace=False))), leak)

    @property
    def k(self) -> int:
        """Number of relevant bits."""
        return len(self.support)

    def label(self, z: Floats) -> Floats:
        """f_A(z): the parity of the relevant bits."""
        return chi(z, self.support)

    def probability(self, z: Floats, component: int | None = None) -> Floats:
        """Exact probabilities of inputs (..., n) under D1 (``component`` 1), D2 (2) or the mixture (None)."""
        relevant = z[..., list(self.support)]
        equal = np.all(relevant == relevant[..., :1], axis=-1)
        uniform = np.full(z.shape[:-1], 0.5**self.n)
        leaky = np.where(equal, 0.5 ** (self.n - self.k + 1), 0.0)
        if component is None:
            return (1 - self.leak) * uniform + self.leak * leaky
        return uniform if component == 1 else leaky

    def sample(self, m: int, rng: np.random.Generator, component: int | None = None) -> Sample:
        """m independent examples of the mixture, or of one component."""
        z = random_signs(rng, (m, self.n))
        share = self.leak if component is None else float(component - 1)
        leaky = rng.random(m) < share
        rows = np.flatnonzero(leaky)
        z[np.ix_(rows, np.array(self.support))] = z[rows, self.support[0]][:, None]
        return Sample(z, self.label(z), leaky)

    def correlations(self) -> Floats:
        """E[y z_j] (n,) in closed form: the leak on A, for odd k; 0 elsewhere."""
        correlation = np.zeros(self.n)
        correlation[list(self.support)] = self.leak * (self.k % 2) if self.k > 1 else 1.0
        return correlation

    def moments(self, component: int | None = None) -> tuple[float, Floats]:
        """(E[y], E[y z]) by enumeration, for small n."""
        z = cube(self.n)
        weight = self.probability(z, component) * self.label(z)
        return float(weight.sum()), weight @ z


def majority_agreement(k: int) -> float:
    """How often sign(sum of the relevant bits) is the parity under D1, for odd k; it is always right under D2.

    Linear fits end at this number: reading the leak is all they can do.
    """
    return (1 + majority(k, k)) / 2
