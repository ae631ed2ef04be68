"""What each strategy costs on the very chains that a run was examined on."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np

from glassware.foundation.backend import jax
from glassware.foundation.draws import held_out_key
from glassware.studies.lanes import Row
from glassware.tasks import MarkovChain
from glassware.theory.markov.levels import level
from glassware.theory.markov.strategies import ngram, uniform

STRATEGIES = ("uniform", "unigram", "bigram", "trigram")  # from the simplest on


def row_levels(row: Row) -> dict[str, float]:
    """The levels of a run's held-out sample."""
    return strategy_levels(MarkovChain(**json.loads(row["spec"])["task"]), int(row["test_size"]))


@lru_cache(maxsize=32)
def strategy_levels(task: MarkovChain, test: int) -> dict[str, float]:
    """E KL(truth || strategy) after the last position, by strategy, over the first ``test`` held-out chains."""
    # Compiled as one program: its parts one by one would take longer to compile.
    raw = jax.jit(lambda index: task.held_out(held_out_key(), index))(np.arange(test, dtype=np.uint32))
    tokens, truth = np.asarray(raw[0])[:, : task.length], np.asarray(task.truth(raw), np.float64)
    alpha = 1.0 if task.alpha is None else task.alpha
    laws = [uniform(tokens, task.states), *(ngram(tokens, task.states, n, alpha) for n in range(1, task.order + 1))]
    return {name: level(truth, law).mean for name, law in zip(STRATEGIES, laws, strict=False)}
