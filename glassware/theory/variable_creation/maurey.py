"""The cover inside Lemma 4.10, built: Maurey's averages for the lengths of the rows, a grid for each row."""

from __future__ import annotations

import itertools
import math

import numpy as np

from glassware.foundation.arrays import Float


def averages(d: int, B: float, K: int) -> Float[np.ndarray, "centres d"]:
    """All averages of K vectors out of 0, B e_1, .., B e_d: points of {v ≥ 0, ||v||_1 ≤ B}.

    The text counts ±B e_i as well. Lengths of rows are not negative, and a cover must consist of members of its class.
    """
    counts = [np.bincount(picked, minlength=d + 1)[:d] for picked in
              itertools.combinations_with_replacement(range(d + 1), K)]  # fmt: skip
    return np.array(counts) * B / K


def averages_needed(B: float, eps: float) -> int:
    """K, so that the averages of K vectors come within eps of every v: some average is as good as the mean one."""
    return math.ceil((B / eps) ** 2)


def mean_square_error(v: Float[np.ndarray, " d"], B: float, K: int) -> float:
    """E||average - v||^2 of K draws that are B e_i with probability v_i / B and 0 otherwise."""
    return float((B * v.sum() - v @ v) / K)


def drawn_error(v: Float[np.ndarray, " d"], B: float, K: int, draws: int, rng: np.random.Generator) -> float:
    """The same from draws."""
    counts = rng.multinomial(K, np.append(v, B - v.sum()) / B, size=draws)[:, :-1]
    return float(np.mean(np.sum((counts * B / K - v) ** 2, axis=1)))


def matrix_cover(
    B_W: float, B_X: float, d1: int, eps_1: float, eps_2: float, printed: bool = False
) -> Float[np.ndarray, "centres d1"]:
    """The cover of Lemma 4.10 for matrices of one column (numbers |x| ≤ B_X as inputs), as its proof builds it.

    For all lengths v out of the averages, row i is covered on [-v_i, v_i] to eps_2 sqrt(v_i / ||v||_1).

    Args:
        B_W, B_X, d1: as in ``covers.cover_matrix``.
        eps_1, eps_2: errors of the lengths and of the rows.
        printed: sums over rows end at d2, here 1: only the first row is covered.
    """
    centres = [np.zeros((1, d1))]
    for v in averages(d1, B_W, averages_needed(B_W, eps_1)):
        if not v.any():
            continue
        error = eps_2 * np.sqrt(v / v.sum()) / B_X
        rows = [interval_cover(length, limit) if length > 0 and not (printed and i) else np.zeros(1)
                for i, (length, limit) in enumerate(zip(v, error, strict=True))]  # fmt: skip
        centres.append(np.array(list(itertools.product(*rows))))
    return np.unique(np.concatenate(centres).round(12), axis=0)


def interval_cover(length: float, eps: float) -> Float[np.ndarray, " centres"]:
    """The fewest points of [-length, length] within eps of all of it: ceil(length / eps)."""
    count = max(1, math.ceil(length / eps * (1 - 1e-12)))
    return length * (2 * np.arange(count) + 1 - count) / count


def ball_net(B: float, d: int, steps: int) -> Float[np.ndarray, "f d"]:
    """All points of a grid with ||w||_1 ≤ B, corners included."""
    line = np.linspace(-B, B, 2 * steps + 1)
    grid = np.stack(np.meshgrid(*[line] * d, indexing="ij"), axis=-1).reshape(-1, d)
    return grid[np.abs(grid).sum(axis=1) <= B * (1 + 1e-12)]
