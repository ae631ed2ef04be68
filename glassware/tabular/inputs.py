"""What comes in: frames whose columns are all numbers, missing values, and the scale a network likes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassware.errors import GlasswareError

TAIL = 3.0  # where the robust scale bends outliers to
NORMAL_QUARTILES = 1.349  # distance of the quartiles of a standard Gaussian


class DataError(GlasswareError, ValueError):
    """A table or a parameter that cannot be used; also a ValueError, as scikit-learn's tools expect."""


def refuse_categories(X: Any) -> None:
    """Say which column of a frame is not made of numbers. Arrays have no columns to name: scikit-learn checks those."""
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return
    for name, dtype in zip(X.columns, X.dtypes, strict=True):
        if not _numeric(dtype):
            raise DataError(
                f"Column {name!r} is of type {dtype}: encode it as numbers first, for example with a OneHotEncoder"
                " in a pipeline."
            )


def _numeric(dtype: Any) -> bool:
    if hasattr(dtype, "is_numeric"):  # Polars; a column of nothing but nulls has the type Null
        return bool(dtype.is_numeric()) or str(dtype) in ("Boolean", "Null")
    return getattr(dtype, "kind", "O") in "biuf"


def refuse_missing(X: np.ndarray, names: Any) -> None:
    """Say which column has missing values, and what to do."""
    counts = np.isnan(X).sum(axis=0)
    if counts.any():
        column = int(np.argmax(counts > 0))
        name = repr(names[column]) if names is not None else str(column)
        raise DataError(
            f"Column {name} contains NaN in {counts[column]} of {len(X)} rows: impute it, or pass missing='median'."
        )


@dataclass
class Scaling:
    """Column by column: missing values filled, centred, divided, and (robust) bent at the tails.

    Attributes:
        fill: what a missing value becomes: the median; 0 for a column that is missing everywhere.
        centre: subtracted.
        spread: divided by; 1 for a column that never changes.
        bent: whether tails are bent.
    """

    fill: np.ndarray
    centre: np.ndarray
    spread: np.ndarray
    bent: bool

    @classmethod
    def fit(cls, X: np.ndarray, scale: str) -> Scaling:
        present = ~np.isnan(X).all(axis=0)
        fill = np.zeros(X.shape[1])
        fill[present] = np.nanmedian(X[:, present], axis=0)
        X = np.where(np.isnan(X), fill, X)
        centre, spread = X.mean(axis=0), X.std(axis=0)
        if scale == "robust":
            low, middle, high = np.quantile(X, [0.25, 0.5, 0.75], axis=0)
            # Columns of few values (flags, counts) have quartiles that say nothing: they keep mean and deviation.
            several = (high > low) & (_distinct(X) > 2)
            centre = np.where(several, middle, centre)
            spread = np.where(several, (high - low) / NORMAL_QUARTILES, spread)
        # A constant column has a deviation of rounding errors; it must not be blown up to noise.
        constant = X.max(axis=0) == X.min(axis=0)
        return cls(fill, centre, np.where(constant | (spread == 0), 1.0, spread), scale == "robust")

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Scaled columns, float64."""
        z = (np.where(np.isnan(X), self.fill, X) - self.centre) / self.spread
        return z / np.sqrt(1.0 + np.square(z / TAIL)) if self.bent else z


def _distinct(X: np.ndarray) -> np.ndarray:
    ordered = np.sort(X, axis=0)
    return 1 + (np.diff(ordered, axis=0) > 0).sum(axis=0)
