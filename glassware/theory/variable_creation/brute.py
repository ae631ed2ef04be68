"""Covering numbers by brute force, for classes and inputs so small that every function is written down.

A cover of a class at an error has at least as many members as any set of its functions that lie more than twice the
error apart: a *packing* is a lower bound of every covering number, whatever the class holds besides. Of a finite class
the smallest cover itself is found by integer programming.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.spatial.distance import cdist

from glassware.foundation.arrays import Float, Integer

MOST = 400  # functions of a class whose smallest cover is searched


def distances(
    first: Float[np.ndarray, "f inputs outputs"], second: Float[np.ndarray, "g inputs outputs"]
) -> Float[np.ndarray, "f g"]:
    """Definition 4.1: how far two functions are apart on the input where they differ most, in the 2-norm."""
    largest = np.zeros((len(first), len(second)))
    for i in range(first.shape[1]):
        largest = np.maximum(largest, cdist(first[:, i], second[:, i]))
    return largest


def packing(values: Float[np.ndarray, "f inputs outputs"], separation: float) -> Integer[np.ndarray, " kept"]:
    """Functions that lie more than ``separation`` apart, each the farthest from all before it, until there is none."""
    kept, nearest = [0], distances(values, values[:1])[:, 0]
    while nearest.max() > separation * (1 + 1e-12):
        kept.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, distances(values, values[kept[-1:]])[:, 0])
    return np.array(kept)


def log_packing(values: Float[np.ndarray, "f inputs outputs"], eps: float) -> float:
    """A lower bound of the logarithm of every cover at this error of a class with these functions."""
    return math.log(len(packing(values, 2 * eps)))


def smallest_cover(values: Float[np.ndarray, "f inputs outputs"], eps: float) -> int:
    """The fewest members of a finite class within ``eps`` of all others, exactly.

    >>> smallest_cover(np.linspace(-1, 1, 41)[:, None, None], 0.25)
    4
    """
    if len(values) > MOST:
        raise ValueError(f"the smallest cover is searched for at most {MOST} functions, not {len(values)}")
    near = (distances(values, values) <= eps * (1 + 1e-9)) * 1.0
    found = milp(np.ones(len(values)), integrality=np.ones(len(values)), bounds=Bounds(0, 1),
                 constraints=LinearConstraint(near, lb=1.0))  # fmt: skip
    return round(found.fun)


def uncovered(values: Float[np.ndarray, "f inputs outputs"], centres: Float[np.ndarray, "g inputs outputs"]) -> float:
    """How far the function that its centre serves worst is from it."""
    return float(distances(values, centres).min(axis=1).max())


def sign_grid(m: int, size: float) -> Float[np.ndarray, "f inputs outputs"]:
    """Linear functions on m orthonormal inputs with values 0 or ±size on each: 3^m of them, of norm ≤ size sqrt(m)."""
    return (size * (np.indices((3,) * m).reshape(m, -1).T - 1.0))[..., None]


def log_grid_packing(values: Float[np.ndarray, "f inputs outputs"], size: float) -> float:
    """The packing of functions whose values are whole multiples of ``size``: any two differ by that much somewhere."""
    steps = values.reshape(len(values), -1) / size
    if np.abs(steps - steps.round()).max() > 1e-9:
        raise ValueError("values must be whole multiples of the size")
    return math.log(len({row.tobytes() for row in steps.round().astype(np.int8)}))
