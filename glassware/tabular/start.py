"""Where the neurons of a sparse first layer start: their columns, signs and kinks. Drawn on the host, in NumPy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Start(NamedTuple):
    """The first layer of one network, as few numbers.

    Attributes:
        columns: that each neuron reads, (width, slots); a number past the last column reads nothing.
        weights: of these, (width, slots).
        bias: (width,).
    """

    columns: np.ndarray
    weights: np.ndarray
    bias: np.ndarray


def spread(key: np.ndarray, x: np.ndarray, importance: np.ndarray, width: int, sparsity: int, slots: int) -> Start:
    """Important columns drawn more often, weights of either sign, and every kink at a row of the table.

    Args:
        key: random words.
        x: scaled rows.
        importance: of each column.
        width: number of neurons.
        sparsity: columns a neuron reads.
        slots: room for them.
    """
    rng = np.random.default_rng(key)
    columns = _columns(rng, importance, width, sparsity, slots)
    weights = rng.choice([-1.0, 1.0], size=(width, slots)).astype(np.float32)
    row = rng.integers(len(x), size=width)
    there = columns < x.shape[1]
    values = x[row[:, None], np.where(there, columns, 0)]
    return Start(columns, weights, -np.sum(np.where(there, weights * values, 0.0), axis=1).astype(np.float32))


def _columns(rng: np.random.Generator, chance: np.ndarray, width: int, sparsity: int, slots: int) -> np.ndarray:
    """Different columns for each neuron, drawn one after another with these chances."""
    features = len(chance)
    count = min(sparsity, features)
    found = np.full((width, slots), features + 2**20, np.int32)  # past the padding, too
    if count:
        # The first of exponential clocks whose rates are the chances.
        clocks = rng.exponential(size=(width, features)) / chance
        found[:, :count] = np.argpartition(clocks, count - 1, axis=1)[:, :count]
    return found
