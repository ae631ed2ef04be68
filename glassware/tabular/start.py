"""Where the neurons of a sparse first layer start: their columns, signs and kinks; drawn on the host by NumPy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from glassware.foundation.arrays import Float, Float32, Int32, UInt32
from glassware.tabular.cuts import Splits

NOTHING = 2**30  # no column; larger than any padded number of columns


class Start(NamedTuple):
    """The sparse first layer of one network.

    Attributes:
        columns: those that each neuron reads; ``NOTHING`` in unused slots.
        weights: of these columns.
        bias: of each neuron.
    """

    columns: Int32[np.ndarray, "width slots"]
    weights: Float32[np.ndarray, "width slots"]
    bias: Float32[np.ndarray, " width"]


def at_splits(key: UInt32[np.ndarray, " 2"], splits: Splits, width: int, sparsity: int, slots: int) -> Start:
    """Neurons that follow the trees of a forest: each takes a split, drawn in proportion to its gain, and the nearest
    ones above it that split other columns; its kink goes through all their thresholds.

    Args:
        key: random words.
        splits: with thresholds as networks read the columns; at least one.
        width: number of neurons.
        sparsity: columns that each neuron reads; fewer if its path to the root has fewer.
        slots: room for them.
    """
    rng = np.random.default_rng(key)
    gain = splits.gain if splits.gain.sum() > 0 else np.ones(len(splits.gain))
    here = rng.choice(len(gain), size=width, p=gain / gain.sum())
    columns, kinks = np.full((width, slots), NOTHING, np.int32), np.zeros((width, slots))
    found, neurons = np.zeros(width, int), np.arange(width)
    while len(neurons := neurons[(found[neurons] < sparsity) & (here[neurons] >= 0)]):
        split = here[neurons]
        new = (columns[neurons] != splits.column[split, None]).all(axis=1)
        place = neurons[new], found[neurons[new]]
        columns[place], kinks[place] = splits.column[split[new]], splits.threshold[split[new]]
        found[neurons[new]] += 1
        here[neurons] = splits.above[split]
    return _signed(rng, columns, kinks)


def at_rows(
    key: UInt32[np.ndarray, " 2"], x: Float[np.ndarray, "rows inputs"], width: int, sparsity: int, slots: int
) -> Start:
    """Neurons on random columns, each with its kink at a row of the table.

    Args:
        key: random words.
        x: scaled rows.
        width: number of neurons.
        sparsity: columns that each neuron reads; at most all.
        slots: room for them.
    """
    rng = np.random.default_rng(key)
    columns, kinks = np.full((width, slots), NOTHING, np.int32), np.zeros((width, slots))
    if count := min(sparsity, x.shape[1]):
        columns[:, :count] = np.argpartition(rng.random((width, x.shape[1])), count - 1, axis=1)[:, :count]
        kinks[:, :count] = x[rng.integers(len(x), size=width)[:, None], columns[:, :count]]
    return _signed(rng, columns, kinks)


def _signed(
    rng: np.random.Generator, columns: Int32[np.ndarray, "width slots"], kinks: Float[np.ndarray, "width slots"]
) -> Start:
    """Weights of either sign, and the bias that makes neurons bend where their columns have these values."""
    weights = rng.choice([-1.0, 1.0], size=columns.shape).astype(np.float32)
    return Start(columns, weights, -np.sum(weights * kinks, axis=1).astype(np.float32))
