"""Reading the rows of trained networks: where a curve ends, and which neurons are alive."""

from __future__ import annotations

import numpy as np

from glassware.foundation.arrays import Bool, Float
from glassware.studies.lanes import Row, lanes

ALIVE = 0.1  # norm of a neuron that counts as alive, relative to the largest


def array(row: Row, column: str) -> Float[np.ndarray, "..."]:
    """What a final probe found."""
    return np.array(row[column], float)


def last(row: Row, curve: str) -> Float[np.ndarray, "..."]:
    """The last point of a curve: a number, or an array where the curve is one of arrays."""
    return np.array(row[f"curve_{curve}"][-1], float)


def alive(row: Row, threshold: float = ALIVE) -> Bool[np.ndarray, " units"]:
    """Which neurons have a norm above ``threshold`` of the largest."""
    size = array(row, "neuron_size")
    return size > threshold * size.max()


__all__ = ["ALIVE", "Row", "alive", "array", "lanes", "last"]
