"""Whether the features of Theorem 4 can express a parity, and how large a readout must be (Pareto Frontiers, B.2).

After one step a good neuron is relu(+-t / 2k + beta_j), where t is the sum of the relevant bits. The parity is a
combination of these features and a constant exactly if it is one at the values t = -k, -k+2, ..., k: a small matrix.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats

PRINTED_OFFSET = 1 / 16


class Readout(NamedTuple):
    """The best combination of features."""

    weights: Floats  # of the constant, of features that rise with t, of features that fall with t
    norm: float  # B_k
    residual: float  # largest error over t


def biases(k: int, offset: float = 1.0, printed: bool = False) -> Floats:
    """The bias levels beta_j = (-k + 2 j + offset) / 2k.

    Args:
        k: relevant coordinates, even.
        offset: how far a kink lies below the next value of t. With the paper's 1/16 the readout's weights explode and
            the residual irrelevant weights drown the signal; 1 puts kinks halfway.
        printed: the paper's range j = 1 .. k/2 - 1. It lacks j = 0, without which even the signs are out of reach.
    """
    if k < 2 or k % 2:
        raise GlasswareError(f"the construction needs an even k >= 2, not {k}")
    return (-k + 2 * np.arange(1 if printed else 0, k // 2) + offset) / (2 * k)


def relevant_sums(k: int) -> Floats:
    """The values -k, -k+2, ..., k of t."""
    return np.arange(-k, k + 1, 2, dtype=np.float64)


def parity_of_sum(k: int) -> Floats:
    """The label at each of these values: (-1)^((k - t) / 2)."""
    return np.where(np.arange(k, -1, -1) % 2, -1.0, 1.0)


def readout_matrix(k: int, offset: float = 1.0, printed: bool = False) -> Floats:
    """V: one row per value of t; columns 1, relu(t/2k + beta_j), relu(-t/2k + beta_j). (k+1) x (k+1) if corrected."""
    t, levels = relevant_sums(k)[:, None], biases(k, offset, printed)
    rising, falling = np.maximum(t / (2 * k) + levels, 0), np.maximum(-t / (2 * k) + levels, 0)
    return np.concatenate([np.ones_like(t), rising, falling], axis=1)


def over_sparse_readout(k: int, offset: float = 1.0, printed: bool = False) -> Readout:
    """The least-squares readout of the parity; exact in the corrected form."""
    matrix, label = readout_matrix(k, offset, printed), parity_of_sum(k)
    weights = np.asarray(np.linalg.lstsq(matrix, label, rcond=None)[0], np.float64)
    return Readout(weights, float(np.linalg.norm(weights)), float(np.max(np.abs(matrix @ weights - label))))


def sign_representable(k: int, offset: float = 1.0, printed: bool = False) -> bool:
    """Whether any readout has the parity's sign everywhere: feasibility of y (V nu) >= 1, a linear program."""
    signed = parity_of_sum(k)[:, None] * readout_matrix(k, offset, printed)
    free = [(None, None)] * signed.shape[1]
    answer = linprog(np.zeros(signed.shape[1]), A_ub=-signed, b_ub=-np.ones(len(signed)), bounds=free)
    return bool(answer.status == 0)


def signal_to_noise(k: int, s: int, offset: float = 1.0) -> float:
    """Height of the first feature step, offset / 2k, over the standard deviation that irrelevant weights add.

    A good neuron keeps weights (k-1) / (2k (s-k)) on its s - k irrelevant ones. Below about 1 the features are noise.
    """
    return offset / (2 * k) / ((k - 1) / (2 * k * (s - k)) * math.sqrt(s - k))
