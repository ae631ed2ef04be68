"""Activation functions, also those through which one neuron computes a parity.

For k = ``degree`` the functions ``zigzag``, ``polynomial``, ``triangle`` and ``sinusoid`` agree at z = k, k-2, .., -k,
where they are +1, -1, +1, ..: the values that a sum of k signs takes, and its parity there. So the neuron with weight 1
on the relevant coordinates, 0 elsewhere and no bias is the parity itself.

An activation is a function (z, degree); those without a degree are given None. Adding one is one line in
``ACTIVATIONS``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from glassware.foundation.arrays import Array, Float
from glassware.foundation.backend import jax, jnp

Entries: TypeAlias = Float[Array, "*shape"]  # every function here goes entry by entry


@dataclass(frozen=True)
class Activation:
    """An activation: its function of (z, degree), and whether it needs a degree.

    Attributes:
        wave: for sin(a z + c), the pair (a, c) as a function of the degree; it gives population gradients in closed
            form. None for other functions.

    >>> import jax.numpy as jnp
    >>> import glassware as gw
    >>> leaky = gw.register(gw.Activation(lambda z, degree: jnp.where(z > 0, z, z / 10)), "a-tenth-below-0")
    >>> gw.MLP(width=10, activation="a-tenth-below-0").activation
    'a-tenth-below-0'
    """

    function: Callable[..., Entries]
    degree: bool = False
    wave: Callable[[int], tuple[float, float]] | None = None


def zigzag(z: Entries, degree: int) -> Entries:
    """k segments of slope +-1 through the parity points; the end segments go on for ever.

    At a kink the slope is that of the segment to its right.
    """
    return _segment(z, degree, jnp.clip(jnp.ceil((degree - z) / 2.0) - 1.0, 0.0, degree - 1.0))


def triangle(z: Entries, degree: int) -> Entries:
    """The zigzag with endlessly many segments: a triangle wave of period 4 with value 1 at z = k.

    At a kink the slope is that of the segment to its right.
    """
    return _segment(z, degree, jnp.ceil((degree - z) / 2.0) - 1.0)


def _segment(z: Entries, degree: int, j: Entries) -> Entries:
    """The line through (k-2j, (-1)^j) and (k-2j-2, (-1)^(j+1)). ``j`` is piecewise constant: no slope comes from it."""
    j = jax.lax.stop_gradient(j)
    odd = j - 2.0 * jnp.floor(j / 2.0)
    return (1.0 - 2.0 * odd) * (z - (degree - 1.0) + 2.0 * j)


def polynomial(z: Entries, degree: int) -> Entries:
    """The polynomial of degree k through the parity points. Only powers of one evenness occur: Horner in z^2."""
    first, *rest = reversed(coefficients(degree)[degree % 2 :: 2])
    square, value = z * z, jnp.full_like(z, float(first))
    for c in rest:
        value = value * square + float(c)
    return value * z if degree % 2 else value


@lru_cache
def coefficients(degree: int) -> tuple[Fraction, ...]:
    """Coefficients of ``polynomial``, lowest power first: Newton's sum of (-2)^m binom((k-z)/2, m) over m = 0..k."""
    total, term = [Fraction(0)] * (degree + 1), [Fraction(1)]
    for m in range(degree + 1):
        for power, c in enumerate(term):
            total[power] += c
        # term times -2 ((k-z)/2 - m) / (m+1), which is z + (2m - k), over m+1
        zero = Fraction(0)
        pairs = zip([zero, *term], [*term, zero], strict=True)
        term = [(high + (2 * m - degree) * low) / (m + 1) for high, low in pairs]
    return tuple(total)


def wave(degree: int, frequency: float = 1.0) -> tuple[float, float]:
    """The pair (a, c) of sin(a z + c) with a = pi/2 times ``frequency`` and c = (1-k) pi/2."""
    return frequency * math.pi / 2.0, ((1 - degree) % 4) * math.pi / 2.0


def sinusoid(z: Entries, degree: int) -> Entries:
    """sin(pi z / 2 + (1-k) pi/2): smooth, periodic, through the parity points."""
    a, c = wave(degree)
    return jnp.sin(a * z + c)


def double_sinusoid(z: Entries, degree: int) -> Entries:
    """The sinusoid at twice the frequency; it is the parity for relevant weights 1/2."""
    a, c = wave(degree, 2.0)
    return jnp.sin(a * z + c)


def relu6(z: Entries) -> Entries:
    """min(max(z, 0), 6); its slope is 0 at both kinks, as that of relu."""
    return jnp.where(z >= 6, 6.0, jnp.where(z <= 0, 0.0, z))


ACTIVATIONS: dict[str, Activation] = {
    "relu": Activation(lambda z, _: jax.nn.relu(z)),
    "relu6": Activation(lambda z, _: relu6(z)),
    "identity": Activation(lambda z, _: z),
    "square": Activation(lambda z, _: z * z),
    "gelu": Activation(lambda z, _: jax.nn.gelu(z, approximate=False)),
    "tanh": Activation(lambda z, _: jnp.tanh(z)),
    "sigmoid": Activation(lambda z, _: jax.nn.sigmoid(z)),
    "silu": Activation(lambda z, _: jax.nn.silu(z)),
    "elu": Activation(lambda z, _: jax.nn.elu(z)),
    "leaky_relu": Activation(lambda z, _: jax.nn.leaky_relu(z)),
    "softplus": Activation(lambda z, _: jax.nn.softplus(z)),
    "power": Activation(lambda z, degree: z**degree, degree=True),
    "zigzag": Activation(zigzag, degree=True),
    "polynomial": Activation(polynomial, degree=True),
    "triangle": Activation(triangle, degree=True),
    "sinusoid": Activation(sinusoid, degree=True, wave=wave),
    "double_sinusoid": Activation(double_sinusoid, degree=True, wave=lambda degree: wave(degree, 2.0)),
}
