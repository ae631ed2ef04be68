"""Rows of ``network_against_linear``: the network after one step, features fixed in advance, kernels and monomials."""

from __future__ import annotations

import math

import numpy as np

from glassware.studies.leaky.fit import FEWER, hidden, marks, readout, stepped
from glassware.theory.leaky.distributions import LeakyParity
from glassware.theory.leaky.fixed_kernels import gaussian, kernel_ridge, polynomial, relu_tangent
from glassware.theory.leaky.linear_methods import (
    Embedding,
    gaussian_relu,
    linear,
    monomials,
    network_features,
    random_fourier,
    tangent_features,
)
from glassware.theory.leaky.network import initialise

Case = tuple[int, int, int, int]  # n, k, half-width q, examples m
NETWORK = "network, one step"
FIXED = ("linear", "frozen network", "Gaussian ReLU", "random Fourier", "tangent gates")
KERNELS = {"Gaussian kernel": gaussian(), "cubic kernel": polynomial(3), "tangent kernel": relu_tangent()}
KERNEL_SAMPLE = 2000
CONTROL = (15, 3, 5000)  # n, k, m of the monomials


def network_row(case: Case, seed: int) -> dict[str, object]:
    """One step and a readout of the stepped hidden units."""
    n, k, q, m = case
    task, rng, data = _draw(n, k, q, seed)
    network = stepped(initialise(n, k, q, rng), task, m, data)
    return _row(NETWORK, case, seed, 2 * q) | marks(readout(hidden(network), task, m, data), task, data)


def fixed_rows(case: Case, seed: int) -> list[dict[str, object]]:
    """The same readout on features that were drawn without the data, and kernel machines."""
    n, k, q, m = case
    task, rng, data = _draw(n, k, q, seed)
    count, gates = 2 * q, math.ceil(2 * q / (n + 1))
    frozen = network_features(n, k, count, rng)
    methods: dict[str, tuple[int, Embedding]] = {
        "linear": (n, linear()),
        "frozen network": (count, lambda z: frozen(z)[:, :count]),
        "Gaussian ReLU": (count, gaussian_relu(n, count, rng)),
        "random Fourier": (count, random_fourier(n, count, rng)),
        "tangent gates": (gates * (n + 1), tangent_features(n, gates, rng)),
    }
    rows = [
        _row(name, case, seed, size) | marks(readout(embedding, task, m, data), task, data)
        for name, (size, embedding) in methods.items()
    ]
    few = min(KERNEL_SAMPLE, m // 10)
    sample = task.sample(few, np.random.default_rng(data))
    for name, kernel in KERNELS.items():
        predict = kernel_ridge(kernel, sample.z, sample.y)
        rows.append(_row(name, (n, k, q, few), seed, None) | marks(predict, task, data, FEWER))
    return rows


def monomial_rows(seed: int) -> list[dict[str, object]]:
    """The positive control: products of up to d bits are fixed features too, and d = k is enough."""
    n, k, m = CONTROL
    task, _, data = _draw(n, k, 0, seed)
    rows = []
    for degree in range(1, k + 1):
        size = sum(math.comb(n, d) for d in range(degree + 1))
        found = marks(readout(monomials(n, degree), task, m, data), task, data, FEWER)
        rows.append(_row(f"monomials to degree {degree}", (n, k, 0, m), seed, size) | found)
    return rows


def _draw(n: int, k: int, q: int, seed: int) -> tuple[LeakyParity, np.random.Generator, list[int]]:
    """The task, a generator for weights, and the seed of its examples."""
    rng = np.random.default_rng([seed, n, k, q])
    return LeakyParity.draw(n, k, rng), rng, [seed, n, k, q, 1]


def _row(method: str, case: Case, seed: int, features: int | None) -> dict[str, object]:
    n, k, q, m = case
    return {"method": method, "n": n, "k": k, "q": q, "m": m, "seed": seed, "features": features}
