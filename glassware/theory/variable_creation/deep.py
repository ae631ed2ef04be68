"""Covering numbers of Transformers of several layers (A.1.7): g_{i+1} = P(sigma(P(Attn(g_i))) W_C), P a projection.

The cover of each weight matrix has an error of its own, and layers after it multiply that error; Lemma A.8 splits the
whole among them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from glassware.foundation.arrays import Float
from glassware.theory.variable_creation.allocation import allocate
from glassware.theory.variable_creation.covers import cover_linear, cover_matrix


@dataclass(frozen=True)
class LayerNorms:
    """Bounds on the weights of a layer: spectral norms of W_C, W_V and W_K W_Q^T, and their (2,1) norms."""

    C: float
    V: float
    QK: float
    C21: float
    V21: float
    QK21: float

    def slope(self, lipschitz: float = 1.0, residual: bool = False) -> float:
        """How much the layer may stretch differences of inputs of length ≤ 1; a residual connection adds 1 (COV8)."""
        return lipschitz * self.C * self.V * (1 + 4 * self.QK) + residual


class Part(NamedTuple):
    """One weight matrix of a cover, of size (norm longest / error)^2 log(rows N); its error counts ``cost`` times."""

    name: str
    norm: float
    longest: float
    rows: int
    cost: float


def amplification(
    layers: Sequence[LayerNorms], lipschitz: float = 1.0, printed: bool = False, residual: bool = False
) -> Float[np.ndarray, " L"]:
    """alpha_i: by how much an error made in layer i may have grown at the end, the product of later layers' slopes.

    A.17 prints the product over the layers *before* i.
    """
    slopes = [layer.slope(lipschitz, residual) for layer in layers]
    if printed:
        return np.array([1.0, *accumulate(slopes[:-1], lambda a, b: a * b)])
    return np.array([1.0, *accumulate(slopes[:0:-1], lambda a, b: a * b)])[::-1]


def parts(
    layers: Sequence[LayerNorms], B_w: float, *, d: int, k: int, B_X: float = 1.0, lipschitz: float = 1.0,
    residual: bool = False,
) -> list[Part]:  # fmt: skip
    """All matrices of the cover: the readout, then W_C, W_K W_Q^T and W_V of every layer.

    W_C reads activations as long as L_sigma; layer 1 reads tokens as long as B_X, later ones projections.
    """
    found = [Part("w", B_w, 1.0, 1, 1.0)]
    for i, (layer, alpha) in enumerate(zip(layers, amplification(layers, lipschitz, residual=residual), strict=True)):
        longest, outer = (B_X if i == 0 else 1.0), B_w * float(alpha)
        inner = outer * lipschitz * layer.C
        found += [
            Part(f"W_C {i + 1}", layer.C21, lipschitz, d, outer),
            Part(f"W_QK {i + 1}", layer.QK21, longest, d, 2 * inner * layer.V * longest**2),
            Part(f"W_V {i + 1}", layer.V21, longest, k, inner),
        ]
    return found


def cover_deep(
    layers: Sequence[LayerNorms], B_w: float, *, d: int, k: int, m: int, T: int, eps: float, B_X: float = 1.0,
    lipschitz: float = 1.0, residual: bool = False, printed: bool = False,
) -> float:  # fmt: skip
    """COV7 (A.17), the scaling form: gamma^3 / eps^2 log(d m T), gamma the sum of (norm longest cost)^(2/3).

    As printed, factors d^(2/3) and k^(2/3) stand there that the proof does not have, B_w is missing from the sum, and
    amplifications, lengths of activations and of tokens are as above.
    """
    log = math.log(d * m * T)
    if not printed:
        found = parts(layers, B_w, d=d, k=k, B_X=B_X, lipschitz=lipschitz, residual=residual)
        return sum((part.norm * part.longest * part.cost) ** (2 / 3) for part in found) ** 3 / eps**2 * log
    gamma = B_w ** (2 / 3)
    for layer, alpha in zip(layers, amplification(layers, lipschitz, printed=True), strict=True):
        inner = lipschitz * layer.C
        gamma += float(alpha) ** (2 / 3) * (
            layer.C21 ** (2 / 3)
            + (d * 2 * inner * layer.V * layer.QK21) ** (2 / 3)
            + (k * inner * layer.V21) ** (2 / 3)
        )
    return gamma**3 / eps**2 * log


def explicit_deep(
    layers: Sequence[LayerNorms], B_w: float, *, d: int, k: int, m: int, T: int, eps: float, B_X: float = 1.0,
    lipschitz: float = 1.0,
) -> float:  # fmt: skip
    """COV7 with the constants of Lemmas 4.10 and A.10, at the errors that Lemma A.8 gives to each matrix."""
    found = parts(layers, B_w, d=d, k=k, B_X=B_X, lipschitz=lipschitz)
    sizes = np.array([(part.norm * part.longest) ** 2 for part in found])
    errors = allocate(sizes, np.array([part.cost for part in found]), eps).shares
    total = cover_linear(B_w, 1.0, float(errors[0]), m)
    for part, error in zip(found[1:], errors[1:], strict=True):
        total += cover_matrix(part.norm, part.longest, part.rows, m * T, float(error))
    return total
