"""How much each row counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import _check_sample_weight

from glassware.foundation.arrays import Float64, Shaped
from glassware.tabular.inputs import DataError


def row_weights(
    labels: Shaped[np.ndarray, "..."],
    sample_weight: ArrayLike | None,
    class_weight: Mapping[object, float] | Literal["balanced"] | None,
) -> Float64[np.ndarray, " rows"]:
    """The weight of each row, the largest 1, times that of its class; rows of weight 0 do not count for a class."""
    weight = _check_sample_weight(sample_weight, labels, dtype=np.float64, ensure_non_negative=True)
    if not (weight > 0).any():
        raise DataError("sample_weight must have a positive entry; all are zero.")
    weight = weight / weight.max()  # sums of weights near the largest number would overflow
    if class_weight is not None:
        seen = weight > 0
        weight[seen] *= compute_sample_weight(class_weight, labels[seen])
        if not (weight > 0).any():
            raise DataError("class_weight leaves no row: every class has weight 0.")
    return weight
