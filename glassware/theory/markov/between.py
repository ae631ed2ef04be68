"""The strategies between unigrams and bigrams, fitted once to chains of the flat prior.

``fitted`` has the strategies themselves. Here are the ones that a network on these chains is compared with: fitted to
chains of our own, and kept for the rest of the process.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from glassware.foundation.arrays import Float, Integer
from glassware.theory.markov.chains import stationary
from glassware.theory.markov.fitted import fit_lookback_logit, fit_unigram_self, unigram_self
from glassware.theory.markov.strategies import Laws, Tokens

FITTED_TO = {2: 40_000, 3: 200_000}  # chains: weights of t look-backs, or a table of two counts
WIDTH = 2  # counts that share a cell of that table

Strategy: TypeAlias = Callable[[Tokens], Laws]


@lru_cache(maxsize=8)
def between(states: int, t: int) -> dict[str, Strategy]:
    """The best prediction from counts and the current token (``unigram_self``) for two or three states; for two, the
    logistic one from which earlier tokens equal it (``lookback_logit``). None for more states.

    >>> from glassware.theory.markov.between import between
    >>> list(between(2, 10)), list(between(4, 10))
    (['unigram_self', 'lookback_logit'], [])
    """
    if states not in FITTED_TO:
        return {}
    tokens, truth = draw_chains(FITTED_TO[states], states, t)
    if states == 2:
        return {"unigram_self": unigram_self(t), "lookback_logit": fit_lookback_logit(tokens, truth)}
    return {"unigram_self": fit_unigram_self(tokens, truth, WIDTH if t > 2 * WIDTH else 1)}


def draw_chains(
    count: int, states: int, t: int, seed: int = 0
) -> tuple[Integer[np.ndarray, "sequences t"], Float[np.ndarray, "sequences k"]]:
    """Sequences whose matrices have rows from the flat Dirichlet distribution, with the law of each one's next token.

    >>> from glassware.theory.markov.between import draw_chains
    >>> [array.shape for array in draw_chains(5, states=3, t=20)]
    [(5, 20), (5, 3)]
    """
    rng, every = np.random.default_rng(seed), np.arange(count)
    matrix = rng.dirichlet(np.ones(states), (count, states))
    ends = np.cumsum(matrix, axis=-1)[..., :-1]
    tokens = np.empty((count, t), np.int8)
    current = _pick(np.cumsum(stationary(matrix), axis=-1)[:, :-1], rng)
    for place in range(t):
        tokens[:, place] = current
        current = _pick(ends[every, current], rng)
    return tokens.astype(np.int64), matrix[every, tokens[:, -1]]


def _pick(ends: Float[np.ndarray, "sequences ends"], rng: np.random.Generator) -> Integer[np.ndarray, " sequences"]:
    """The state in whose share of [0, 1) a uniform number lies."""
    return (rng.random((len(ends), 1)) >= ends).sum(axis=-1)
