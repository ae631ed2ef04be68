"""Theorem 4 of Pareto Frontiers end to end, in NumPy: s-sparse neurons, one step that erases them, a convex readout.

The network starts at f = 0 because every neuron has a copy with the opposite outgoing weight. One step of size
1 / (2k|C|) with weight decay 1 replaces the weights of a good neuron by +-1/2k on S and little elsewhere; bad neurons
are silenced by their negative bias. Then only the readout is trained, a strongly convex problem.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats, chi, random_signs
from glassware.theory.pareto.over_sparse_readout import biases
from glassware.theory.pareto.sparse_gradients import over_sparse_signal, sparse_gradient

CHUNK = 4096  # examples per block: bounds the memory for their gates


@dataclass(frozen=True)
class Network:
    """f(x) = sum_i u_i relu(<w_i, x> + b_i) + beta."""

    w: Floats  # (r, n)
    b: Floats  # (r,)
    u: Floats  # (r,)
    beta: float = 0.0

    def features(self, x: Floats) -> Floats:
        """phi(x) (batch, 1 + r): a constant, then the hidden units."""
        return np.concatenate([np.ones((len(x), 1)), np.maximum(x @ self.w.T + self.b, 0.0)], axis=1)

    def __call__(self, x: Floats) -> Floats:
        """Outputs (batch,)."""
        return self.features(x) @ np.concatenate([[self.beta], self.u])


def initialise(
    n: int, k: int, s: int, width: int, rng: np.random.Generator, offset: float = 1.0, printed: bool = False
) -> Network:
    """The initial network: s random ones per neuron, a bias level and a sign; the second half has the opposite signs.

    Args:
        n: inputs.
        k: relevant inputs, even.
        s: ones of a neuron, odd, so that they never cancel and no bias decides a gate.
        width: r, even.
        rng: draws everything.
        offset: of the bias levels (see ``over_sparse_readout.biases``).
        printed: the paper's bias levels, one too few.
    """
    levels = biases(k, offset, printed)
    if s % 2 == 0 or not k < s <= n or width % 2:
        raise GlasswareError(f"needs odd s with k < s <= n and an even width, not n={n}, k={k}, s={s}, width={width}")
    if not len(levels):
        raise GlasswareError(f"the printed range of bias levels is empty for k = {k}")
    w = np.zeros((width // 2, n))
    np.put_along_axis(w, np.argsort(rng.random((width // 2, n)), axis=1)[:, :s], 1.0, axis=1)
    b, u = rng.choice(levels, width // 2), random_signs(rng, width // 2)
    return Network(np.concatenate([w, w]), np.concatenate([b, b]), np.concatenate([u, -u]))


def step_size(k: int, s: int) -> float:
    """eta of the first step, which takes a good neuron's weights on S to +-1/2k."""
    return 1 / (2 * k * abs(over_sparse_signal(k, s).relevant))


def first_step(network: Network, x: Floats, y: Floats, eta: float) -> Network:
    """One step on a sample: weight decay 1 erases the old weights, so w = eta u mean(y x gate). Nothing else moves."""
    half = len(network.u) // 2
    total = np.zeros((half, x.shape[1]))
    for start in range(0, len(x), CHUNK):
        part = x[start : start + CHUNK]
        gate = part @ network.w[:half].T + network.b[:half] > 0
        total += (gate * y[start : start + CHUNK, None]).T @ part
    gradient = np.concatenate([total, total]) / len(x)
    return replace(network, w=eta * network.u[:, None] * gradient)


def population_step(network: Network, support: tuple[int, ...], eta: float) -> Network:
    """The same step on the whole distribution, in closed form."""
    half = len(network.u) // 2
    xi = np.array([sparse_gradient(row.size, support, np.flatnonzero(row)) for row in network.w[:half]])
    return replace(network, w=eta * network.u[:, None] * np.concatenate([xi, xi]))


def good_feature(
    k: int, s: int, level: float, sign: float, relevant: Floats, rest: Floats, printed: bool = False
) -> Floats:
    """A good neuron's output after the population step.

    Args:
        k: relevant coordinates.
        s: ones of the neuron.
        level: its bias.
        sign: its outgoing weight at the start.
        relevant: sums of x over S.
        rest: sums of x over its other ones.
        printed: the paper's form, in which the other ones keep their sign in both copies.
    """
    signal, eta = over_sparse_signal(k, s), step_size(k, s)
    rest_sign = 1.0 if printed else sign
    moved = sign * signal.relevant * relevant + rest_sign * signal.irrelevant * rest
    return np.maximum(eta * moved + level, 0.0)


def least_squares(features: Floats, y: Floats, ridge: float = 1e-8) -> Floats:
    """The least-squares readout, with a ridge relative to the mean square of the features."""
    gram = features.T @ features
    gram[np.diag_indices_from(gram)] += ridge * np.trace(gram) / len(gram)
    return np.asarray(np.linalg.solve(gram, features.T @ y), np.float64)


class Trained(NamedTuple):
    """A trained network and how well it does."""

    network: Network
    good: int  # neurons of the first half whose ones contain S
    test_error: float
    test_loss: float  # hinge


def train(
    n: int,
    k: int,
    s: int,
    width: int,
    m: int | None,
    rng: np.random.Generator,
    *,
    offset: float = 1.0,
    m_readout: int | None = None,
    m_test: int = 10_000,
) -> Trained:
    """Draw S and a sample, take the step of Theorem 4, solve for the readout, and test on fresh examples.

    With the theorem's own readout, found by descent, they are trained as runs (study ``theory/over-sparse``).

    Args:
        n: inputs.
        k: relevant inputs, even.
        s: ones of a neuron, odd.
        width: r.
        m: examples, used for both stages; None takes the first step on the distribution itself.
        rng: draws everything.
        offset: of the bias levels.
        m_readout: examples for the readout when the step is taken on the distribution, or fewer than m.
        m_test: test examples.
    """
    support = tuple(int(i) for i in np.sort(rng.choice(n, k, replace=False)))
    network, eta = initialise(n, k, s, width, rng, offset), step_size(k, s)
    good = int(np.sum(np.all(network.w[: width // 2, list(support)] == 1, axis=1)))
    size = m or m_readout
    if size is None:
        raise GlasswareError("give m, or m_readout when the first step is taken on the distribution itself")
    x = random_signs(rng, (size, n))
    y = chi(x, support)
    network = population_step(network, support, eta) if m is None else first_step(network, x, y, eta)
    x, y = x[:m_readout], y[:m_readout]
    u = least_squares(network.features(x), y)
    network = replace(network, u=u[1:], beta=float(u[0]))
    fresh = random_signs(rng, (m_test, n))
    margin = chi(fresh, support) * network(fresh)
    return Trained(network, good, float(np.mean(margin <= 0)), float(np.mean(np.maximum(1 - margin, 0))))
