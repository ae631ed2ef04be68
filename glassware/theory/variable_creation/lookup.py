"""Lemma A.25: a ReLU network that gives f(x_i) on all of a small box around each point x_i.

With u = (x - x_i) / delta per coordinate, (u+2)_+ - (u+1)_+ - (u-1)_+ + (u-2)_+ is 1 for |u| ≤ 1 and 0 for |u| ≥ 2. A
second layer asks whether it is 1 in all coordinates, and the last weighs each point with its value. Biases are a last
row of the weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from glassware.foundation.arrays import Float

OFFSETS = np.array([2.0, 1.0, -1.0, -2.0])
SIGNS = np.array([1.0, -1.0, -1.0, 1.0])


@dataclass(frozen=True, eq=False)
class Lookup:
    """((x W_1)_+ W_2)_+ w, with 1 appended to x and to the first layer."""

    W_1: Float[np.ndarray, "inputs hidden"]
    W_2: Float[np.ndarray, "hidden units"]
    w: Float[np.ndarray, " units"]

    def __call__(self, x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        return self.after_first(_with_one(x) @ self.W_1)

    def after_first(self, first: Float[np.ndarray, "n hidden"]) -> Float[np.ndarray, " n"]:
        """The two layers after W_1."""
        return _relu(_with_one(_relu(first)) @ self.W_2) @ self.w

    def norms(self) -> dict[str, float]:
        """Frobenius norms."""
        return {name: float(np.linalg.norm(getattr(self, name))) for name in ("W_1", "W_2", "w")}

    def largest(self) -> dict[str, float]:
        """Largest entries."""
        return {name: float(np.abs(getattr(self, name)).max()) for name in ("W_1", "W_2", "w")}


@dataclass(frozen=True, eq=False)
class Lookup1D:
    """(x W_1)_+ w: for points on a line no second layer is needed."""

    W_1: Float[np.ndarray, "inputs hidden"]
    w: Float[np.ndarray, " hidden"]

    def __call__(self, x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        return _relu(_with_one(x) @ self.W_1) @ self.w


def lookup(
    points: Float[np.ndarray, "n d"], values: Float[np.ndarray, " n"], delta: float, printed: bool = False
) -> Lookup:
    """The network for points at least 4 delta apart in the sup norm.

    Args:
        points, values: x_i and f(x_i).
        delta: half the side of the boxes, at most 1.
        printed: the bump as the proof expands it, u reversed in its last two terms: it is 0 on the boxes.

    >>> network = lookup(np.array([[0.0], [1.0]]), np.array([5.0, -2.0]), 0.25)
    >>> network(np.array([[0.2], [0.9]]))
    array([ 5., -2.])
    """
    count, d = points.shape
    if not 0 < delta <= 1:
        raise ValueError("delta must be positive and at most 1")
    W_1 = _first_layer(points, delta, printed)
    W_2 = np.zeros((4 * count * d + 1, 2 * count))
    block = np.repeat(SIGNS, d) / delta
    for i in range(count):
        W_2[4 * d * i : 4 * d * (i + 1), [i, count + i]] = block[:, None]
    W_2[-1, :count], W_2[-1, count:] = 1 - d / delta, -d / delta
    return Lookup(W_1, W_2, np.concatenate([values, -values]))


def lookup_1d(points: Float[np.ndarray, "n one"], values: Float[np.ndarray, " n"], delta: float) -> Lookup1D:
    """The same for d = 1 without a second layer: sum_i f(x_i) times the bump at x_i."""
    return Lookup1D(_first_layer(points, delta), np.kron(values, SIGNS))


def first_layer_bound(B: float, delta: float, printed: bool = False) -> float:
    """Largest entry of W_1 for points within ±B: slopes 1/delta, biases up to B/delta + 2.

    The lemma prints max(1, B) / delta, without the offsets of the biases.
    """
    return max(1.0, B) / delta if printed else max(1 / delta, B / delta + 2)


def second_layer_bound(d: int, delta: float) -> float:
    """Largest entry of W_2, as printed: d / delta."""
    return d / delta


def _first_layer(
    points: Float[np.ndarray, "n d"], delta: float, printed: bool = False
) -> Float[np.ndarray, "rows hidden"]:
    """Columns in blocks per point, in it per offset, in it per coordinate."""
    count, d = points.shape
    turn = np.array([1.0, 1.0, -1.0, -1.0]) if printed else np.ones(4)
    offsets = np.array([2.0, 1.0, 2.0, 1.0]) if printed else OFFSETS
    slopes = np.tile(np.concatenate([t * np.eye(d) for t in turn], axis=1) / delta, (1, count))
    biases = [-t * point / delta + offset for point in points for t, offset in zip(turn, offsets, strict=True)]
    return np.concatenate([slopes, np.concatenate(biases)[None]])


def _with_one(x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n more"]:
    return np.concatenate([x, np.ones((len(x), 1))], axis=1)


def _relu(x: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    return np.maximum(x, 0.0)
