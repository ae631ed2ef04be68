"""Columns cut into pieces, so that a network sees steps in a column as trees do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Splits(NamedTuple):
    """Where the trees of a forest split.

    Attributes:
        column: the column that is split.
        threshold: where it is split.
        gain: decrease in impurity, summed over its rows.
        above: index of the parent split; -1 at a root.
    """

    column: np.ndarray
    threshold: np.ndarray
    gain: np.ndarray
    above: np.ndarray


@dataclass
class Cuts:
    """Pieces of columns. A piece is 0 below its start and 1 above its end, linear in between, and then centred.

    Attributes:
        fill: what a missing value of each column becomes.
        columns: the column of each piece, (pieces,).
        begin: where each piece begins.
        end: where each piece ends.
        centre: mean of each piece over the rows it was fitted on, which is subtracted.
        size: standard deviation of each piece over these rows.
    """

    fill: np.ndarray
    columns: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    centre: np.ndarray
    size: np.ndarray

    @classmethod
    def fit(cls, X: np.ndarray, fill: np.ndarray, cuts: int, splits: Splits | None) -> Cuts | None:
        """Make about ``cuts`` cuts, where a forest splits most or, without one, evenly; None if nothing can be cut.

        A column gets cuts in proportion to its share of the forest's gain, with equal gain between its cuts.

        Args:
            X: rows without missing values.
            fill: for missing values of later rows.
            cuts: their number over all columns.
            splits: of the forest, if there is one.
        """
        count = X.shape[1]
        if splits is None:
            wanted = np.full(count, cuts // count)
        else:
            gain = np.bincount(splits.column, splits.gain, minlength=count)
            wanted = np.round(cuts * gain / max(gain.sum(), np.finfo(float).tiny)).astype(int)
        found = list[Cuts]()
        for column in np.flatnonzero(wanted).tolist():
            values = X[:, column]
            inner = _even(values, wanted[column]) if splits is None else _where(splits, column, wanted[column])
            low, high = values.min(), values.max()
            edges = np.unique(np.concatenate([[low], inner[(inner > low) & (inner < high)], [high]]))
            # A column with two values is one piece; drop edges whose distance underflows.
            edges = edges[np.concatenate([[True], np.diff(0.5 * edges) > 0])]
            if len(edges) > 1:
                pieces = _pieces(values[:, None], edges[:-1], edges[1:])
                columns = np.full(len(edges) - 1, column)
                found.append(cls(fill, columns, edges[:-1], edges[1:], pieces.mean(axis=0), pieces.std(axis=0)))
        if not found:
            return None
        names = ("columns", "begin", "end", "centre", "size")
        return cls(fill, *(np.concatenate([getattr(one, name) for one in found]) for name in names))

    def transform(self, X: np.ndarray) -> np.ndarray:
        """The pieces, float64, (rows, pieces)."""
        x = np.where(np.isnan(X), self.fill, X)[:, self.columns]
        return _pieces(x, self.begin, self.end) - self.centre


def _pieces(x: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    # Halve first: the difference may overflow.
    return np.clip((0.5 * x - 0.5 * begin) / (0.5 * end - 0.5 * begin), 0.0, 1.0)


def _where(splits: Splits, column: int, count: int) -> np.ndarray:
    """Thresholds of one column with equal parts of its gain between them."""
    mine = splits.column == column
    order = np.argsort(splits.threshold[mine])
    threshold, below = splits.threshold[mine][order], np.cumsum(splits.gain[mine][order])
    return threshold[np.minimum(np.searchsorted(below, _middles(count) * below[-1]), len(threshold) - 1)]


def _even(values: np.ndarray, count: int) -> np.ndarray:
    """Quantiles with equal parts of the rows between them."""
    return np.asarray(np.quantile(values, _middles(count)))


def _middles(count: int) -> np.ndarray:
    """The midpoints of ``count`` equal parts of [0, 1]."""
    return (np.arange(count) + 0.5) / count
