"""The network of Learning Parities with Neural Networks and its training, as the paper has them. NumPy.

g(x) = sum_i u_i relu6(<w_i, x> + b_i) with 2q hidden units, hinge loss, gradient descent on both layers: one step of
size 1 whose regularisation erases the initial weights, then many small ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from glassware.theory.boolean import Floats
from glassware.theory.leaky import LeakyParity


def relu6(t: Floats) -> Floats:
    """min(max(t, 0), 6)."""
    return np.clip(t, 0.0, 6.0)


def gate(t: Floats) -> Floats:
    """Its derivative, 0 at both kinks."""
    return ((t > 0) & (t < 6)).astype(np.float64)


@dataclass(frozen=True)
class Network:
    """Weights w (2q, n), biases b (2q,), readout u (2q,); inputs x of norm 1."""

    w: Floats
    b: Floats
    u: Floats

    def hidden(self, x: Floats) -> Floats:
        """Hidden units (batch, 2q)."""
        return relu6(x @ self.w.T + self.b)

    def __call__(self, x: Floats) -> Floats:
        """Outputs (batch,)."""
        return self.hidden(x) @ self.u


def initialise(n: int, k: int, q: int, rng: np.random.Generator, printed: bool = False) -> Network:
    """w uniform on {-1, 0, 1}^n, b = 1/8k, u uniform on [-n/k, n/k], and a second half that makes g = 0.

    Args:
        n: inputs.
        k: relevant inputs.
        q: half the width.
        rng: draws everything.
        printed: the paper's pairing, which turns w and b as well as u; then g is far from 0 and the analysis of the
            first step does not apply. Corrected: the copies differ in u alone.
    """
    w = rng.integers(-1, 2, (q, n)).astype(np.float64)
    b, u = np.full(q, 1 / (8 * k)), rng.uniform(-n / k, n / k, q)
    turn = -1.0 if printed else 1.0
    return Network(np.concatenate([w, turn * w]), np.concatenate([b, turn * b]), np.concatenate([u, -u]))


class Gradient(NamedTuple):
    """Of the mean hinge loss, without regularisation."""

    w: Floats
    b: Floats
    u: Floats


def gradient(network: Network, x: Floats, y: Floats, weight: Floats | None = None) -> Gradient:
    """Exact gradient of E[max(1 - y g, 0)] over examples, equally weighted unless told (probabilities: population)."""
    before = x @ network.w.T + network.b
    hidden = relu6(before)
    share = np.full(len(y), 1 / len(y)) if weight is None else weight
    outer = -y * share * (y * (hidden @ network.u) < 1)  # dL/dg
    inner = outer[:, None] * gate(before) * network.u
    return Gradient(inner.T @ x, inner.sum(axis=0), outer @ hidden)


def update(network: Network, step: Gradient, eta: float, lam: float, printed: bool = False) -> Network:
    """One step on L + lam R with R = |u|^2 + sum |w_i|^2.

    R has the gradient 2 lam w, so lam = 1/2 with eta = 1 erases w and u: as a weight decay it would be 2 lam.

    Args:
        network: before.
        step: gradient of the loss.
        eta: step size.
        lam: regularisation.
        printed: leave the biases alone, as the displayed rule does; the lemmas move them, unregularised.
    """
    shrink = 1 - 2 * eta * lam
    b = network.b if printed else network.b - eta * step.b
    return Network(shrink * network.w - eta * step.w, b, shrink * network.u - eta * step.u)


def first_step(network: Network, x: Floats, y: Floats, weight: Floats | None = None) -> Network:
    """The big step: eta = 1, lam = 1/2."""
    return update(network, gradient(network, x, y, weight), 1.0, 0.5)


def theorem_rate(k: int, q: int, steps: int) -> float:
    """eta of the later steps, k^2 / (T sqrt(q)). All T of them move a weight by order k^2 / sqrt(q), whatever T."""
    return k**2 / (steps * math.sqrt(q))


def theorem_decay(n: int, k: int) -> float:
    """The largest lam the theorem allows for the later steps, k/n."""
    return k / n


def first_step_samples(n: int) -> int:
    """Examples that keep the noise of the first step well below its signal: 200 n."""
    return 200 * n


class Accuracies(NamedTuple):
    """On the uniform part, the leaking part and their mixture. A zero output is an error."""

    uniform: float
    leaky: float
    mixture: float


def accuracies(outputs: Floats, y: Floats, task: LeakyParity, uniform: int) -> Accuracies:
    """From outputs on ``uniform`` examples of D1 followed by examples of D2."""
    right = y * outputs > 0
    one, two = float(np.mean(right[:uniform])), float(np.mean(right[uniform:]))
    return Accuracies(one, two, (1 - task.leak) * one + task.leak * two)


class Examination(NamedTuple):
    """Fresh examples of both components."""

    task: LeakyParity
    x: Floats
    y: Floats
    uniform: int

    @classmethod
    def draw(cls, task: LeakyParity, m: int, rng: np.random.Generator) -> Examination:
        """m examples of each component."""
        one, two = task.sample(m, rng, component=1), task.sample(m, rng, component=2)
        return cls(task, np.concatenate([one.x, two.x]), np.concatenate([one.y, two.y]), m)

    def __call__(self, network: Network) -> Accuracies:
        """How well a network does."""
        return accuracies(network(self.x), self.y, self.task, self.uniform)


class Record(NamedTuple):
    """The state of a run after a step."""

    step: int
    network: Network
    accuracy: Accuracies


def train(
    task: LeakyParity,
    network: Network,
    rng: np.random.Generator,
    *,
    steps: int,
    eta: float,
    lam: float = 0.0,
    batch: int = 512,
    layers: Literal["both", "readout"] = "both",
    every: int = 100,
    m_test: int = 2000,
) -> list[Record]:
    """The steps after the first, on fresh minibatches; records every ``every`` steps, the start included.

    Args:
        task: the distribution.
        network: after the first step.
        rng: draws minibatches and the examination.
        steps: how many.
        eta: step size; ``theorem_rate`` for the paper's.
        lam: regularisation.
        batch: examples a step. The paper takes the whole distribution.
        layers: ``readout`` freezes w and b.
        every: steps between records.
        m_test: examples of each component in the examination.
    """
    examine = Examination.draw(task, m_test, rng)
    records = [Record(0, network, examine(network))]
    for t in range(1, steps + 1):
        sample = task.sample(batch, rng)
        moved = update(network, gradient(network, sample.x, sample.y), eta, lam)
        network = moved if layers == "both" else replace(network, u=moved.u)
        if t % every == 0:
            records.append(Record(t, network, examine(network)))
    return records
