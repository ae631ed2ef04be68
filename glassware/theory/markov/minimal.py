"""The minimal model (equation 8.8): a k x k matrix W for the second layer, position weights v_1 .. v_t for the first.

f(E) = mask(E W (M E)^T) E without a softmax, M_pq = v_{p-q+1}. In sums, with x_p the token at position p,

    f_{p,i} = sum_{t' <= p} 1[x_t' = i] sum_{s <= t'} v_{t'-s+1} W_{x_p, x_s}.

It is linear in W and in v, so where no hinge of the margin loss is at rest the loss is bilinear in (v, W).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from glassware.foundation.arrays import Float, Integer
from glassware.theory.boolean import Floats
from glassware.theory.markov.strategies import one_hot


@dataclass(frozen=True, eq=False)
class Minimal:
    """Weights of a minimal model.

    Args:
        W: (k, k), row of the current token, column of an earlier one.
        v: weight of a token that is j-1 positions before t', j = 1 .. t.
    """

    W: Float[np.ndarray, "k k"]
    v: Float[np.ndarray, " t"]

    def logits(self, tokens: Integer[np.ndarray, "*batch t"]) -> Float[np.ndarray, "*batch t k"]:
        """f in O(t^2 k) per sequence: what each t' adds for each possible current token, summed over t'."""
        row = one_hot(tokens, len(self.W))
        key = _toeplitz(self.v, tokens.shape[-1]) @ row @ self.W.T  # (t', current token)
        total = np.cumsum(row[..., :, None] * key[..., None, :], axis=-3)  # (p, i, current token)
        return (total * row[..., None, :]).sum(axis=-1)

    def logits_matrix(self, tokens: Integer[np.ndarray, "*batch t"]) -> Float[np.ndarray, "*batch t k"]:
        """f by matrix products as in 8.8."""
        row = one_hot(tokens, len(self.W))
        key = _toeplitz(self.v, tokens.shape[-1]) @ row
        return np.tril(row @ self.W @ np.swapaxes(key, -1, -2)) @ row

    def logits_sum(self, tokens: Integer[np.ndarray, " t"]) -> Float[np.ndarray, "t k"]:
        """f of one sequence by the double sum E.2, word for word; slow."""
        out = np.zeros((len(tokens), len(self.W)))
        for p, current in enumerate(tokens):
            for later in range(p + 1):
                for s in range(later + 1):
                    out[p, tokens[later]] += self.v[later - s] * self.W[current, tokens[s]]
        return out


def minimal_bigram(k: int, t: int) -> Minimal:
    """Logits are how often each token followed the current one (Fact 8.3): v = e_2, W = I."""
    return Minimal(np.eye(k), np.eye(t)[1])


def minimal_unigram(k: int, t: int) -> Minimal:
    """Logits are how often each token occurred (Fact 8.3): v = e_1, W all ones."""
    return Minimal(np.ones((k, k)), np.eye(t)[0])


def hinges(
    logits: Float[np.ndarray, "*batch t k"], targets: Integer[np.ndarray, "*batch t"], margin: float
) -> Float[np.ndarray, "*batch t k"]:
    """margin + f_{p,i} - f_{p, x_{p+1}} before the cut at 0; 0 for i = x_{p+1}, which the loss leaves out."""
    target = one_hot(targets, logits.shape[-1])
    return (1 - target) * (margin + logits - (logits * target).sum(axis=-1, keepdims=True))


def margin_loss(
    logits: Float[np.ndarray, "*batch t k"], targets: Integer[np.ndarray, "*batch t"], margin: float
) -> Float[np.ndarray, "*batch"]:
    """(1/k) sum over wrong i of max(0, margin + f_{p,i} - f_{p, x_{p+1}}), averaged over positions (8.7, E.3)."""
    return np.maximum(0, hinges(logits, targets, margin)).sum(axis=-1).mean(axis=-1) / logits.shape[-1]


def in_linear_regime(
    logits: Float[np.ndarray, "*batch t k"], targets: Integer[np.ndarray, "*batch t"], margin: float
) -> bool:
    """Whether no hinge is at rest, without which the closed forms of the first steps do not apply."""
    return bool(np.all(hinges(logits, targets, margin) >= 0))


def sufficient_margin(model: Minimal) -> float:
    """A margin at which no hinge rests on any sequence: max|W| max|v| t(t+1)/2, for |f_i - f_j| is at most that."""
    t = len(model.v)
    return float(np.max(np.abs(model.W)) * np.max(np.abs(model.v)) * t * (t + 1) / 2)


def linear_descent(
    model: Minimal, tokens: Integer[np.ndarray, "sequences t_1"], weight: Float[np.ndarray, " sequences"] | None = None
) -> tuple[Float[np.ndarray, "k k"], Float[np.ndarray, " t"]]:
    """Minus the gradient of the margin loss in the linear regime, averaged over sequences of t+1 tokens.

    At logits 0 this is minus the gradient of the cross-entropy too.

    Args:
        model: where it is taken. The part for W does not depend on W, that for v not on v.
        tokens: x_1 .. x_{t+1}.
        weight: of each sequence; equal unless given.
    """
    k, t = len(model.W), tokens.shape[-1] - 1
    weight = np.full(len(tokens), 1 / len(tokens)) if weight is None else weight
    row, after = one_hot(tokens[:, :-1], k), one_hot(tokens[:, 1:], k) - 1 / k
    # pull[t', m] = sum over p >= t' with x_p = m of the slope of position p's loss in the logit of x_t'.
    moves = row[..., :, None] * after[..., None, :]
    later = np.cumsum(moves[:, ::-1], axis=1)[:, ::-1]
    pull = (later * row[..., None, :]).sum(axis=-1) * (weight / t)[:, None, None]
    toeplitz = _toeplitz(model.v, t)
    W = np.tensordot(pull, toeplitz @ row, axes=((0, 1), (0, 1)))
    pairs = np.tensordot(pull @ model.W, row, axes=((0, 2), (0, 2)))  # (t', s)
    v = np.array([np.trace(pairs, offset=-lag) for lag in range(t)])
    return W, v


def _toeplitz(v: Float[np.ndarray, " t"], t: int) -> Floats:
    """M_pq = v_{p-q+1} for q <= p, else 0."""
    lag = np.arange(t)[:, None] - np.arange(t)
    return np.where(lag >= 0, v[np.maximum(lag, 0)], 0.0)
