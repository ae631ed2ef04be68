"""A first step from a stream of examples, drawn in chunks: a sample may be larger than the memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from glassware.theory.leaky.distributions import LeakyParity, Sample
from glassware.theory.leaky.network import Gradient, Network, gradient, update

CHUNK = 8192


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
