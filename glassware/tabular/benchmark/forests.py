"""The paper's 90 random forests, from one forest for each of the six values of ``max_features``.

A forest's first ten trees are a forest of ten trees, and a tree grown to depth d is distributed exactly as a tree grown
fully and cut at depth d: splits are chosen greedily, from the top, and a cut node answers with the class frequencies of
its rows as a leaf would. So one fully grown forest answers for all fifteen pairs of ``max_depth`` and ``n_estimators``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from sklearn.ensemble import RandomForestClassifier

from glassware.tabular.benchmark.protocol import Cell, Split, describe, split
from glassware.tabular.benchmark.suite import Suite337

DEPTHS: tuple[int | None, ...] = (None, 2, 3, 4, 10)  # the paper's -1 is scikit-learn's None (E16)
MAX_FEATURES: tuple[int | str, ...] = (1, 2, 3, 4, "sqrt", "all")  # "all" is scikit-learn's None
TREES = (10, 100, 1000)


def mtry(max_features: int | str, columns: int) -> int:
    """The number of columns considered at a split."""
    if max_features == "all":
        return columns
    return max(1, int(math.sqrt(columns))) if max_features == "sqrt" else min(int(max_features), columns)


def probabilities(
    forest: RandomForestClassifier, X: np.ndarray, depths: Sequence[int | None], trees: Sequence[int]
) -> Iterator[tuple[int | None, int, np.ndarray]]:
    """Class probabilities of all pairs of depth and number of trees, from a forest of fully grown trees.

    Without a cut they are bit for bit those of the forest of the first trees.
    """
    rows, classes = len(X), forest.n_classes_
    X = np.ascontiguousarray(X, dtype=np.float32)
    totals = {depth: np.zeros((rows, classes)) for depth in depths}
    for count, member in enumerate(forest.estimators_, start=1):
        tree = member.tree_
        leaves, values = tree.apply(X), tree.value[:, 0, :]
        levels = tree.compute_node_depths() - 1
        for depth in depths:
            reached = leaves if depth is None else _ancestors(levels, depth)[leaves]
            totals[depth] += values[reached]
        if count in trees:
            for depth in depths:
                yield depth, count, totals[depth] / count


def _ancestors(levels: np.ndarray, depth: int) -> np.ndarray:
    """For each node its ancestor at ``depth``, or itself if it lies no deeper.

    A tree's nodes are numbered in preorder: a deeper node's ancestor is the last node of that depth before it.
    """
    nodes = np.arange(len(levels))
    last = np.maximum.accumulate(np.where(levels == depth, nodes, 0))
    return np.where(levels > depth, last, nodes)


def forest_errors(
    rows: Split, max_features: int | str, seed: int, trees: int = TREES[-1]
) -> list[dict[str, float | None]]:
    """Test error of every depth and number of trees up to ``trees``, at one value of ``max_features``."""
    counts = [count for count in TREES if count <= trees]
    forest = RandomForestClassifier(counts[-1], max_features=mtry(max_features, rows.X.shape[1]), random_state=seed)
    forest.fit(rows.X, rows.y)
    found: list[dict[str, float | None]] = []
    for depth, count, probability in probabilities(forest, rows.X_test, DEPTHS, counts):
        predicted = forest.classes_[probability.argmax(axis=1)]
        error = float(np.mean(predicted != rows.y_test))
        found.append({"max_depth": depth, "n_estimators": count, "error": error})
    return found


def distinct(columns: int) -> list[tuple[int | str, ...]]:
    """Values of ``max_features`` grouped by meaning: with ten columns "sqrt" is 3, and one forest serves both."""
    groups: dict[int, list[int | str]] = {}
    for value in MAX_FEATURES:
        groups.setdefault(mtry(value, columns), []).append(value)
    return [tuple(group) for group in groups.values()]


def forest_trial(
    data: str | None, cell: Cell, trial: int, max_features: tuple[int | str, ...], trees: int
) -> pl.DataFrame:
    """Rows of the benchmark's table: one trial of a cell, at values of ``max_features`` that mean the same.

    Trees are invariant to monotone scaling, so inputs are used as they are. No rows where A11 drops the cell.
    """
    started = time.perf_counter()
    table = Suite337(data).load(cell.task)
    rows = split(table, cell, trial)
    if rows is None:
        return pl.DataFrame()
    found = forest_errors(rows, max_features[0], trial, trees)
    seconds = time.perf_counter() - started
    frame = pl.DataFrame(
        [{"max_features": str(value), **row} for value in max_features for row in found],
        schema_overrides={"max_depth": pl.Int64},
    )
    return frame.with_columns(**describe("forest", table, cell, trial, rows, seconds))


def forest_seconds(rows: int, columns: int, max_features: int | str, trees: int) -> float:
    """Roughly how long growing takes on one core; within a factor of two on the suite's tables."""
    looked = mtry(max_features, columns)
    return trees * (1.4e-3 + rows * math.log2(max(rows, 2)) * (5.8e-8 + 3.6e-8 * looked))
