"""What linear methods on fixed features can do with parities: lower bounds, and the baselines themselves.

(Learning Parities with Neural Networks, Theorem 1.) Theorem 1 is about separating every parity exactly on all inputs;
the network's guarantee is about average error. ``hinge_bound`` compares like with like. A hinge loss above 1/2 does not
bound the number of errors, so baselines report accuracies, on the uniform part and on the leaking part apart.

An embedding takes inputs z = +-1 (batch, n) to features (batch, N) and knows nothing of the data. A readout or a kernel
machine is fitted to examples and returns a predictor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import TypeAlias

import numpy as np

from glassware.theory.boolean import Floats, walsh_hadamard
from glassware.theory.leaky.network import initialise

Embedding: TypeAlias = Callable[[Floats], Floats]
Predictor: TypeAlias = Callable[[Floats], Floats]

RIDGE = 1e-5  # relative to the mean square of a feature, or to the mean diagonal of a Gram matrix


def forster_bound(n: int, k: int) -> float:
    """Dimensions in which all C(n, k) parities are linearly separable: at least sqrt(C(n, k)).

    Forster's theorem on the sign matrix of parities against inputs. Its rows are orthogonal, so its spectral norm is
    2^(n/2), and sqrt(rows x columns) / norm = sqrt(C(n, k)).
    """
    return math.sqrt(math.comb(n, k))


def hinge_bound(n: int, k: int, features: int, norm: float) -> float:
    """A hinge loss that some parity of the leaking family forces on N features in [-1, 1] and weights of norm B.

    1/2 - (B/2) sqrt(N / C(n, k)): half of the loss is on uniform inputs, where on average over the supports a feature
    correlates with the parity as 1/C(n, k) (in squares).
    """
    return 0.5 - norm / 2 * math.sqrt(features / math.comb(n, k))


def norm_needed(n: int, k: int, features: int, loss: float) -> float:
    """The norm of weights below which ``hinge_bound`` keeps the loss above this one."""
    return (1 - 2 * loss) * math.sqrt(math.comb(n, k) / features)


def feature_energy(values: Floats, k: int) -> float:
    """Mean over supports of |E_D1[f_A psi]|^2, for features (2**n, N) on the whole cube; at most N / C(n, k)."""
    n = len(values).bit_length() - 1
    sizes = np.bitwise_count(np.arange(2**n))
    return float(sum(np.sum(walsh_hadamard(column)[sizes == k] ** 2) for column in values.T) / math.comb(n, k))


def linear() -> Embedding:
    """The inputs themselves, x = z / sqrt(n)."""
    return _scaled


def network_features(n: int, k: int, q: int, rng: np.random.Generator) -> Embedding:
    """The paper's network with its first layer frozen at initialisation: its q different hidden units and copies."""
    network = initialise(n, k, q, rng)
    return lambda z: network.hidden(_scaled(z))


def gaussian_relu(n: int, features: int, rng: np.random.Generator) -> Embedding:
    """relu(<g, x> + b) with g standard Gaussian and b Gaussian of variance 1/4."""
    g, b = rng.standard_normal((n, features)), 0.5 * rng.standard_normal(features)
    return lambda z: np.maximum(_scaled(z) @ g + b, 0.0)


def random_fourier(n: int, features: int, rng: np.random.Generator, scale: float = 0.25) -> Embedding:
    """cos(scale <g, z> + phase): the Gaussian kernel exp(-scale^2 |z - z'|^2 / 2), sampled."""
    g, phase = scale * rng.standard_normal((n, features)), rng.uniform(0, 2 * math.pi, features)
    return lambda z: np.cos(z @ g + phase)


def tangent_features(n: int, gates: int, rng: np.random.Generator, bias: bool = True) -> Embedding:
    """1[<g_i, x> + b_i > 0] (x, 1): what a wide network can do with its gates frozen; N = gates (n + 1).

    Args:
        n: inputs.
        gates: how many.
        rng: draws them.
        bias: without biases (and the constant input) odd parities of more than one bit are out of reach altogether.
    """
    g, b = rng.standard_normal((n, gates)), 0.5 * rng.standard_normal(gates) * bias

    def embed(z: Floats) -> Floats:
        x = _with_one(_scaled(z)) if bias else _scaled(z)
        open_ = (_scaled(z) @ g + b > 0).astype(np.float64)
        return (open_[:, :, None] * x[:, None, :]).reshape(len(z), -1)

    return embed


def monomials(n: int, degree: int) -> Embedding:
    """All products of at most ``degree`` bits: fails below degree k and succeeds at k."""
    sets = [list(s) for d in range(1, degree + 1) for s in combinations(range(n), d)]
    return lambda z: np.stack([np.prod(z[:, s], axis=1) for s in sets], axis=1)


def ridge(embedding: Embedding, z: Floats, y: Floats, penalty: float = RIDGE) -> Predictor:
    """Least squares on features and a constant, with a relative ridge; solved in whichever dimension is smaller."""
    features = _with_one(embedding(z))
    m, count = features.shape
    gram = features.T @ features if count <= m else features @ features.T
    gram[np.diag_indices_from(gram)] += penalty * np.trace(gram) / len(gram)
    weights = np.linalg.solve(gram, features.T @ y) if count <= m else features.T @ np.linalg.solve(gram, y)
    return lambda fresh: np.asarray(_with_one(embedding(fresh)) @ weights, np.float64)


def accuracy(predict: Predictor, z: Floats, y: Floats) -> float:
    """Share of examples whose sign is right; 0 is wrong."""
    return float(np.mean(y * predict(z) > 0))


def _scaled(z: Floats) -> Floats:
    return z / math.sqrt(z.shape[1])


def _with_one(x: Floats) -> Floats:
    return np.concatenate([x, np.ones((len(x), 1))], axis=1)
