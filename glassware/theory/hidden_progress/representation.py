"""What can and cannot represent a parity: fixed features, single layers, low degrees, k ReLU neurons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats, chi, cube, index, walsh_hadamard


def kernel_loss_bound(n: int, k: int, radius: float, dimension: int | None = None) -> float:
    """Hinge loss that linear functions of any fixed features cannot beat on some (n, k)-parity (Theorem 6).

    Features have norm at most 1 and weights at most ``radius``. The paper's statement has a further factor, the square
    root of the number of features, which the hinge loss does not need; ``dimension`` gives that weaker form. For the
    0-1 loss no such bound holds: w or -w is right on half of the inputs.
    """
    return 1.0 - radius * math.sqrt((1 if dimension is None else dimension) / math.comb(n, k))


def feature_correlations(features: Floats, k: int) -> dict[tuple[int, ...], float]:
    """||E[chi_S features]|| for every S of size k, from features (2**n, D) of all inputs.

    Their squares add up to at most the mean square norm of the features. The best correlation of weights of norm R with
    chi_S is R times this, and the hinge loss is at least one minus the correlation.
    """
    features = np.asarray(features, np.float64)
    n = len(features).bit_length() - 1
    spectra = np.stack([walsh_hadamard(column) for column in features.T])
    return {S: float(np.linalg.norm(spectra[:, index(S)])) for S in combinations(range(n), k)}


def layerwise_gradient(w: Floats, b: float, support: Sequence[int]) -> tuple[Floats, float]:
    """E[y x 2(w.x + b)] and E[y 2(w.x + b)]: what a quadratic first layer sees of the label on its own.

    In closed form: for k = 2 each relevant coordinate sees the other one's weight, for k = 1 it sees the bias, and for
    k >= 3 there is no signal at all, so a network trained layer by layer never gets started.
    """
    w = np.asarray(w, np.float64)
    in_w, in_b = np.zeros_like(w), 0.0
    if len(support) == 2:
        i, j = support
        in_w[i], in_w[j] = 2.0 * w[j], 2.0 * w[i]
    elif len(support) == 1:
        in_w[support[0]], in_b = 2.0 * b, 2.0 * float(w[support[0]])
    elif not support:
        in_w, in_b = 2.0 * w, 2.0 * b
    return in_w, in_b


def relu_parity(k: int) -> tuple[Floats, Floats, Floats, float]:
    """First layer (k, k), biases, second layer and output bias of k ReLU neurons that compute the parity of k bits.

    With m the number of +1, neuron j is (m - j)_+: the parity is a zigzag in m, a line with a corner at each j >= 1.
    Without the output bias two neurons cannot get the signs of k = 2 right.
    """
    if k < 1:
        raise GlasswareError(f"k is {k}; a parity has at least one bit")
    j = np.arange(k, dtype=np.float64)
    sign = (-1.0) ** k
    u = 4.0 * (-1.0) ** (j + 1)
    u[0] = -2.0
    return np.full((k, k), 0.5), k / 2 - j, sign * u, sign


def fourier_degree(values: Floats, tolerance: float = 1e-9) -> int:
    """The size of the largest subset whose coefficient exceeds the tolerance, relative to the largest coefficient.

    A function of degree below k has no correlation with any parity of k bits.
    """
    spectrum = np.abs(walsh_hadamard(values))
    sizes = [int(row).bit_count() for row in np.flatnonzero(spectrum > tolerance * spectrum.max())]
    return max(sizes, default=0)


def quadratic_network(x: Floats, layers: Sequence[tuple[Floats, Floats]]) -> Floats:
    """Hidden layers z <- (W z + b)^2 one after the other; L - 1 of them have degree 2^(L-1) in the input."""
    z = np.asarray(x, np.float64)
    for W, b in layers:
        z = (z @ np.asarray(W).T + b) ** 2
    return z


def quadratic_depth(k: int) -> int:
    """The least number of layers L of a quadratic network whose degree 2^(L-1) reaches the parity of k bits."""
    return 1 + math.ceil(math.log2(k))


def best_correlation(features: Floats, support: Sequence[int], radius: float) -> float:
    """The largest E[chi_S f] of linear functions f with weights of norm at most ``radius``."""
    features = np.asarray(features, np.float64)
    n = len(features).bit_length() - 1
    return radius * float(np.linalg.norm(chi(cube(n), support) @ features) / len(features))
