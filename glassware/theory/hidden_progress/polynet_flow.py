"""Gradient flow of a disjoint-PolyNet on the population correlation loss, in closed form (Hidden Progress, Lemma 5).

Only the k relevant weights move, dv_i/dt = prod_{j != i} v_j, and their squares all grow by the same q(t). So one
integral gives every time. Initial weights v0 are (..., k) with a positive product: otherwise they shrink first.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats
from glassware.theory.hidden_progress.gradients import others_product

NODES, WEIGHTS = np.polynomial.legendre.leggauss(256)


def population_gradient(w: Floats) -> Floats:
    """Gradient of the correlation loss -E[y f] in all weights (..., k, n'): zero except on the first of each block."""
    w = np.asarray(w, np.float64)
    gradient = np.zeros_like(w)
    gradient[..., 0] = -others_product(w[..., 0])
    return gradient


def squares(v0: Floats) -> Floats:
    """Initial squares; an error unless the weights grow."""
    v0 = np.asarray(v0, np.float64)
    if np.any(np.prod(np.sign(v0), axis=-1) <= 0):
        raise GlasswareError("the product of the relevant weights must be positive, or they do not grow")
    return v0**2


def flow_time(v0: Floats, q: Floats | float) -> Floats:
    """Time until the squares have grown by q, infinity allowed (blow-up, k > 2).

    It is the integral of prod (g + v_i^2)^(-1/2) / 2 over g from 0 to q. With g = m (e^s - 1), m the smallest square,
    the integrand is analytic in a strip of width 2 pi, and one Gauss rule reaches machine precision.
    """
    a = squares(v0)
    k = a.shape[-1]
    m, largest = a.min(-1), a.max(-1)
    with np.errstate(over="ignore"):
        end = np.log1p(np.asarray(q, np.float64) / m)
    if k > 2:  # past the largest square the tail falls like exp(-(k/2 - 1) s): e^-40 of it is negligible
        end = np.minimum(end, np.log1p(largest / m) + 80.0 / (k - 2))
    elif np.any(np.isinf(end)):
        raise GlasswareError(f"k is {k}; the weights blow up in finite time for k > 2 only")
    s = end[..., None] * (NODES + 1.0) / 2
    grown = m[..., None] * np.expm1(s)
    log_density = np.log(m)[..., None] + s - 0.5 * np.log(grown[..., None] + a[..., None, :]).sum(-1)
    return 0.25 * end * (np.exp(log_density) @ WEIGHTS)


def flow_growth(v0: Floats, t: float) -> float:
    """The growth q of the squares at time t, for one v0 (k,); infinite from the blow-up on."""
    a = squares(v0)
    if t <= 0:
        return 0.0
    m = float(a.min())
    if a.size > 2 and t >= flow_time(v0, math.inf):
        return math.inf
    high = 1.0
    while flow_time(v0, m * math.expm1(high)) < t:
        high *= 2.0
    late = lambda s: float(flow_time(v0, m * math.expm1(s))) - t
    return m * math.expm1(brentq(late, 0.0, high, xtol=1e-14, rtol=1e-14))


def flow_weights(v0: Floats, t: float) -> Floats:
    """The relevant weights at time t."""
    return np.sign(v0) * np.sqrt(flow_growth(v0, t) + squares(v0))


def ones_weights(t: Floats | float, k: int) -> Floats:
    """Every relevant weight at time t, started at one, k > 2: (1 - (k - 2) t)^(-1/(k-2)), for t < 1 / (k - 2)."""
    return (1.0 - (k - 2) * np.asarray(t, np.float64)) ** (-1.0 / (k - 2))


def ones_time(b: Floats | float, k: int) -> Floats:
    """Time until the weights have grown from one to b, k > 2."""
    return (1.0 - np.asarray(b, np.float64) ** (2 - k)) / (k - 2)


def pair_weights(v0: Floats, t: float) -> Floats:
    """The two relevant weights of k = 2 at time t: v_1 cosh t + v_2 sinh t, and vice versa."""
    v0 = np.asarray(v0, np.float64)
    return v0 * math.cosh(t) + v0[..., ::-1] * math.sinh(t)


def means(v0: Floats) -> tuple[Floats, Floats]:
    """Arithmetic and geometric mean of the initial squares."""
    a = squares(v0)
    return a.mean(-1), np.exp(np.log(a).mean(-1))


def pair_growth_bounds(v0: Floats, t: float) -> tuple[Floats, Floats]:
    """Bounds on q(t) for k = 2: the geometric and the arithmetic mean times e^(2t) - 1."""
    arithmetic, geometric = means(v0)
    return geometric * math.expm1(2 * t), arithmetic * math.expm1(2 * t)


def reach_bound(v0: Floats, b: Floats | float) -> Floats:
    """For each weight a time until which its size is at most b, (..., k); k > 2 and b >= |v_i|."""
    power, a = 1.0 - np.shape(v0)[-1] / 2, means(v0)[0][..., None]
    return (a**power - (a + np.square(b) - squares(v0)) ** power) / (-2.0 * power)


def remaining_bound(v0: Floats, b: Floats | float) -> Floats:
    """For each weight the most time it takes from b to infinity, (..., k); k > 2 and b >= |v_i|."""
    power, g = 1.0 - np.shape(v0)[-1] / 2, means(v0)[1][..., None]
    return (g + np.square(b) - squares(v0)) ** power / (-2.0 * power)


def blow_up_bound(v0: Floats) -> Floats:
    """A time by which all weights have blown up: 1 / ((k - 2) (prod v_i)^(1 - 2/k)), k > 2."""
    k = np.shape(v0)[-1]
    squares(v0)
    return 1.0 / ((k - 2) * np.prod(v0, axis=-1) ** (1.0 - 2.0 / k))
