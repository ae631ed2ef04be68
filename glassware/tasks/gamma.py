"""Gamma variables with a fixed number of random draws, for Dirichlet priors of any parameter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from glassware.foundation.arrays import Array, Float
from glassware.foundation.backend import jnp

# Marsaglia and Tsang's method accepts a candidate with probability 0.95 and more: all of these fail once in 1e15 times.
CANDIDATES = 12


def gamma(
    uniform: Callable[[int, int], Float[Array, "*batch count"]], alpha: Float[np.ndarray, " count"]
) -> Float[Array, "*batch count"]:
    """One gamma variable for each alpha, of scale 1.

    Args:
        uniform: gives ``count`` uniform numbers from place ``first`` on: uniform(first, count).
        alpha: shapes.
    """
    size = len(alpha)
    u = uniform(0, (3 * CANDIDATES + 1) * size)
    tries = u[..., : 3 * CANDIDATES * size].reshape(*u.shape[:-1], 3, CANDIDATES, size)
    normal = jnp.sqrt(-2.0 * jnp.log(tries[..., 0, :, :])) * jnp.cos(2.0 * np.pi * tries[..., 1, :, :])
    # Shapes below 1 are raised by 1 and the result shrunk by a power of one more uniform number.
    d = np.where(alpha < 1, alpha + 1, alpha) - 1 / 3
    v = (1.0 + normal / np.sqrt(9 * d)) ** 3
    positive = jnp.maximum(v, 1e-30)
    accepted = (v > 0) & (jnp.log(tries[..., 2, :, :]) < 0.5 * normal**2 + d * (1.0 - v + jnp.log(positive)))
    first = jnp.argmax(accepted, axis=-2, keepdims=True)
    value = jnp.asarray(d) * jnp.take_along_axis(positive, first, axis=-2)[..., 0, :]
    return value * jnp.where(alpha < 1, u[..., -size:] ** (1 / alpha), 1.0)
