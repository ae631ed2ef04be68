"""How much a set of columns says about residuals beyond what smaller sets say: statistics and their p-values."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy import stats

from glassware.foundation.arrays import Float, Float32, Int, UInt8
from glassware.tabular.screening.codes import BINS, Codes

BLOCK = 2**24  # numbers in a block of the matrix of all pairs


def pairs(
    features: Float32[np.ndarray, "rows features"],
    residuals: Float[np.ndarray, "rows outputs"],
    degrees: Int[np.ndarray, " columns"],
) -> Float32[np.ndarray, " pairs"]:
    """How far each pair's statistic lies above chance, in the order of ``np.triu_indices(columns, 1)``.

    The sum of squares of what products of the two columns' contrasts say about the residuals, which is about
    chi-square, on the scale of a standard Gaussian (Wilson and Hilferty), so that pairs with different numbers of bins
    can be compared.

    Args:
        features: contrasts of all columns, as :meth:`Codes.features` makes them.
        residuals: of mean 0, uncorrelated, with variance 1.
        degrees: number of contrasts of each column.
    """
    rows, columns = len(features), len(degrees)
    room = features.shape[1] // columns
    found = np.empty((columns, columns), np.float32)
    step = max(1, BLOCK // (room * features.shape[1]))
    freedom = degrees.astype(np.float32)
    residuals = residuals.astype(np.float32) / np.float32(np.sqrt(rows))
    for start in range(0, columns, step):
        part = slice(start, min(start + step, columns))
        of = np.zeros((part.stop - start, columns - start), np.float32)
        later = features[:, start * room :]
        for residual in residuals.T:
            sums = (features[:, part.start * room : part.stop * room] * residual[:, None]).T @ later
            np.square(sums, out=sums)
            of += sums.reshape(len(of), room, -1, room).sum(axis=(1, 3))
        df = np.maximum(residuals.shape[1] * freedom[part, None] * freedom[None, start:], 1e-3)
        scale = np.float32(2.0 / 9.0) / df
        found[part, start:] = (np.cbrt(of / df) - (1 - scale)) / np.sqrt(scale)
    return found[np.triu_indices(columns, 1)]


class Cells:
    """The cells of a set's table, and what they say beyond smaller sets."""

    def __init__(self, codes: UInt8[np.ndarray, "rows members"], which: Codes, columns: np.ndarray) -> None:
        """
        Args:
            codes: bins of the rows in the set's columns.
            which: all columns' contrasts.
            columns: of the set.
        """
        self.cell = np.zeros(len(codes), int)
        for member in codes.T:
            self.cell = self.cell * BINS + member
        used, self.cell = np.unique(self.cell, return_inverse=True)
        self.rows = np.bincount(self.cell)
        digits = np.stack(np.unravel_index(used, (BINS,) * len(columns)), axis=1)
        one = [which.contrasts[c, digits[:, i], : which.degrees[c]] for i, c in enumerate(columns)]
        below = [np.ones((len(used), 1))]
        for size in range(1, len(columns)):
            below += [product([one[i] for i in members]) for members in combinations(range(len(columns)), size)]
        root = np.sqrt(self.rows)[:, None]
        smaller = _basis(root * np.concatenate(below, axis=1))
        whole = root * product(one)
        self.basis = _basis(whole - smaller @ (smaller.T @ whole)) / root
        self.spent = smaller.shape[1] + self.basis.shape[1]

    def evidence(self, residuals: Float[np.ndarray, "rows outputs"]) -> float:
        """Minus the logarithm of the p-value of an F-test: do the cells say more about the residuals than smaller sets
        do? For several outputs, which are uncorrelated, of their mean F."""
        rows, outputs = residuals.shape
        freedom, left = self.basis.shape[1], rows - self.spent
        if freedom == 0 or left <= 1 or not residuals.any():
            return 0.0
        sums = np.stack([np.bincount(self.cell, one, minlength=len(self.rows)) for one in residuals.T], axis=1)
        explained = np.square(self.basis.T @ sums).sum()
        total = np.square(residuals).sum()
        f = (explained / freedom) / (max(total - explained, 1e-12 * total) / left)
        return float(-stats.f.logsf(f, freedom * outputs, left * outputs)) if f > 1 else 0.0


def product(parts: list[np.ndarray]) -> np.ndarray:
    """All products of one column of each part."""
    found = parts[0]
    for part in parts[1:]:
        found = (found[:, :, None] * part[:, None, :]).reshape(len(found), -1)
    return found


def _basis(vectors: np.ndarray) -> np.ndarray:
    """An orthonormal basis of what the columns span."""
    u, size, _ = np.linalg.svd(vectors, full_matrices=False)
    return np.asarray(u[:, size > 1e-6 * max(size.max(initial=0.0), 1e-300)]) if len(size) else u
