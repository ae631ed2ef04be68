"""Strategies between unigrams and bigrams whose numbers are fitted: what one look at the past can know.

Both beat the unigram strategy without a single induction head, so a network on its plateau may sit below "unigram".
They are fitted with NumPy; fitted, they predict arrays of NumPy and of JAX like the other strategies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from glassware.foundation.arrays import EitherArray, Float, Integer
from glassware.foundation.errors import GlasswareError
from glassware.theory.markov.levels import count_law
from glassware.theory.markov.strategies import Laws, Tokens, one_hot


@dataclass(frozen=True, eq=False)
class UnigramSelf:
    """The best prediction from the counts of all tokens and the current token, tabulated.

    Tokens are numbered from the current one x: x, x+1, x+2 modulo k. A prediction is looked up by the count of x and,
    for three states, of x+1.

    Args:
        states: 2 or 3.
        length: t, at which it was tabulated.
        width: how many counts share a cell, per axis.
        table: laws of the next token, one row per cell.
    """

    states: int
    length: int
    width: int
    table: Float[np.ndarray, "cells k"]

    def __call__(self, tokens: Tokens) -> Laws:
        """Predictions after the last position."""
        if tokens.shape[-1] != self.length:
            raise GlasswareError(f"tabulated at t = {self.length}, not {tokens.shape[-1]}")
        law = one_hot(_cells(tokens, self.states, self.width), len(self.table)) @ self.table
        offset = (np.arange(self.states) - tokens[..., -1:]) % self.states
        return (one_hot(offset, self.states) * law[..., None, :]).sum(-1)


def unigram_self(t: int) -> UnigramSelf:
    """For two states under the flat prior, without sampling."""
    law = count_law(t)
    stays = np.where(law.probability > 0, law.stays, 0.5)
    return UnigramSelf(2, t, 1, np.stack([stays, 1 - stays], axis=-1))


def fit_unigram_self(
    tokens: Integer[np.ndarray, "sequences t"], truth: Float[np.ndarray, "sequences k"], width: int = 1
) -> UnigramSelf:
    """For two or three states and any prior, by averaging the true laws of sequences over cells.

    Args:
        tokens: of sequences that the prior gives.
        truth: the law of each one's next token.
        width: of a cell, in counts; wider cells need fewer sequences.
    """
    states, t = truth.shape[-1], tokens.shape[-1]
    if states not in (2, 3):
        raise GlasswareError(f"tabulated for 2 or 3 states, not {states}")
    side = t // width + 1
    cells, count = _cells(tokens, states, width), side ** (states - 1)
    turned = np.take_along_axis(truth, (tokens[:, -1:] + np.arange(states)) % states, axis=-1)
    total = _summed(cells, turned, count)
    if states == 3:  # exchanging the two other tokens changes nothing but their names: every sequence counts twice
        mirror = tokens[:, -1:] - (tokens - tokens[:, -1:])
        total = total + _summed(_cells(mirror % 3, 3, width), turned[:, [0, 2, 1]], count)
    # A cell with few sequences leans on all cells with the same count of x, as if it had seen one more of them.
    rows = total.reshape(side, -1, states).sum(axis=1) + 1e-9
    prior = np.repeat(rows / rows.sum(axis=-1, keepdims=True), count // side, axis=0)
    table = total + prior
    return UnigramSelf(states, t, width, table / table.sum(axis=-1, keepdims=True))


@dataclass(frozen=True, eq=False)
class LookbackLogit:
    """For two states: log odds that the current token is repeated, linear in which earlier tokens equal it.

    One layer of attention by relative position can do about this much.

    Args:
        bias: log odds where no earlier token is equal.
        weights: of the token m positions back, m = 1 .. t-1.
    """

    bias: float
    weights: Float[np.ndarray, " lookbacks"]

    def __call__(self, tokens: Tokens) -> Laws:
        """Predictions after the last position."""
        xp = tokens.__array_namespace__()
        odds = _equal(tokens) @ self.weights + self.bias
        stays = 1 / (1 + xp.exp(-odds))[..., None]
        current = one_hot(tokens[..., -1], 2)
        return current * stays + (1 - current) * (1 - stays)


def fit_lookback_logit(
    tokens: Integer[np.ndarray, "sequences t"], truth: Float[np.ndarray, "sequences 2"], steps: int = 50
) -> LookbackLogit:
    """The logistic regression with least E KL(truth || prediction), by Newton's method.

    Args:
        tokens: 0 or 1.
        truth: the law of each sequence's next token.
        steps: at most; a handful are taken.
    """
    features = np.concatenate([_equal(tokens), np.ones((len(tokens), 1))], axis=1)
    target = np.take_along_axis(truth, tokens[:, -1:], axis=-1)[:, 0]
    theta = np.zeros(features.shape[1])
    for _ in range(steps):
        stays = 1 / (1 + np.exp(-features @ theta))
        slope = features.T @ (target - stays)
        curvature = (features * (stays * (1 - stays))[:, None]).T @ features
        try:
            step = np.linalg.solve(curvature, slope)
        except np.linalg.LinAlgError:  # weights that only grow: the sequences can be told apart exactly
            break
        theta = theta + step
        if np.max(np.abs(step)) < 1e-9:
            return LookbackLogit(float(theta[-1]), theta[:-1])
    raise GlasswareError(f"the logistic fit has not converged in {steps} Newton steps; give it more sequences")


def _equal(tokens: Tokens) -> Float[EitherArray, "*batch lookbacks"]:
    """Whether the token m = 1 .. t-1 positions back equals the current one."""
    return (tokens[..., -2::-1] == tokens[..., -1:]) * 1.0


def _cells(tokens: Tokens, states: int, width: int) -> Integer[EitherArray, "*batch"]:
    """The cell of each sequence: counts of x and, for three states, of x+1, in units of the width."""
    cell, side = 0 * tokens[..., -1], tokens.shape[-1] // width + 1
    for offset in range(states - 1):
        wanted = (tokens[..., -1:] + offset) % states
        cell = cell * side + (tokens == wanted).sum(-1) // width
    return cell


def _summed(
    cells: Integer[EitherArray, " sequences"], values: Float[np.ndarray, "sequences k"], count: int
) -> Float[np.ndarray, "cells k"]:
    return np.stack([np.bincount(np.asarray(cells), column, count) for column in values.T], axis=-1)
