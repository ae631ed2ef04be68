"""Random points of the cube."""

from __future__ import annotations

import numpy as np

from glassware.theory.boolean import Floats


def signs(rng: np.random.Generator, *shape: int) -> Floats:
    """Independent fair signs +-1. Bits turned into numbers: ten times as fast as choosing among two floats."""
    return 1.0 - 2.0 * rng.integers(0, 2, shape, dtype=np.int8).astype(np.float64)
