"""Missing values, and the scaling of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from glassware.foundation.arrays import Float
from glassware.foundation.errors import GlasswareError

TAIL = 3.0  # to which the robust scale bends outliers
NORMAL_QUARTILES = 1.349  # interquartile range of a standard Gaussian
FAR = 1e150  # squaring larger numbers would overflow
NARROW = 1e-290  # columns of a smaller range are widened: slopes of their scores would overflow
MOST_KNOTS = 256  # per column; normal scores of long columns are interpolated between them


class DataError(GlasswareError, ValueError):
    """A table or a parameter that cannot be used; also a ValueError, as scikit-learn's tools expect."""


def refuse_missing(X: Float[np.ndarray, "rows columns"], names: Sequence[str] | None) -> None:
    """Raise if a column has missing values, and say what to do."""
    counts = np.isnan(X).sum(axis=0)
    if counts.any():
        column = int(np.argmax(counts > 0))
        name = repr(names[column]) if names is not None else str(column)
        raise DataError(
            f"Column {name} contains NaN in {counts[column]} of {len(X)} rows: impute it, or pass missing='native'."
        )


@dataclass
class Scaling:
    """Column by column: missing values are filled, then values are scaled.

    Attributes:
        kind: ``standard``: mean 0, standard deviation 1. ``mixed``: half way between a robust scale (median and
            quartiles, tails bent) and normal scores (the value's rank, as a Gaussian would have it). ``signs``: +-1,
            above or below the middle of the column.
        fill: what a missing value becomes: the median; 0 for a column that is missing everywhere.
        centre: subtracted from each column.
        spread: divides each column; 1 for a constant column.
        knots: values of each column with a known score, (columns, knots); normal scores are interpolated between them.
        scores: of the knots.
    """

    kind: str
    fill: np.ndarray
    centre: np.ndarray
    spread: np.ndarray
    knots: np.ndarray
    scores: np.ndarray

    @classmethod
    def fit(cls, X: np.ndarray, kind: str) -> Scaling:
        present = ~np.isnan(X).all(axis=0)
        fill = np.zeros(X.shape[1])
        fill[present] = np.nanmedian(X[:, present], axis=0)
        X = np.where(np.isnan(X), fill, X)
        largest = np.max(np.abs(X), axis=0)
        unit = np.where(largest > FAR, largest, 1.0)
        held = X / unit if largest.max(initial=0.0) > FAR else X
        centre, spread = unit * held.mean(axis=0), unit * held.std(axis=0)
        knots = scores = np.zeros((X.shape[1], 0), np.float32)
        if kind == "mixed":
            low, middle, high = np.quantile(X, [0.25, 0.5, 0.75], axis=0)
            # Quartiles of columns with few values (flags, counts) say nothing: use mean and deviation.
            several = (high > low) & (_distinct(X) > 2)
            centre = np.where(several, middle, centre)
            spread = np.where(several, (high - low) / NORMAL_QUARTILES, spread)
            knots, scores = _normal_scores(X)
        if kind == "signs":
            centre, spread = _middle(X), np.ones(X.shape[1])
        # A constant column's deviation is a rounding error, which must not be scaled up to noise.
        constant = X.max(axis=0) == X.min(axis=0)
        return cls(kind, fill, centre, np.where(constant | (spread == 0), 1.0, spread), knots, scores)

    @property
    def columns(self) -> np.ndarray:
        """The column that each input belongs to."""
        return np.arange(len(self.fill))

    @property
    def size(self) -> np.ndarray:
        """The typical size of each input."""
        return np.ones(len(self.fill))

    def filled(self, X: np.ndarray) -> np.ndarray:
        """The table with missing values filled."""
        return np.where(np.isnan(X), self.fill, X)

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Scaled columns, float64."""
        X = self.filled(X)
        z = self._shifted(X, slice(None))
        if self.kind == "mixed":
            for column in range(X.shape[1]):
                z[:, column] = self._mixed(z[:, column], X[:, column], column)
        return z

    def at(self, columns: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Single values, each from its own column, scaled as by :meth:`transform`."""
        z = self._shifted(values, columns)
        if self.kind == "mixed":
            order = np.argsort(columns, kind="stable")
            for mine in np.split(order, np.flatnonzero(np.diff(columns[order])) + 1):
                z[mine] = self._mixed(z[mine], values[mine], columns[mine[0]])
        return z

    def _shifted(self, values: np.ndarray, columns: np.ndarray | slice) -> np.ndarray:
        z = (values - self.centre[columns]) / self.spread[columns]
        if self.kind == "mixed":
            z = np.clip(z, -FAR, FAR)
            return np.asarray(z / np.sqrt(1.0 + np.square(z / TAIL)))
        return np.sign(z) if self.kind == "signs" else z

    def _mixed(self, bent: np.ndarray, values: np.ndarray, column: int) -> np.ndarray:
        knots = self.knots[column]
        if 0 < knots[-1] - knots[0] < NARROW:
            values, knots = values / NARROW, knots / NARROW
        return 0.5 * (bent + np.interp(values, knots, self.scores[column]))


def _normal_scores(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Knots of each column and their normal scores, standardised over the rows."""
    knots, scores = (np.zeros((X.shape[1], min(len(X), MOST_KNOTS))) for _ in range(2))
    for column, values in enumerate(X.T):
        distinct, place, count = np.unique(values, return_inverse=True, return_counts=True)
        score = ndtri((np.cumsum(count) - 0.5 * count) / len(X))
        spread = np.std(score[place])
        score = (score - np.mean(score[place])) / (spread if spread > 0 else 1.0)
        kept = np.linspace(0, len(distinct) - 1, knots.shape[1]).round().astype(int)
        knots[column], scores[column] = distinct[kept], score[kept]
    return knots, scores


def _middle(X: np.ndarray) -> np.ndarray:
    """For each column the midpoint of two neighbouring values that splits it most evenly; a constant's value."""
    found = np.empty(X.shape[1])
    for column, values in enumerate(X.T):
        distinct, count = np.unique(values, return_counts=True)
        below = np.cumsum(count)[:-1]
        cut = int(np.argmin(np.abs(below - 0.5 * len(values)))) if len(below) else 0
        found[column] = 0.5 * (distinct[cut] + distinct[min(cut + 1, len(distinct) - 1)])
    return found


def _distinct(X: np.ndarray) -> np.ndarray:
    ordered = np.sort(X, axis=0)
    return np.asarray(1 + (np.diff(ordered, axis=0) > 0).sum(axis=0))
