"""A forest fitted on the same rows: which columns matter, where they split, how certain a label is."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from glassware.foundation.arrays import Float
from glassware.tabular.cuts import Splits

TREES = 100
MOST_ROWS = 5000  # per tree
LARGE = 50_000  # numbers in a table above which threads pay off
# Columns are rescaled for the trees if their range is below this fraction of their size (or of 1), or if they have
# values above this.
CLOSE, HUGE = 1e-3, 1e30
LEAST_SHARE = 0.05  # least importance of a column, the mean being 1: forests can miss a column that matters


class Guide(NamedTuple):
    """What a fitted forest knows about a table.

    Attributes:
        importance: of each column, with mean 1.
        vote: out-of-bag predictions, (rows, outputs): probabilities of the classes, or a number; NaN for rows that
            every tree has seen.
        splits: of its trees.
    """

    importance: np.ndarray
    vote: np.ndarray
    splits: Splits

    def gain(self) -> np.ndarray:
        """Factors for the scaled columns; their mean square is 1."""
        root = np.sqrt(self.importance)
        return np.asarray(root / np.sqrt(np.mean(np.square(root))))


def guide(
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    classify: bool,
    seed: int,
    threads: bool = True,
    trees: int = TREES,
    leaf: int = 1,
) -> Guide:
    """Fit the forest, on all cores if the table is large and ``threads`` are allowed.

    ``X`` has no missing values; numbers in ``y`` have a standard deviation of 1.
    """
    X, middle, half = _rescale_for_trees(X)
    options: dict[str, int | bool | None] = {
        "n_estimators": trees,
        "max_samples": MOST_ROWS if len(X) > MOST_ROWS else None,
        "oob_score": True,
        "min_samples_leaf": leaf,
        "random_state": seed,
        # With threads, scikit-learn's warning filters race, and sometimes warn about that.
        "n_jobs": -1 if threads and X.size >= LARGE else 1,
    }
    forest = RandomForestClassifier(**options) if classify else RandomForestRegressor(max_features=0.33, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about rows without a vote, which are NaN
        forest.fit(X, y, None if np.all(weight == weight[0]) else weight)
    vote = forest.oob_decision_function_ if classify else forest.oob_prediction_.reshape(len(X), -1)
    share = forest.feature_importances_ * X.shape[1]
    return Guide(np.maximum(share, LEAST_SHARE), np.asarray(vote, np.float64), _splits(forest, middle, half))


def _rescale_for_trees(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The columns with narrow or huge ones rescaled: trees cannot resolve small gaps, or hold huge values, in float32.
    Also returns what was subtracted from each column, and what it was then divided by."""
    low, high = X.min(axis=0), X.max(axis=0)
    half, size = 0.5 * high - 0.5 * low, np.maximum(np.abs(low), np.abs(high))
    moved = (half > 0) & (half < CLOSE * np.maximum(size, 1.0)) | (size > HUGE)
    if not moved.any():
        return X, np.zeros(X.shape[1]), np.ones(X.shape[1])
    middle, half = np.where(moved, 0.5 * low + 0.5 * high, 0.0), np.where(moved & (half > 0), half, 1.0)
    return (X - middle) / half, middle, half


def _splits(
    forest: RandomForestClassifier | RandomForestRegressor,
    middle: Float[np.ndarray, " columns"],
    half: Float[np.ndarray, " columns"],
) -> Splits:
    found, count = list[Splits](), 0
    for one in forest.estimators_:
        tree = one.tree_
        inner = np.flatnonzero(tree.children_left >= 0)
        impurity = tree.weighted_n_node_samples * tree.impurity
        after = impurity[tree.children_left[inner]] + impurity[tree.children_right[inner]]
        # Rounding may make it slightly negative.
        gain = np.maximum(impurity[inner] - after, 0.0)
        column = tree.feature[inner].astype(np.int32)
        above = np.full(tree.node_count, -1, np.int32)  # by node
        for children in (tree.children_left, tree.children_right):
            above[children[inner]] = count + np.arange(len(inner), dtype=np.int32)
        found.append(Splits(column, tree.threshold[inner] * half[column] + middle[column], gain, above[inner]))
        count += len(inner)
    return Splits(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
