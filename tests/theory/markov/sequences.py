"""Sequences for the tests here: all of them with their probabilities, and random ones."""

from functools import cache
from itertools import product

import numpy as np

from glassware.theory.birkhoff import simplices, vertices
from glassware.theory.markov.chains import stationary


def every_sequence(matrix, t):
    """All sequences of t + 1 tokens, and their probabilities under the chain with a stationary start."""
    tokens = np.array(list(product(range(len(matrix)), repeat=t + 1)))
    return tokens, stationary(matrix)[tokens[:, 0]] * np.prod(matrix[tokens[:, :-1], tokens[:, 1:]], axis=1)


def matrices(prior, count, k, rng, order=2):
    """Rows of next-token laws, one per context."""
    if prior == "doubly-stochastic":
        cut = simplices(k)
        mixture = rng.dirichlet(np.ones(cut.shape[1]), count)
        return np.einsum("cv,cvij->cij", mixture, vertices(k)[cut[rng.integers(len(cut), size=count)]])
    if prior == "unigram":
        return np.repeat(rng.dirichlet(np.ones(k), (count, 1)), k, axis=1)
    return rng.dirichlet(np.ones(k), (count, k ** (order - 1)))


def sequences(matrix, t, rng):
    """Contexts x_1 .. x_t with stationary starts, and the law of x_{t+1}."""
    count, contexts, k = matrix.shape
    reached = (np.arange(contexts)[:, None] * k + np.arange(k)) % contexts
    lifted = np.einsum("cxk,xky->cxy", matrix, (reached[..., None] == np.arange(contexts)) * 1.0)
    context = _pick(stationary(lifted), rng)
    past = round(np.log(contexts) / np.log(k))
    tokens = [context // k**place % k for place in reversed(range(past))]
    for _ in range(t - past):
        tokens.append(_pick(matrix[np.arange(count), context], rng))
        context = (context * k + tokens[-1]) % contexts
    return np.stack(tokens, axis=-1), matrix[np.arange(count), context]


@cache
def drawn(count, k, t, prior="dirichlet", order=2, seed=0):
    """Contexts and true laws under a prior."""
    rng = np.random.default_rng(seed)
    return sequences(matrices(prior, count, k, rng, order), t, rng)


def _pick(law, rng):
    return (rng.random((len(law), 1)) >= np.cumsum(law, axis=-1)[:, :-1]).sum(axis=-1)
