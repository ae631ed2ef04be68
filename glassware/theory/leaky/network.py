"""The network of Learning Parities with Neural Networks and its steps, as the paper has them. NumPy.

g(x) = sum_i u_i relu6(<w_i, x> + b_i) with 2q hidden units, hinge loss, gradient descent on both layers: one step of
size 1 whose regularisation erases the initial weights, then many small ones. Runs are trained by the model ``paired``;
this is what its steps are checked against.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from glassware.theory.boolean import Floats


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
