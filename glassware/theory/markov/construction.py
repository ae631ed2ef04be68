"""Proposition 8.2 as weights: a two-layer attention-only transformer that reads bigram statistics off its context.

Three blocks of k coordinates: the token itself, the token before it (written by layer 1), the answer (written by
layer 2). A softmax makes it frequencies, where the text says counts: of what follows the current token or, if nothing
has followed it yet, of all tokens. Position 1 can only attend to itself, so x_0 counts as x_1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from glassware.foundation.arrays import Float, Integer
from glassware.theory.boolean import Floats
from glassware.theory.markov.strategies import kl, one_hot


@dataclass(frozen=True, eq=False)
class Attention:
    """One layer (8.5): scores (z_i Q) (z_j K + v_{i-j+1})^T / sqrt(d) for j <= i, softmax, times z V."""

    Q: Float[np.ndarray, "d d"]
    K: Float[np.ndarray, "d d"]
    V: Float[np.ndarray, "d d"]
    v: Float[np.ndarray, "t d"]

    def scores(self, z: Float[np.ndarray, "*batch t d"]) -> Float[np.ndarray, "*batch t t"]:
        """Before the softmax; -inf for keys that come later."""
        t, d = z.shape[-2:]
        query, lag = z @ self.Q, np.arange(t)[:, None] - np.arange(t)
        by_token = query @ np.swapaxes(z @ self.K, -1, -2)
        by_lag = np.take_along_axis(
            query @ self.v[:t].T, np.broadcast_to(np.maximum(lag, 0), (*z.shape[:-2], t, t)), axis=-1
        )
        return np.where(lag >= 0, (by_token + by_lag) / math.sqrt(d), -np.inf)

    def weights(self, z: Float[np.ndarray, "*batch t d"]) -> Float[np.ndarray, "*batch t t"]:
        """After it."""
        scores = self.scores(z)
        up = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return up / up.sum(axis=-1, keepdims=True)

    def __call__(self, z: Float[np.ndarray, "*batch t d"]) -> Float[np.ndarray, "*batch t d"]:
        return self.weights(z) @ z @ self.V


@dataclass(frozen=True, eq=False)
class InductionTransformer:
    """P (Attn_2 + I) (Attn_1 + I) e_x with one-hot embeddings (8.4)."""

    layers: tuple[Attention, Attention]
    readout: Float[np.ndarray, "d k"]

    def inputs(self, tokens: Integer[np.ndarray, "*batch t"]) -> list[Float[np.ndarray, "*batch t d"]]:
        """What each layer sees, and the readout last."""
        z = [np.asarray(one_hot(tokens, len(self.readout)))]
        for layer in self.layers:
            z.append(z[-1] + layer(z[-1]))
        return z

    def logits(self, tokens: Integer[np.ndarray, "*batch t"]) -> Float[np.ndarray, "*batch t k"]:
        """After every position."""
        return self.inputs(tokens)[-1] @ self.readout


def induction_transformer(k: int, t: int, c: float, scale: float = 1.0, shift: float = 0.0) -> InductionTransformer:
    """The network of Proposition 8.2, d = 3k.

    Args:
        k: states.
        t: longest context.
        c: sharpness; the larger, the closer attention is to a choice among equals.
        scale: of the answer in the logits.
        shift: added to all logits, as a footnote has it; a softmax does not notice.
    """
    d, eye = 3 * k, np.eye(k)
    back = np.zeros((t, d))
    back[1, :k] = 1.0
    first = Attention(_block(k, 0, 0, c * eye), np.zeros((d, d)), _block(k, 0, 1, eye), back)
    second = Attention(_block(k, 0, 0, c * eye), _block(k, 1, 0, c * eye), _block(k, 0, 2, eye), np.zeros((t, d)))
    readout = np.concatenate([np.full((k, k), shift), np.zeros((k, k)), scale * eye])
    return InductionTransformer((first, second), readout)


def match_scores(k: int, c: float, printed: bool = False) -> tuple[float, float]:
    """Scores of the previous token in layer 1, and of tokens that follow the current one in layer 2; others get 0.

    Args:
        k: states.
        c: as above.
        printed: c and c / sqrt(d). They are c / sqrt(d) and c^2 / sqrt(d).
    """
    root = math.sqrt(3 * k)
    return (c, c / root) if printed else (c / root, c**2 / root)


def frequencies(tokens: Integer[np.ndarray, "*batch t"], states: int) -> Float[np.ndarray, "*batch k"]:
    """What the network computes after the last position as c grows, by counting."""
    row = one_hot(tokens, states)
    before = np.concatenate([tokens[..., :1], tokens[..., :-1]], axis=-1)
    match = (before == tokens[..., -1:]) * 1.0
    match = np.where(match.any(axis=-1, keepdims=True), match, 1.0)
    return (match[..., None] * row).sum(axis=-2) / match.sum(axis=-1)[..., None]


def fit_readout(
    share: Float[np.ndarray, "sequences k"], truth: Float[np.ndarray, "sequences k"]
) -> tuple[float, float]:
    """The scale a for which softmax(a share) is closest to the truth, and E KL(truth || softmax(a share))."""
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(lambda scale: float(np.mean(kl(truth, _softmax(scale * share)))), bounds=(0, 50))
    return float(found.x), float(found.fun)


def _softmax(logits: Floats) -> Floats:
    up = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return up / up.sum(axis=-1, keepdims=True)


def _block(k: int, row: int, column: int, value: Floats) -> Floats:
    """A (3k, 3k) matrix with one block of k x k that is not 0."""
    place = np.zeros((3, 3))
    place[row, column] = 1.0
    return np.kron(place, value)
