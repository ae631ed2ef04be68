"""How much a Transformer moves when its weights or inputs do: Lemmas 4.7 and A.13 to A.16, as left and right sides.

Rows of Z are tokens. A layer is P(sigma(P(Attn(Z))) W_C), where P shortens rows longer than 1 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from glassware.foundation.arrays import Float
from glassware.theory.variable_creation.deep import LayerNorms, amplification
from glassware.theory.variable_creation.norms import longest_row, pq_norm, project, softmax, spectral

Tokens: TypeAlias = Float[np.ndarray, "T d"]
Row: TypeAlias = Float[np.ndarray, " d"]
Activation: TypeAlias = Callable[[Float[np.ndarray, "..."]], Float[np.ndarray, "..."]]


@dataclass(frozen=True, eq=False)
class Layer:
    """Weights of a layer; ``QK`` is W_K W_Q^T, in which form alone the two occur."""

    QK: Float[np.ndarray, "d d"]
    V: Float[np.ndarray, "d k"]
    C: Float[np.ndarray, "k d"]

    def norms(self) -> LayerNorms:
        """The norms that a bound knows of these weights."""
        return LayerNorms(spectral(self.C), spectral(self.V), spectral(self.QK), pq_norm(self.C, 2, 1),
                          pq_norm(self.V, 2, 1), pq_norm(self.QK.T, 2, 1))  # fmt: skip


def attend(Z: Tokens, layer: Layer) -> Float[np.ndarray, "T k"]:
    """RowSoftmax(Z W_Q (Z W_K)^T) Z W_V."""
    return softmax(Z @ layer.QK.T @ Z.T) @ Z @ layer.V


def forward(Z: Tokens, layer: Layer, sigma: Activation = np.tanh) -> Tokens:
    """One layer."""
    return project(sigma(project(attend(Z, layer))) @ layer.C)


def network(X: Tokens, layers: Sequence[Layer], sigma: Activation = np.tanh) -> Tokens:
    """All layers."""
    for layer in layers:
        X = forward(X, layer, sigma)
    return X


def head_sides(
    X: Tokens, z: Float[np.ndarray, " d"], layer: Layer, other: Layer, printed: bool = False
) -> tuple[float, float]:
    """Lemma 4.7 for tanh(W_V^T X^T softmax(X W_QK^T z)): how far two heads differ, and how far they may.

    Args:
        X, z: tokens and context.
        layer, other: weights of both.
        printed: as Corollary 4.9 uses it: the difference of the scores by that of W_QK z alone, as if ||x_t|| ≤ 1.
    """
    one, two = (np.tanh(layer_.V.T @ X.T @ softmax(X @ layer_.QK @ z)) for layer_ in (layer, other))
    moved = (layer.QK - other.QK) @ z
    scores = float(np.linalg.norm(moved)) if printed else float(np.abs(X @ moved).max())
    right = 2 * spectral(layer.V) * longest_row(X) * scores + longest_row(X @ (layer.V - other.V))
    return float(np.linalg.norm(one - two)), right


def weight_sides(Z: Tokens, layer: Layer, other: Layer) -> tuple[float, float]:
    """Lemma A.13: how far two attention layers differ on tokens of length ≤ 1, and how far they may."""
    right = 2 * spectral(layer.V) * longest_row(Z @ (layer.QK - other.QK)) + longest_row(Z @ (layer.V - other.V))
    return longest_row(attend(Z, layer) - attend(Z, other)), right


def input_slope(layer: Layer, B_X: float = 1.0, printed: bool = False, steepness: float = 2.0) -> float:
    """Lemma A.14: how much attention may stretch differences of inputs, ||W_V|| (1 + 2 c B_X^2 ||W_QK||).

    Args:
        layer: weights.
        B_X: longest token.
        printed: without B_X, which is right for tokens of length ≤ 1.
        steepness: c, of softmax; 2 in the text, and 1 is enough.
    """
    longest = 1.0 if printed else B_X
    return spectral(layer.V) * (1 + 2 * steepness * longest**2 * spectral(layer.QK))


def layer_sides(
    Z: Tokens, moved: Tokens, layer: Layer, other: Layer, lipschitz: float = 1.0, sigma: Activation = np.tanh
) -> tuple[float, float]:
    """Lemma A.15: outputs of two layers on two inputs of length ≤ 1, and the sum of its four terms."""
    C, V = (max(spectral(getattr(layer, name)), spectral(getattr(other, name))) for name in ("C", "V"))
    QK = max(spectral(layer.QK), spectral(other.QK))
    right = (
        longest_row(sigma(project(attend(moved, other))) @ (layer.C - other.C))
        + lipschitz * C * V * (1 + 4 * QK) * longest_row(Z - moved)
        + 2 * lipschitz * C * V * longest_row(moved @ (layer.QK - other.QK))
        + lipschitz * C * longest_row(moved @ (layer.V - other.V))
    )
    return longest_row(forward(Z, layer, sigma) - forward(moved, other, sigma)), right


def readout_sides(
    g: Float[np.ndarray, " d"],
    other: Float[np.ndarray, " d"],
    w: Float[np.ndarray, " d"],
    w_other: Float[np.ndarray, " d"],
) -> tuple[float, float]:
    """Lemma A.16: two readouts of two [CLS] rows."""
    right = np.linalg.norm(w) * np.linalg.norm(g - other) + abs((w - w_other) @ other)
    return abs(float(w @ g - w_other @ other)), float(right)


def budget_sides(
    X: Tokens, layers: Sequence[Layer], moved: Sequence[Layer], lipschitz: float = 1.0, sigma: Activation = np.tanh,
    printed: bool = False,
) -> tuple[float, float]:  # fmt: skip
    """The error budget of A.17: how far two networks differ, and the sum of their layers' errors, each amplified."""
    norms = [_larger(one.norms(), two.norms()) for one, two in zip(layers, moved, strict=True)]
    Z, right = X, 0.0
    for one, two, norm, alpha in zip(layers, moved, norms, amplification(norms, lipschitz, printed), strict=True):
        longest = longest_row(Z)
        own = longest_row(sigma(project(attend(Z, two))) @ (one.C - two.C))
        own += 2 * lipschitz * norm.C * norm.V * longest**2 * longest_row(Z @ (one.QK - two.QK)) / max(longest, 1e-300)
        own += lipschitz * norm.C * longest_row(Z @ (one.V - two.V))
        right += float(alpha) * own
        Z = forward(Z, two, sigma)
    return longest_row(network(X, layers, sigma) - Z), right


def steep_tokens(T: int, B_X: float) -> Tokens:
    """Where attention is steepest in its own token: T - 1 tokens at the two ends of a line, one at its middle."""
    ends = np.where(np.arange(T - 1) % 2, -B_X, B_X)
    return np.append(ends, 0.0)[:, None]


def steep_slope(T: int, B_X: float, QK: float) -> float:
    """What A.14 bounds, at these tokens, with W_V = 1 and W_K W_Q^T = QK in one dimension: by moving the middle one."""
    layer, step = Layer(np.array([[QK]]), np.ones((1, 1)), np.ones((1, 1))), 1e-6 / (B_X**2 * max(QK, 1.0))
    Z = steep_tokens(T, B_X)
    moved = Z.copy()
    moved[-1] += step
    return longest_row(attend(Z, layer) - attend(moved, layer)) / step


def random_layer(rng: np.random.Generator, d: int, k: int, scale: float = 1.0) -> Layer:
    """Gaussian weights with spectral norms of about ``scale``."""
    draw = lambda rows, columns: scale * rng.standard_normal((rows, columns)) / (math.sqrt(rows) + math.sqrt(columns))
    return Layer(draw(d, d), draw(d, k), draw(k, d))


def nudged(layer: Layer, rng: np.random.Generator, size: float, only: str = "") -> Layer:
    """The same weights with Gaussian changes of this size, of one matrix only if named (``QK``, ``V`` or ``C``)."""
    change = lambda name: size * rng.standard_normal(getattr(layer, name).shape) * (only in ("", name))
    return Layer(layer.QK + change("QK"), layer.V + change("V"), layer.C + change("C"))


def _larger(one: LayerNorms, two: LayerNorms) -> LayerNorms:
    return LayerNorms(*(max(a, b) for a, b in zip(vars(one).values(), vars(two).values(), strict=True)))
