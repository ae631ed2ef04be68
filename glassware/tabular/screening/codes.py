"""Columns cut into few bins, and orthonormal contrasts between the bins."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from glassware.foundation.arrays import Bool, Float, Float32, Int, UInt8

BINS = 6  # most bins of a column: one per value if it has no more, else equal parts of the rows
LEAST_SHARE = 0.04  # of the rows in a bin; rarer bins join a neighbour


@dataclass
class Codes:
    """How columns are cut into bins.

    Attributes:
        fill: what a missing value of each column becomes.
        edges: where bins begin, but the first, (columns, BINS - 1); infinity where there are fewer.
        shares: of the rows in each bin, (columns, BINS).
        contrasts: of each column's bins, (columns, BINS, BINS - 1): over the rows they have mean 0 and variance 1 and
            are uncorrelated; 0 where there are fewer.
        bins: number of bins of each column.
        degrees: number of contrasts of each column.
        listed: whether a column has a bin for each of its values.
    """

    fill: Float[np.ndarray, " columns"]
    edges: Float[np.ndarray, "columns edges"]
    shares: Float[np.ndarray, "columns bins"]
    contrasts: Float[np.ndarray, "columns bins contrasts"]
    bins: Int[np.ndarray, " columns"]
    degrees: Int[np.ndarray, " columns"]
    listed: Bool[np.ndarray, " columns"]

    @classmethod
    def fit(cls, X: Float[np.ndarray, "rows columns"]) -> Codes:
        present = ~np.isnan(X).all(axis=0)
        fill = np.zeros(X.shape[1])
        if np.isnan(X).any():
            fill[present] = np.nanmedian(X[:, present], axis=0)
        else:
            fill = np.median(X, axis=0)
        ordered = np.sort(np.where(np.isnan(X), fill, X), axis=0)
        edges = np.full((X.shape[1], BINS - 1), np.inf)
        shares = np.zeros((X.shape[1], BINS))
        contrasts, bins = np.zeros((X.shape[1], BINS, BINS - 1)), np.ones(X.shape[1], int)
        for column, values in enumerate(ordered.T):
            found = _edges(values)
            share = np.diff(np.searchsorted(values, found), prepend=0, append=len(values)) / len(values)
            bins[column], shares[column, : len(share)] = len(share), share
            edges[column, : len(found)] = found
            powers = np.vander(2.0 * np.cumsum(share) - share - 1.0, len(share), increasing=True)
            contrasts[column, : len(share), : len(found)] = _orthonormal(powers[:, 1:], share)
        listed = 1 + (np.diff(ordered, axis=0) > 0).sum(axis=0) <= BINS
        return cls(fill, edges, shares, contrasts, bins, bins - 1, listed)

    def halved(self, most: int) -> Codes:
        """The same bins, seen only through at most so many of the ways to divide them into two."""
        contrasts, degrees = np.zeros_like(self.contrasts), np.zeros_like(self.degrees)
        for column, bins in enumerate(self.bins.tolist()):
            ways = self.halves(column)[:most]
            if ways:
                found = _orthonormal(np.array(ways, float).T, self.shares[column, :bins])
                degrees[column] = found.shape[1]
                contrasts[column, :bins, : found.shape[1]] = found
        return replace(self, contrasts=contrasts, degrees=degrees)

    def some(self, columns: Int[np.ndarray, " some"]) -> Codes:
        """The codes of some columns."""
        return Codes(*(getattr(self, field.name)[columns] for field in fields(self)))

    def halves(self, column: int) -> list[Bool[np.ndarray, " bins"]]:
        """Ways to divide a column's bins into two, the one to try first in front: in the middle, every other value, the
        outer ones. Of two that are the same there is one."""
        bins = int(self.bins[column])
        number, below = np.arange(bins), np.cumsum(self.shares[column, :bins])
        middle = 2.0 * below - self.shares[column, :bins] > 1.0
        others = [number % 2 == 1] if self.listed[column] else []
        ways = [middle, *others, np.abs(2 * number + 1 - bins) > 0.5 * bins]
        if bins == 3:  # the middle against the others first: it is what genotypes do together with others most often
            ways = ways[::-1]
        found = list[np.ndarray]()
        for way in ways:
            if 0 < way.sum() < bins and not any((way == other).all() or (way != other).all() for other in found):
                found.append(way)
        return found

    def of(self, X: Float[np.ndarray, "rows columns"], columns: np.ndarray) -> UInt8[np.ndarray, "rows some"]:
        """The bins of rows in some of the columns; ``X`` has all of them."""
        found = np.empty((len(X), len(columns)), np.uint8)
        for place, column in enumerate(columns):
            x = np.where(np.isnan(X[:, column]), self.fill[column], X[:, column])
            found[:, place] = np.searchsorted(self.edges[column, : self.bins[column] - 1], x, side="right")
        return found

    def features(self, codes: UInt8[np.ndarray, "rows columns"]) -> Float32[np.ndarray, "rows features"]:
        """The contrasts of all columns side by side, as many for each as the column with most bins has."""
        room = max(1, int(self.degrees.max()))
        found = np.empty((*codes.shape, room), np.float32)
        for column in range(codes.shape[1]):
            found[:, column] = self.contrasts[column, codes[:, column], :room]
        return found.reshape(len(codes), -1)


def _edges(values: Float[np.ndarray, " rows"]) -> Float[np.ndarray, " edges"]:
    """Where bins of sorted values begin, but the first."""
    begins = np.flatnonzero(np.diff(values) > 0) + 1  # of the runs of equal values
    if len(begins) >= BINS:
        wanted = len(values) * np.arange(1, BINS) / BINS
        near = np.clip(np.searchsorted(begins, wanted), 1, len(begins) - 1)
        nearer = np.where(wanted - begins[near - 1] < begins[near] - wanted, near - 1, near)
        begins = np.unique(begins[nearer])
    kept, least = list[int](), LEAST_SHARE * len(values)
    for begin in begins.tolist():
        if begin - (kept[-1] if kept else 0) >= least:
            kept.append(begin)
    while kept and len(values) - kept[-1] < least:
        kept.pop()
    # Halve first: the sum may overflow.
    return np.asarray([max(values[i], 0.5 * values[i - 1] + 0.5 * values[i]) for i in kept])


def _orthonormal(
    functions: Float[np.ndarray, "bins functions"], shares: Float[np.ndarray, " bins"]
) -> Float[np.ndarray, "bins functions"]:
    """The same functions of bins, one after another made uncorrelated, of mean 0 and variance 1 under the shares."""
    root = np.sqrt(shares)[:, None]
    q, r = np.linalg.qr(root * np.concatenate([np.ones((len(shares), 1)), functions], axis=1))
    return np.asarray(q[:, 1:] * np.sign(np.diag(r))[1:] / root)
