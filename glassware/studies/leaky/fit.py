"""What the studies of leaky parities share: a first step and a linear readout from a stream of examples, and the marks.

Nothing holds a whole sample. Examples are drawn again in chunks from a seed, so that the first step, the network's
readout and every baseline see the same ones, and a sample may be larger than the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from glassware.theory.leaky.distributions import LeakyParity, Sample
from glassware.theory.leaky.linear_methods import RIDGE, Embedding, Predictor, accuracy
from glassware.theory.leaky.network import Gradient, Network, gradient, update

CHUNK = 8192
FIRST_SEED = 100  # thresholds were chosen on small seeds: what they judge must not be those draws
EXAMINED = 10_000  # fresh examples of each component
FEWER = 2000  # where a prediction is dear


def examples(task: LeakyParity, m: int, seed: list[int]) -> Iterator[Sample]:
    """m examples in chunks; the same ones for the same seed."""
    rng = np.random.default_rng(seed)
    for start in range(0, m, CHUNK):
        yield task.sample(min(CHUNK, m - start), rng)


def stepped(network: Network, task: LeakyParity, m: int, seed: list[int]) -> Network:
    """The big first step on m examples."""
    total = None
    for sample in examples(task, m, seed):
        part = [g * (len(sample.y) / m) for g in gradient(network, sample.x, sample.y)]
        total = part if total is None else [a + b for a, b in zip(total, part, strict=True)]
    assert total is not None
    return update(network, Gradient(*total), 1.0, 0.5)


def readout(embedding: Embedding, task: LeakyParity, m: int, seed: list[int]) -> Predictor:
    """Ridge regression on features and a constant, as ``linear_methods.ridge``, from a stream of examples."""
    gram: Any = 0.0
    moment: Any = 0.0
    for sample in examples(task, m, seed):
        features = _with_one(embedding(sample.z))
        gram, moment = gram + features.T @ features, moment + features.T @ sample.y
    gram[np.diag_indices_from(gram)] += RIDGE * np.trace(gram) / len(gram)
    weights = np.linalg.solve(gram, moment)
    return lambda z: np.asarray(_with_one(embedding(z)) @ weights, np.float64)


def hidden(network: Network) -> Embedding:
    """A network's hidden units as features of z."""
    return lambda z: network.hidden(z / np.sqrt(z.shape[1]))


def marks(predict: Predictor, task: LeakyParity, seed: list[int], count: int = EXAMINED) -> dict[str, float]:
    """Accuracy on fresh examples of D1 (``uniform``), D2 (``leaking``) and the mixture."""
    rng = np.random.default_rng([*seed, 1])
    one, two = (accuracy(predict, *task.sample(count, rng, component=part)[:2]) for part in (1, 2))
    return {"uniform": one, "leaking": two, "mixture": (1 - task.leak) * one + task.leak * two}


def _with_one(features: Any) -> Any:
    return np.concatenate([features, np.ones((len(features), 1))], axis=1)
