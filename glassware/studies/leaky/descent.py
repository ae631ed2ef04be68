"""Training after the first step by SGD or Adam, with the accuracies along the way."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from glassware.theory.leaky import LeakyParity
from glassware.theory.leaky_network import Accuracies, Examination, Network, gradient, train

Optimiser = Literal["sgd", "adam"]
Layers = Literal["both", "readout"]
BATCH = 512


class Recipe(NamedTuple):
    """How a network is trained after its first step."""

    optimiser: Optimiser
    eta: float
    layers: Layers
    steps: int
    every: int = 25


def descend(
    task: LeakyParity, network: Network, rng: np.random.Generator, recipe: Recipe, batch: int = BATCH
) -> list[tuple[int, Accuracies]]:
    """Accuracies after every ``recipe.every`` steps on fresh minibatches, the start included."""
    if recipe.optimiser == "sgd":
        records = train(
            task, network, rng, steps=recipe.steps, eta=recipe.eta, batch=batch, layers=recipe.layers,
            every=recipe.every,
        )  # fmt: skip
        return [(record.step, record.accuracy) for record in records]
    return _adam(task, network, rng, recipe, batch)


def _adam(
    task: LeakyParity, network: Network, rng: np.random.Generator, recipe: Recipe, batch: int
) -> list[tuple[int, Accuracies]]:
    """Adam with its usual constants."""
    first, second, tiny = 0.9, 0.999, 1e-8
    examine = Examination.draw(task, 2000, rng)
    found = [(0, examine(network))]
    moments = [(np.zeros_like(p), np.zeros_like(p)) for p in (network.w, network.b, network.u)]
    for t in range(1, recipe.steps + 1):
        sample = task.sample(batch, rng)
        moves = []
        for i, slope in enumerate(gradient(network, sample.x, sample.y)):
            a, b = moments[i]
            a, b = first * a + (1 - first) * slope, second * b + (1 - second) * slope**2
            moments[i] = a, b
            moves.append(recipe.eta * a / (1 - first**t) / (np.sqrt(b / (1 - second**t)) + tiny))
        moved = Network(network.w - moves[0], network.b - moves[1], network.u - moves[2])
        network = moved if recipe.layers == "both" else replace(network, u=moved.u)
        if t % recipe.every == 0:
            found.append((t, examine(network)))
    return found
