"""Exact population gradients of one neuron at a point where the network's output is zero.

There the hinge and the correlation loss have derivative -y, so a neuron u sigma(w.x + b) has gradient
-u E[y x sigma'(w.x + b)] in w and -u E[y sigma'(w.x + b)] in b: Fourier coefficients of sigma'(w.x + b) at the subsets
one step away from S. All functions take many neurons at once: w is (..., n), u and b are (...).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from glassware.theory.boolean import Floats, chi, cube
from glassware.theory.hidden_progress.majority import check_odd, threshold_coefficient


def relevant(n: int, support: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of the n coordinates belong to the support."""
    mask = np.zeros(n, np.bool_)
    mask[list(support)] = True
    return mask


def sign_neuron_gradient(
    w: Floats, u: Floats | float, support: Sequence[int], printed: bool = False
) -> tuple[Floats, Floats]:
    """Gradient in w and in b of ReLU neurons with weights +-1, n odd and |b| < 1 (Hidden Progress, Lemma 2).

    Relevant weights see level k - 1 of majority, irrelevant ones level k + 1, the bias level k, each with the sign of
    the character of w. For odd k the gradient in w vanishes (k > 1). The paper's bias gradient lacks the factor one
    half, which matters for odd k only; ``printed`` leaves it out.
    """
    w = np.asarray(w, np.float64)
    n, k = w.shape[-1], len(support)
    check_odd(n)
    below, above = threshold_coefficient(n, k - 1), threshold_coefficient(n, k + 1) if k < n else 0.0
    # Removing j from S, or adding it, multiplies the character chi_S(w) by w_j: w_j is its own inverse.
    out = -np.asarray(u, np.float64) * chi(w, support)
    in_w = out[..., None] * w * np.where(relevant(n, support), below, above)
    return in_w, out * threshold_coefficient(n, k) * (2.0 if printed else 1.0)


def population_gradient(
    w: Floats, b: Floats | float, u: Floats | float, support: Sequence[int], derivative: Callable[[Floats], Floats]
) -> tuple[Floats, Floats]:
    """Gradient in w and in b of neurons with any activation, given its derivative, by a sum over all 2**n inputs."""
    w = np.asarray(w, np.float64)
    x = cube(w.shape[-1])
    y = chi(x, support)
    slope = derivative(w @ x.T + np.asarray(b, np.float64)[..., None]) * y / len(x)
    scale = -np.asarray(u, np.float64)
    return scale[..., None] * (slope @ x), scale * slope.sum(-1)


def sinusoid_coefficient(w: Floats, subset: Sequence[int], a: float = 1.0, c: Floats | float = 0.0) -> Floats:
    """The Fourier coefficient at a subset T of sin(a w.x + c), in closed form at any n.

    Each coordinate factors out of exp(i a w.x): those of T give i sin(a w_j), the others cos(a w_j).
    """
    w = np.asarray(w, np.float64)
    factors = np.where(relevant(w.shape[-1], subset), np.sin(a * w), np.cos(a * w))
    return np.prod(factors, axis=-1) * np.sin(np.asarray(c) + len(subset) * math.pi / 2)


def others_product(factors: Floats) -> Floats:
    """For each entry of the last axis the product of all other entries, without division: zeros are allowed."""
    ones = np.ones_like(factors[..., :1])
    before = np.cumprod(np.concatenate([ones, factors[..., :-1]], axis=-1), axis=-1)
    after = np.cumprod(np.concatenate([ones, factors[..., :0:-1]], axis=-1), axis=-1)[..., ::-1]
    return before * after


def sinusoid_correlations(
    w: Floats, support: Sequence[int], a: float = 1.0, c: Floats | float = 0.0
) -> tuple[Floats, Floats]:
    """E[y x_i sin(a w.x + c)] for every coordinate i, (..., n), and E[y sin(a w.x + c)], (...)."""
    w = np.asarray(w, np.float64)
    k, mask = len(support), relevant(w.shape[-1], support)
    sine, cosine, phase = np.sin(a * w), np.cos(a * w), np.asarray(c, np.float64)
    factors = np.where(mask, sine, cosine)
    # Coordinate i switches sides: it leaves S if it was in S, and joins it otherwise.
    moved = others_product(factors) * np.where(mask, cosine, sine)
    below, above = (np.sin(phase + size * math.pi / 2)[..., None] for size in (k - 1, k + 1))
    whole = np.prod(factors, axis=-1) * np.sin(phase + k * math.pi / 2)
    return moved * np.where(mask, below, above), whole


def sinusoid_gradient(
    w: Floats, b: Floats | float, u: Floats | float, support: Sequence[int], a: float = math.pi / 2, shift: float = 0.0
) -> tuple[Floats, Floats]:
    """Gradient in w and in b of neurons u sin(a (w.x + b) + shift), in closed form at any n."""
    # The derivative is a cos(.), a sine a quarter turn ahead.
    in_w, in_b = sinusoid_correlations(w, support, a, a * np.asarray(b, np.float64) + shift + math.pi / 2)
    scale = -a * np.asarray(u, np.float64)
    return scale[..., None] * in_w, scale * in_b
