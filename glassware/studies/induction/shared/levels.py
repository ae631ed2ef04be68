"""What each strategy costs on the very chains that a run was examined on."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np

from glassware.foundation.arrays import Float, Int
from glassware.foundation.backend import jax
from glassware.foundation.draws import held_out_key
from glassware.studies.lanes import Row
from glassware.tasks import MarkovChain
from glassware.theory.markov.between import between
from glassware.theory.markov.levels import level
from glassware.theory.markov.strategies import ngram, uniform

STRATEGIES = ("uniform", "unigram", "bigram", "trigram")  # from the simplest on


def row_levels(row: Row) -> dict[str, float]:
    """The levels of a run's held-out sample."""
    return strategy_levels(row_task(row), int(row["test_size"]))


def between_levels(row: Row) -> dict[str, float]:
    """The same of the strategies between unigrams and bigrams, where there are any."""
    return fitted_levels(row_task(row), int(row["test_size"]))


def row_task(row: Row) -> MarkovChain:
    """What a run was trained on."""
    return MarkovChain(**json.loads(row["spec"])["task"])


@lru_cache(maxsize=32)
def strategy_levels(task: MarkovChain, test: int) -> dict[str, float]:
    """E KL(truth || strategy) after the last position, by strategy, over the first ``test`` held-out chains."""
    tokens, truth = held_out(task, test)
    alpha = 1.0 if task.alpha is None else task.alpha
    laws = [uniform(tokens, task.states), *(ngram(tokens, task.states, n, alpha) for n in range(1, task.order + 1))]
    return {name: level(truth, law).mean for name, law in zip(STRATEGIES, laws, strict=False)}


@lru_cache(maxsize=32)
def fitted_levels(task: MarkovChain, test: int) -> dict[str, float]:
    """The same of ``unigram_self`` (two or three states) and ``lookback_logit`` (two)."""
    tokens, truth = held_out(task, test)
    return {name: level(truth, law(tokens)).mean for name, law in between(task.states, task.length).items()}


def mixed_chain(
    task: MarkovChain, shown: int, among: int = 64
) -> tuple[Int[np.ndarray, " shown"], Float[np.ndarray, "contexts states"]]:
    """The beginning of the first held-out chain in which no token is rare, and the chain's matrix."""
    raw = jax.jit(lambda index: task.held_out(held_out_key(), index))(np.arange(among, dtype=np.uint32))
    tokens, matrices = np.asarray(raw[0])[:, :shown], np.asarray(raw[1], np.float64)
    rarest = (tokens[..., None] == np.arange(task.states)).sum(axis=1).min(axis=-1)
    place = int(np.argmax(rarest >= tokens.shape[1] / (2 * task.states)))
    return tokens[place], matrices[place]


@lru_cache(maxsize=8)
def held_out(task: MarkovChain, test: int) -> tuple[Int[np.ndarray, "chains t"], Float[np.ndarray, "chains k"]]:
    """The first held-out chains, and the laws of their next tokens."""
    # Compiled as one program: its parts one by one would take longer to compile.
    raw = jax.jit(lambda index: task.held_out(held_out_key(), index))(np.arange(test, dtype=np.uint32))
    return np.asarray(raw[0])[:, : task.length], np.asarray(task.truth(raw), np.float64)
