"""Kernel machines: linear methods with infinitely many fixed features; and the tangent kernel of the paper's network.

A kernel takes inputs z = +-1 (rows, n) and (columns, n) to their Gram matrix. ``kernel_ridge`` fits any of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from glassware.foundation.arrays import Float
from glassware.theory.boolean import Floats
from glassware.theory.leaky.linear_methods import RIDGE, Predictor
from glassware.theory.leaky.network import Network, gate

Kernel: TypeAlias = Callable[[Floats, Floats], Floats]
Matrix: TypeAlias = Float[np.ndarray, "..."]


def gaussian(scale: float = 0.25) -> Kernel:
    """exp(-scale^2 |z - z'|^2 / 2), the limit of ``random_fourier`` features (times 2)."""

    def kernel(a: Floats, b: Floats) -> Floats:
        square = 2.0 * a.shape[1] - 2.0 * (a @ b.T)  # points of the cube all have norm sqrt(n)
        return _float(np.exp(-(scale**2) * square / 2))

    return kernel


def polynomial(degree: int) -> Kernel:
    """(1 + <x, x'>)^degree: all monomials up to the degree, weighted."""
    return lambda a, b: _float((1.0 + a @ b.T / a.shape[1]) ** degree)


def arc_cosine(order: int, bias: bool = True) -> Kernel:
    """Arc-cosine kernel of order 0 (gates) or 1 (ReLU features), standard Gaussian weights.

    Order 0 is P(both gates open) = (pi - angle) / 2 pi; order 1 is E[relu relu], for <g, x> or, with ``bias``, for
    <g, x> + g' with one more Gaussian.
    """

    def kernel(a: Floats, b: Floats) -> Floats:
        product, size = _products(a, b, bias)
        cosine = np.clip(product / size, -1.0, 1.0)
        obtuse = np.pi - np.arccos(cosine)
        if order == 0:
            return _float(obtuse / (2 * np.pi))
        return _float(size * (np.sqrt(1.0 - cosine**2) + cosine * obtuse) / (2 * np.pi))

    return kernel


def relu_tangent(bias: bool = True) -> Kernel:
    """Tangent kernel of a wide two-layer ReLU network, both layers trained: <x, x'> gates + features.

    Without the bias it holds no odd function but the linear ones, so no parity of odd k >= 3.
    """
    gates, features = arc_cosine(0, bias), arc_cosine(1, bias)
    return lambda a, b: _float(_products(a, b, bias)[0] * gates(a, b) + features(a, b))


def network_tangent(network: Network) -> Kernel:
    """Tangent kernel of a given network of the paper: inner products of its gradients in w, b and u at this point."""

    def parts(z: Floats) -> tuple[Floats, Floats, Floats]:
        x = z / math.sqrt(z.shape[1])
        return x, gate(x @ network.w.T + network.b), network.hidden(x)

    def kernel(a: Floats, b: Floats) -> Floats:
        (xa, ga, ha), (xb, gb, hb) = parts(a), parts(b)
        return _float((xa @ xb.T + 1.0) * ((ga * network.u**2) @ gb.T) + ha @ hb.T)

    return kernel


def kernel_ridge(kernel: Kernel, z: Floats, y: Floats, penalty: float = RIDGE) -> Predictor:
    """f(z) = sum_i a_i k(z, z_i) with a = (K + ridge)^-1 y, the ridge relative to the mean diagonal of K."""
    gram = kernel(z, z)
    gram[np.diag_indices_from(gram)] += penalty * np.trace(gram) / len(gram)
    weights = np.linalg.solve(gram, y)
    return lambda fresh: _float(kernel(fresh, z) @ weights)


def _products(a: Floats, b: Floats, bias: bool) -> tuple[Floats, float]:
    """Inner products of the paper's inputs, of norm 1, and their common squared norm; ``bias`` appends a 1."""
    return _float(a @ b.T / a.shape[1] + bias), 1.0 + bias


def _float(matrix: Matrix) -> Floats:
    return np.asarray(matrix, np.float64)
