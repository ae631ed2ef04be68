"""Predictions of x_{p+1} from x_1 .. x_p by counting, and by Bayes' rule for two states.

Everything here takes tokens (..., t) from 0 to k-1 and returns laws of the next token (..., k). It is written with
operations that arrays of NumPy and of JAX share, and writes nothing in place, so that a compiled probe can call it.
With ``everywhere`` the laws after every position come back, (..., t, k); a prediction never sees what follows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from glassware.foundation.arrays import EitherArray, Float, Integer
from glassware.foundation.errors import GlasswareError
from glassware.theory.markov.chains import enough, flat

Tokens: TypeAlias = Integer[EitherArray, "*batch t"]
Laws: TypeAlias = Float[EitherArray, "*batch k"]


def one_hot(tokens: Integer[EitherArray, "*batch"], states: int) -> Float[EitherArray, "*batch k"]:
    """1 at the token's place, 0 elsewhere."""
    return (tokens[..., None] == np.arange(states)) * 1.0


def uniform(tokens: Tokens, states: int, everywhere: bool = False) -> Laws:
    """1/k."""
    return 0 * one_hot(tokens if everywhere else tokens[..., -1], states) + 1 / states


def unigram(tokens: Tokens, states: int, alpha: float | Sequence[float] = 1.0, everywhere: bool = False) -> Laws:
    """How often each token occurred, smoothed: (c_i + alpha_i) / (p + sum alpha)."""
    seen = one_hot(tokens, states)
    return _smoothed(seen.cumsum(-2) if everywhere else seen.sum(-2), alpha)


def ngram(
    tokens: Tokens, states: int, n: int = 2, alpha: float | Sequence[float] = 1.0, everywhere: bool = False
) -> Laws:
    """What followed earlier occurrences of the last n-1 tokens, smoothed.

    Args:
        tokens: what was seen.
        states: k.
        n: 2 for bigrams, 3 for trigrams; 1 is ``unigram``.
        alpha: pseudo-counts, the parameters of the Dirichlet prior; one for all states or one each.
        everywhere: after every position. Where fewer than n-1 tokens have been seen this is the prior mean.
    """
    if n < 1:
        raise GlasswareError(f"an n-gram has at least one token, not {n}")
    if n == 1:
        return unigram(tokens, states, alpha, everywhere)
    early = 0 * one_hot(tokens, states)
    if tokens.shape[-1] < n - 1:
        return _smoothed(early if everywhere else early[..., -1, :], alpha)
    context = contexts(tokens, states, n)
    after = one_hot(tokens[..., n - 1 :], states)
    if not everywhere:
        match = (context[..., :-1] == context[..., -1:]) * 1.0
        return _smoothed((match[..., None] * after).sum(-2), alpha)
    xp = tokens.__array_namespace__()
    at = one_hot(context, states ** (n - 1))[..., None]
    counts = (at[..., :-1, :, :] * after[..., None, :]).cumsum(-3)
    counts = (counts * at[..., 1:, :, :]).sum(-2)
    return _smoothed(xp.concat([early[..., : n - 1, :], counts], axis=-2), alpha)


def contexts(tokens: Tokens, states: int, n: int) -> Integer[EitherArray, "*batch positions"]:
    """The last n-1 tokens as one number, oldest first, from position n-1 on."""
    count, number = tokens.shape[-1] - n + 2, 0 * tokens[..., n - 2 :]
    for place in range(n - 1):
        number = number * states + tokens[..., place : place + count]
    return number


def bayes_exact(tokens: Tokens, nodes: int | None = None, start: str = "stationary") -> Laws:
    """The posterior mean of the current row for two states under the flat prior, by quadrature over (a, b).

    A row of as many numbers as there are nodes is made per sequence: call it on some thousand sequences at a time.

    Args:
        tokens: 0 or 1.
        nodes: per direction; enough to integrate the likelihood to rounding unless given.
        start: the law of x_1: "stationary", which tells something about the chain, or "uniform", which does not.
    """
    xp = tokens.__array_namespace__()
    chains = flat(nodes or enough(tokens.shape[-1]))
    row, first = one_hot(tokens, 2), np.log(chains.stationary) if start == "stationary" else np.zeros((1, 2))
    moves = (row[..., :-1, :, None] * row[..., 1:, None, :]).sum(-3)
    likelihood = moves.reshape(*moves.shape[:-2], 4) @ np.log(chains.matrices).reshape(-1, 4).T
    likelihood = likelihood + row[..., 0, :] @ first.T + np.log(chains.weight)
    weight = xp.exp(likelihood - likelihood.max(-1, keepdims=True))
    weight = weight / weight.sum(-1, keepdims=True)
    mean = (weight @ chains.matrices.reshape(-1, 4)).reshape(*weight.shape[:-1], 2, 2)
    return (row[..., -1, :, None] * mean).sum(-2)


def bayes_unigram(tokens: Tokens, nodes: int | None = None, everywhere: bool = False) -> Laws:
    """The posterior mean of pi for two states, were tokens independent draws from pi.

    Under the flat prior pi_1 is 1 / (1 + the ratio of two uniform numbers), with density 1 / (2 max(u, 1-u)^2).

    Args:
        tokens: 0 or 1.
        nodes: in each half of [0, 1]; enough to integrate the likelihood to rounding unless given.
        everywhere: after every position.
    """
    xp = tokens.__array_namespace__()
    x, weight = np.polynomial.legendre.leggauss(nodes or enough(tokens.shape[-1]))
    u = np.concatenate([(x + 1) / 4, (x + 3) / 4])
    density = np.tile(weight / 4, 2) / (2 * np.maximum(u, 1 - u) ** 2)
    seen = one_hot(tokens, 2)
    counts = seen.cumsum(-2) if everywhere else seen.sum(-2)
    likelihood = counts @ np.log([u, 1 - u]) + np.log(density)
    posterior = xp.exp(likelihood - likelihood.max(-1, keepdims=True))
    law = posterior @ np.stack([u, 1 - u], axis=-1)
    return law / law.sum(-1, keepdims=True)


def kl(p: Laws, q: Laws) -> Float[EitherArray, "*batch"]:
    """KL(p || q) = sum p log(p / q) in nats, over the last axis; outcomes that p excludes count nothing."""
    xp = p.__array_namespace__()
    possible = p > 0
    return xp.where(possible, p * (xp.log(xp.where(possible, p, 1.0)) - xp.log(q)), 0.0).sum(-1)


def _smoothed(counts: Float[EitherArray, "*batch k"], alpha: float | Sequence[float]) -> Laws:
    total = counts + np.asarray(alpha)
    return total / total.sum(-1, keepdims=True)
