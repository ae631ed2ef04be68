"""Reading a trained network: which columns it uses, and which it uses together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from glassware.foundation.arrays import Float, Params
from glassware.tabular.inputs import DataError
from glassware.tabular.screening.focus import Focused
from glassware.tabular.screening.screen import Found

if TYPE_CHECKING:
    from glassware.tabular.estimators import Estimator

SHUFFLES = 3
MOST_ROWS = 300  # enough for a ranking; every set takes 2**k forward passes per shuffle
FULL_SETS = 6  # all sets of this many leading columns are candidates as well


def importances(estimator: Estimator) -> Float[np.ndarray, " columns"]:
    """Share of each column in the first layer: |weight| times the size of the neuron's outgoing weights."""
    total = sum(reading.sum(axis=1) for reading in _readings(estimator))
    return np.asarray(total / max(np.sum(total), np.finfo(np.float32).tiny))


def interactions(estimator: Estimator, k: int, X: ArrayLike | None, y: ArrayLike | None, top: int) -> pl.DataFrame:
    """See :meth:`SparseMLPClassifier.interactions`."""
    width = estimator.n_features_in_
    if not 1 <= k <= min(width, 6):
        raise DataError(f"k must lie between 1 and {min(width, 6)}, not {k}.")
    if y is not None and X is None:
        raise DataError("y needs X: the score is measured on rows.")
    weights = _candidates(estimator, k)
    leading = np.argsort(-importances(estimator))[:FULL_SETS]
    names = getattr(estimator, "feature_names_in_", None)
    known = _found(estimator, k)
    likely = sorted(weights, key=lambda s: -weights[s])[: 2 * top]
    enough = len(known) >= top  # they come first: the others need not be measured
    sets = [*known] if enough else [*known, *(s for s in likely if s not in known)]
    rows, labels = [], None
    if X is not None:
        near = [] if enough else [tuple(sorted(map(int, one))) for one in combinations(leading, k)]
        sets += [one for one in near if one not in set(sets)]
        x = estimator._checked(X)
        chosen = np.random.default_rng(0).permutation(len(x))[:MOST_ROWS]
        x, labels = x[chosen], None if y is None else np.asarray(y)[chosen]
    for columns in sets:
        strength = None if X is None else _strength(estimator, columns, x)
        row: dict[str, list[str] | list[int] | float | None] = {
            "features": [names[c] for c in columns] if names is not None else list(columns),
            "weight": weights.get(columns, 0.0),
            "strength": strength,
            "p_adjusted": known[columns].p_adjusted if columns in known else None,
        }
        evidence = known[columns].evidence if columns in known else 0.0
        rows.append(((evidence, weights.get(columns, 0.0) if strength is None else strength), row, columns))
    rows.sort(key=lambda ranked: ranked[0], reverse=True)
    kept = rows[:top]
    for _, row, columns in kept:
        row["score_drop"] = None if labels is None else _score_drop(estimator, columns, x, labels)
    named = pl.List(pl.String if names is not None else pl.Int64)
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "features": named,
        "weight": pl.Float64,
        "strength": pl.Float64,
        "score_drop": pl.Float64,
        "p_adjusted": pl.Float64,
    }
    return pl.DataFrame([row for _, row, _ in kept], schema=schema)


def _found(estimator: Estimator, k: int) -> dict[tuple[int, ...], Found]:
    """What screening found, by the table's own columns; of sets from the same columns the clearest."""
    found: dict[tuple[int, ...], Found] = {}
    for one in sorted(estimator.found_sets_, key=lambda one: one.evidence):
        found[tuple(sorted({int(estimator.encoding_.source[c]) for c in one.columns}))] = one
    return {columns: one for columns, one in found.items() if len(columns) == k}


def _readings(estimator: Estimator) -> Iterator[Float[np.ndarray, "columns neurons"]]:
    """For each network, how much neurons that matter read each column."""
    for params, view in zip(estimator.members_, estimator.views_, strict=True):
        inputs = _reading(params) * view.size[:, None]
        found = np.zeros((estimator.n_features_in_, inputs.shape[1]))
        source = estimator.encoding_.source
        if isinstance(view, Focused):  # what columns say together is a reading of each of them
            for column, reading in zip(view.columns.tolist(), inputs, strict=True):
                found[source[list(view.focus.sources[column])]] += reading
        else:
            np.add.at(found, source[view.columns], inputs)
        yield found


def _reading(params: Params) -> Float[np.ndarray, "inputs neurons"]:
    """The same for one network, by its inputs."""
    return np.abs(params[0]["w"]) * np.linalg.norm(params[1]["w"], axis=1)


def _candidates(estimator: Estimator, k: int) -> dict[tuple[int, ...], float]:
    """Sets of ``k`` columns and their share of votes: a neuron votes for its top ``k``, with the weakest as weight."""
    votes: dict[tuple[int, ...], float] = {}
    for reading in _readings(estimator):
        best = np.argsort(-reading, axis=0)[:k]
        weakest = np.take_along_axis(reading, best, axis=0)[-1]
        for columns, vote in zip(np.sort(best, axis=0).T, weakest, strict=True):
            chosen = tuple(int(c) for c in columns)
            votes[chosen] = votes.get(chosen, 0.0) + float(vote)
    total = sum(votes.values()) or 1.0
    return {columns: vote / total for columns, vote in votes.items()}


def _strength(estimator: Estimator, columns: tuple[int, ...], x: Float[np.ndarray, "rows columns"]) -> float:
    """Standard deviation of the interaction of these columns in the output (with all larger sets that contain them).

    Liu and Owen's superset importance: swap each part of the set against another row's values and add up the outputs
    with alternating signs. What any smaller set of columns explains cancels. Networks are averaged first; logits
    are taken relative to their mean over the classes, numbers in the units of the target.
    """
    rng = np.random.default_rng(0)
    parts = [list(part) for size in range(len(columns) + 1) for part in combinations(columns, size)]
    signs = np.array([(-1.0) ** len(part) for part in parts])
    total = 0.0
    for _ in range(SHUFFLES):
        other = x[rng.permutation(len(x))]
        mixed = np.repeat(x[None], len(parts), axis=0)
        for rows, part in zip(mixed, parts, strict=True):
            mine = np.isin(estimator.encoding_.source, part)
            rows[:, mine] = other[:, mine]
        out = estimator._contrast(estimator._outputs(mixed.reshape(-1, x.shape[1])).mean(axis=0))
        signed = np.tensordot(signs, out.reshape(len(parts), len(x), -1), axes=1)
        total += float(np.mean(np.square(signed)))
    return float(np.sqrt(total / SHUFFLES / len(parts)))


def _score_drop(
    estimator: Estimator, columns: tuple[int, ...], x: Float[np.ndarray, "rows columns"], y: np.ndarray
) -> float:
    """How much the score drops when the columns of the set are shuffled together."""
    rng = np.random.default_rng(0)
    mine = np.isin(estimator.encoding_.source, columns)
    shuffled = []
    for _ in range(SHUFFLES):
        mixed = x.copy()
        mixed[:, mine] = x[rng.permutation(len(x))][:, mine]
        shuffled.append(estimator._score(mixed, y))
    return float(estimator._score(x, y) - np.mean(shuffled))
