"""Small classes that can label anything: heads of unbounded norm (Proposition 4.8), and one real parameter.

T tokens stand on a circle, x_t = (cos 2 pi t/T, sin 2 pi t/T, bit); a query of norm c in direction s attends to token s
the more, the larger c is. With the i-th binary digit of t as the bit of token t in sequence i, the T directions give
floor(log2 T) sequences all their labelings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from glassware.foundation.arrays import Bool, Float, Integer
from glassware.theory.variable_creation.norms import softmax

Activation: TypeAlias = Callable[[Float[np.ndarray, "..."]], Float[np.ndarray, "..."]]


def attention(T: int, norm: float) -> Float[np.ndarray, " T"]:
    """Weight of token s + t for a query of this norm in direction s."""
    # cos x - 1 = -2 sin^2(x/2): at norms of T^2 the difference of cosines would lose its digits.
    return softmax(-2 * norm * np.sin(np.pi * np.arange(T) / T) ** 2)


def attention_bound() -> float:
    """What the text promises for the weight of s at norm T^2: at least 1 / (1 + sqrt(pi / 8))."""
    return 1 / (1 + math.sqrt(math.pi / 8))


def denominator(T: int, printed: bool = False) -> float:
    """The sum over tau of exp(T^2 (cos(2 pi tau/T) - 1)): 1, and twice what lies on either side of tau = 0.

    For even T the proof's first line (``printed``) leaves the token opposite, tau = T/2, out of an upper bound.
    """
    tau = np.arange(1, (T - 1) // 2 + 1)
    around = 1 + 2 * float(np.exp(-2 * T**2 * np.sin(np.pi * tau / T) ** 2).sum())
    return around + (math.exp(-2 * T**2) if T % 2 == 0 and not printed else 0.0)


def digits(T: int) -> Integer[np.ndarray, "T bits"]:
    """Binary digits of t = 0 .. T - 1, lowest first; if T is no power of 2, 0 from the largest one below it on."""
    bits = T.bit_length() - 1
    t = np.arange(T)[:, None]
    return np.where(t < 2**bits, t >> np.arange(bits) & 1, 0)


def mixed(weights: Float[np.ndarray, " T"], values: Float[np.ndarray, "T n"]) -> Float[np.ndarray, "T n"]:
    """Outputs for every direction s: the mean of the values around s (a circular correlation)."""
    product = np.fft.rfft(weights)[:, None].conj() * np.fft.rfft(values, axis=0)
    return np.fft.irfft(product, n=len(weights), axis=0)


def outputs(T: int, norm: float, sigma: Activation = lambda x: x) -> Float[np.ndarray, "T bits"]:
    """w_V^T X^T softmax(X w_QK) of every direction on every sequence, w_V = (0, 0, 1)."""
    return sigma(mixed(attention(T, norm), digits(T).astype(float)))


def margins(T: int, norm: float, sigma: Activation = lambda x: x) -> Float[np.ndarray, " bits"]:
    """How far the outputs of each sequence are on the right side of sigma(1/2), least over 2^bits directions."""
    wanted, count = digits(T), 2 ** (T.bit_length() - 1)
    threshold = float(sigma(np.array(0.5)))
    signed = (outputs(T, norm, sigma) - threshold) * (2 * wanted - 1)
    return signed[:count].min(axis=0)


def shatters(T: int, norm: float, sigma: Activation = lambda x: x) -> bool:
    """Whether all labelings appear."""
    return bool((margins(T, norm, sigma) > 0).all())


def lowest_margin(T: int, norm: float) -> float:
    """Margin of the lowest digit, which alternates around the circle: exp(-T^2 / (8 c)) for norms c ≤ 0.05 T^2.

    Its mean against weights exp(c cos) is a ratio of Bessel functions, I_{T/2}(c) / I_0(c).
    """
    return math.exp(-(T**2) / (8 * norm))


def norm_for_margin(T: int, margin: float) -> float:
    """The norm at which the lowest digit has this margin: a fixed share of T^2."""
    return T**2 / (8 * math.log(1 / margin))


def rademacher_draws(
    T: int, m: int, rng: np.random.Generator, inputs: int, signs: int, norm: float | None = None
) -> Float[np.ndarray, "inputs signs"]:
    """sup over ± the T directions of the mean of signs times outputs, for m sequences with random ±1 as bits.

    Args:
        T, m: tokens and sequences.
        rng: of inputs and signs.
        inputs, signs: how many sets of sequences, and of signs for each.
        norm: of the query; T^2 unless given.
    """
    weights = attention(T, T**2 if norm is None else norm)
    found = np.empty((inputs, signs))
    for i in range(inputs):
        values = mixed(weights, rng.choice([-1.0, 1.0], (T, m)))
        found[i] = np.abs(values @ rng.choice([-1.0, 1.0], (m, signs))).max(axis=0) / m
    return found


def massart(T: int, m: int) -> float:
    """sqrt(2 log(2T) / m): no 2T functions within ±1 have a larger Rademacher complexity."""
    return math.sqrt(2 * math.log(2 * T) / m)


def sine_labels(n: int, first: int = 1) -> tuple[Bool[np.ndarray, "labelings n"], Float[np.ndarray, "labelings n"]]:
    """One parameter, any labels: the 2^n labelings wanted, and sin(alpha x_j) at x_j = 2^-j for the alpha of each.

    alpha = pi (1 + sum_i b_i 2^i) makes sin(alpha x_j) negative where b_j = 1. Indices start at 1 (``first``): from 0
    on, the first sine would be 0 whatever the label.
    """
    j = np.arange(first, n + first)
    b = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)
    alpha = 1 + b @ 2.0**j
    turns = np.mod(alpha[:, None] * 2.0**-j, 2)  # in units of pi; exact in binary
    sines = np.where(turns % 1 == 0, 0.0, np.sin(np.pi * turns))
    return b, sines
