"""What a found set says, as one column per output: a function of its bins, of low rank, that other rows have taught."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from glassware.foundation.arrays import Float, UInt8
from glassware.tabular.screening.codes import Codes
from glassware.tabular.screening.statistics import product

FOLDS = 8
SWEEPS = 20  # of power iterations for one product of functions


@dataclass
class Score:
    """A function of the bins of a set's columns.

    Attributes:
        columns: the set.
        table: its values, by the bin of the first column, of the second, ..., and by output. A table, so that rows of
            equal bins have equal scores to the last bit: a product of matrices rounds by a row's place.
    """

    columns: tuple[int, ...]
    table: np.ndarray

    @classmethod
    def fit(
        cls,
        columns: tuple[int, ...],
        codes: Codes,
        bins: UInt8[np.ndarray, "rows set"],
        residuals: Float[np.ndarray, "rows outputs"],
    ) -> Score:
        """Of sums of products of one function per column, those that stand out from noise.

        Args:
            columns: the set.
            codes: how columns are cut into bins.
            bins: of the rows, in each column of the set.
            residuals: with variance about 1.
        """
        contrasts = [codes.contrasts[c, : codes.bins[c], : codes.degrees[c]] for c in columns]
        parts = [one[bins[:, i]] for i, one in enumerate(contrasts)]
        whole = (residuals.T @ product(parts)) / np.sqrt(len(residuals))
        shape = tuple(part.shape[1] for part in parts)
        table = np.stack([_clear(one.reshape(shape)) for one in whole]) / np.sqrt(len(residuals))
        for one in contrasts:  # from contrasts to bins, one column after another
            table = np.tensordot(table, one, axes=(1, 1))
        return cls(columns, np.moveaxis(table, 0, -1))

    def of(self, bins: UInt8[np.ndarray, "rows set"]) -> Float[np.ndarray, "rows outputs"]:
        """Its values on rows in these bins."""
        return np.asarray(self.table[tuple(bins.T)])


def parts_of(codes: Codes, X: np.ndarray, columns: tuple[int, ...]) -> list[np.ndarray]:
    """The contrasts of rows in some columns, one by one."""
    bins = codes.of(X, np.array(columns))
    return [codes.contrasts[c, bins[:, i], : codes.degrees[c]] for i, c in enumerate(columns)]


def crossed(
    columns: tuple[int, ...], codes: Codes, bins: np.ndarray, residuals: np.ndarray, folds: np.ndarray
) -> np.ndarray:
    """A set's score for every row, taught by the rows of the other folds only."""
    found = np.empty(residuals.shape)
    for fold in np.unique(folds):
        mine = folds == fold
        others = Score.fit(columns, codes, bins[~mine], residuals[~mine])
        found[mine] = others.of(bins[mine]) / size_of(others, bins)
    return found


def size_of(score: Score, bins: np.ndarray) -> Float[np.ndarray, " outputs"]:
    """The standard deviation of a score on rows; 1 if it is constant. Scores of all folds get the same size: else how
    large they are would tell which labels they have not seen."""
    spread = score.of(bins).std(axis=0)
    return np.where(spread > 1e-12, spread, 1.0)


def _clear(tensor: np.ndarray) -> np.ndarray:
    """The products of vectors in a tensor that are larger than those in one of standard Gaussians; at least one."""
    left, found = tensor.copy(), np.zeros_like(tensor)
    edge = sum(np.sqrt(size) for size in tensor.shape) ** 2
    for number in range(max(1, min(tensor.shape))):
        vectors = _leading(left)
        length = _along(left, vectors)
        if number and np.square(length) < edge:
            break
        one = length * reduce(np.multiply.outer, vectors)
        found += one
        left -= one
    return found


def _leading(tensor: np.ndarray) -> list[np.ndarray]:
    """The unit vectors whose product is most like the tensor, nearly, by alternating."""
    vectors = []
    for axis in range(tensor.ndim):
        flat = np.moveaxis(tensor, axis, 0).reshape(tensor.shape[axis], -1)
        vectors.append(np.linalg.svd(flat, full_matrices=False)[0][:, 0])
    for _ in range(SWEEPS):
        for axis in range(tensor.ndim):
            rest = np.moveaxis(tensor, axis, 0)
            for other in reversed([v for i, v in enumerate(vectors) if i != axis]):
                rest = rest @ other
            length = np.linalg.norm(rest)
            if length > 0:
                vectors[axis] = rest / length
    return vectors


def _along(tensor: np.ndarray, vectors: list[np.ndarray]) -> float:
    for vector in reversed(vectors):
        tensor = tensor @ vector
    return float(tensor)
