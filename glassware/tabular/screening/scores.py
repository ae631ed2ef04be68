"""What a found set says, as one column per output: a function of its bins, of low rank, that other rows have taught."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from glassware.foundation.arrays import Float
from glassware.tabular.screening.codes import Codes
from glassware.tabular.screening.statistics import product

FOLDS = 8
SWEEPS = 20  # of power iterations for one product of functions


@dataclass
class Score:
    """A function of the bins of a set's columns.

    Attributes:
        columns: the set.
        tensor: contrasts' weights, (outputs, contrasts of the first column, of the second, ...).
    """

    columns: tuple[int, ...]
    tensor: np.ndarray

    @classmethod
    def fit(
        cls,
        columns: tuple[int, ...],
        parts: list[Float[np.ndarray, "rows contrasts"]],
        residuals: Float[np.ndarray, "rows outputs"],
    ) -> Score:
        """Of sums of products of one function per column, those that stand out from noise.

        Args:
            columns: the set.
            parts: contrasts of the rows, for each of its columns.
            residuals: with variance about 1.
        """
        whole = (residuals.T @ product(parts)) / np.sqrt(len(residuals))
        shape = tuple(part.shape[1] for part in parts)
        tensor = np.stack([_clear(one.reshape(shape)) for one in whole]) / np.sqrt(len(residuals))
        return cls(columns, tensor)

    def of(self, parts: list[Float[np.ndarray, "rows contrasts"]]) -> Float[np.ndarray, "rows outputs"]:
        """Its values on rows, with these contrasts."""
        return np.asarray(product(parts) @ self.tensor.reshape(len(self.tensor), -1).T)


def parts_of(codes: Codes, X: np.ndarray, columns: tuple[int, ...]) -> list[np.ndarray]:
    """The contrasts of rows in some columns, one by one."""
    bins = codes.of(X, np.array(columns))
    return [codes.contrasts[c, bins[:, i], : codes.degrees[c]] for i, c in enumerate(columns)]


def crossed(columns: tuple[int, ...], parts: list[np.ndarray], residuals: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """A set's score for every row, taught by the rows of the other folds only."""
    found = np.empty(residuals.shape)
    for fold in np.unique(folds):
        mine = folds == fold
        others = Score.fit(columns, [part[~mine] for part in parts], residuals[~mine])
        found[mine] = others.of([part[mine] for part in parts]) / size_of(others, parts)
    return found


def size_of(score: Score, parts: list[np.ndarray]) -> Float[np.ndarray, " outputs"]:
    """The standard deviation of a score on rows; 1 if it is constant. Scores of all folds get the same size: else how
    large they are would tell which labels they have not seen."""
    spread = score.of(parts).std(axis=0)
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
