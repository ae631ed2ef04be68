"""Learning a parity with one large step on the first layer (Hidden Progress, Theorem 10), executed.

A symmetric sign initialisation makes the network zero, so the first gradient is the majority spectrum: relevant weights
move to 1 / (2k), irrelevant ones stay small. What is left is a convex problem in the second layer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats, chi, random_signs
from glassware.theory.hidden_progress.convex_sgd import hinge_sgd
from glassware.theory.hidden_progress.gradients import relevant, sign_neuron_gradient
from glassware.theory.hidden_progress.one_step_schedule import bias_levels, first_rate, readout_rate

CHUNK = 2**14  # examples evaluated at once


@dataclass(frozen=True)
class Network:
    """f(x) = u . relu(w x + b), with w (r, n), b (r,) and u (r,)."""

    w: Floats
    b: Floats
    u: Floats

    def features(self, x: Floats) -> Floats:
        """The hidden layer of inputs (batch, n), (batch, r)."""
        return np.maximum(x @ self.w.T + self.b, 0.0)


@dataclass(frozen=True)
class OneStepResult:
    """One execution of the algorithm.

    Attributes:
        network: the trained network.
        relevant: absolute first-layer weights on S, (r, k).
        irrelevant: those off S, (r, n - k).
        hinge: mean hinge loss on fresh examples.
        error: share of fresh examples with the wrong sign; an output of zero counts as wrong.
        mean_loss: hinge loss averaged over the training of the second layer.
    """

    network: Network
    relevant: Floats
    irrelevant: Floats
    hinge: float
    error: float
    mean_loss: float


def symmetric_init(n: int, k: int, width: int, rng: np.random.Generator) -> Network:
    """Sign weights and 2k - 1 possible biases; the second half copies the first with u negated, so that f is zero."""
    if width < 2 or width % 2:
        raise GlasswareError(f"width is {width}; the symmetric initialisation needs an even number of neurons")
    half = width // 2
    w, u = rng.choice([-1.0, 1.0], (half, n)), rng.choice([-1.0, 1.0], half)
    b = rng.choice(bias_levels(k), half)
    return Network(np.concatenate([w, w]), np.concatenate([b, b]), np.concatenate([u, -u]))


def _mean_activation(n: int, k: int, b: Floats) -> Floats:
    """E[chi_S(x) relu(x_1 + ... + x_n + b)], exact: a sum over the number of coordinates that are -1."""

    def signed_share(minus: int) -> float:
        within = range(min(k, minus) + 1)
        return sum((-1) ** a * math.comb(k, a) * math.comb(n - k, minus - a) for a in within) / 2**n

    weights = np.array([signed_share(minus) for minus in range(n + 1)])
    return np.maximum(n - 2.0 * np.arange(n + 1) + b[:, None], 0.0) @ weights


def population_step(network: Network, support: Sequence[int], printed: bool = False) -> Network:
    """The first step on the exact gradient; weight decay 1 on the weights, none on the biases.

    The second layer is set to zero. The paper says both that it takes the same step and that it is zero afterwards;
    ``printed`` takes the step, after which it is not zero for even k.
    """
    n, k = network.w.shape[1], len(support)
    rate = first_rate(n, k)
    in_w, in_b = sign_neuron_gradient(network.w, network.u, support)
    u = rate * chi(network.w, support) * _mean_activation(n, k, network.b) if printed else np.zeros_like(network.u)
    return Network(-rate * in_w, network.b - rate * in_b, u)


def evaluate(network: Network, support: Sequence[int], examples: int, rng: np.random.Generator) -> tuple[float, float]:
    """Mean hinge loss and error on fresh examples."""
    hinge = wrong = 0.0
    for start in range(0, examples, CHUNK):
        x = random_signs(rng, (min(CHUNK, examples - start), network.w.shape[1]))
        margin = chi(x, support) * (network.features(x) @ network.u)
        hinge += float(np.maximum(1.0 - margin, 0.0).sum())
        wrong += int(np.sum(margin <= 0))
    return hinge / examples, wrong / examples


def one_step(
    n: int,
    k: int,
    width: int,
    rng: np.random.Generator,
    *,
    steps: int = 4000,
    readout_batch: int = 64,
    lr: float | None = None,
    examples: int = 2**14,
    printed: bool = False,
) -> OneStepResult:
    """Run the algorithm with an exact first step on the parity of the first k of n coordinates, k even and n odd.

    A first step on a sample is a run (see the study ``hidden-progress/one-step``).

    Args:
        n: coordinates.
        k: size of the parity.
        width: neurons, an even number.
        rng: all randomness.
        steps: steps on the second layer.
        readout_batch: fresh examples per step.
        lr: their learning rate; None for the theorem's, which is made for far more steps than these.
        examples: fresh examples for the evaluation.
        printed: let the second layer take part in the first step, as the paper's schedule reads.
    """
    support = range(k)
    stepped = population_step(symmetric_init(n, k, width, rng), support, printed)

    def draw() -> tuple[Floats, Floats]:
        x = random_signs(rng, (readout_batch, n))
        return stepped.features(x), chi(x, support)

    rate = readout_rate(n, k, width, steps + 1) if lr is None else lr
    trained = hinge_sgd(draw, stepped.u, steps, rate)
    network = Network(stepped.w, stepped.b, trained.u)
    hinge, error = evaluate(network, support, examples, rng)
    size, mask = np.abs(network.w), relevant(n, support)
    return OneStepResult(network, size[:, mask], size[:, ~mask], hinge, error, trained.mean_loss)
