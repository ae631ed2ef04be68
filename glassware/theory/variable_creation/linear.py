"""The conjunction of 3 of T bits by ridge regression: what a method costs that does not select."""

from __future__ import annotations

import numpy as np

from glassware.theory.variable_creation.identifiability import P, S

RIDGE = 0.1  # of T


def ridge_accuracy(rng: np.random.Generator, length: int, m: int, test: int = 2000) -> float:
    """Accuracy on fresh examples of ridge regression on m examples of standardised bits, at its best threshold.

    Coefficients minimise |X w - y|^2 + T/10 |w|^2 for labels y = -1, 1. The threshold is chosen on the fresh examples:
    the method is not to fail by a constant.

    >>> ridge_accuracy(np.random.default_rng(0), 25, 400) > 0.95
    True
    """
    draw = lambda rows: rng.random((rows, length)) < P
    standard = lambda bits: (bits - P) / np.sqrt(P * (1 - P))
    label = lambda bits: np.where(bits[:, :S].all(axis=1), 1.0, -1.0)
    bits, fresh = draw(m), draw(test)
    w = ridge(standard(bits), label(bits), RIDGE * length)
    return _best_accuracy(standard(fresh) @ w, label(fresh) > 0)


def ridge(x: np.ndarray, y: np.ndarray, penalty: float) -> np.ndarray:
    """The w that minimises |x w - y|^2 + penalty |w|^2, by the smaller of two linear systems."""
    m, length = x.shape
    if m < length:
        return x.T @ np.linalg.solve(x @ x.T + penalty * np.eye(m), y)
    return np.linalg.solve(x.T @ x + penalty * np.eye(length), x.T @ y)


def _best_accuracy(scores: np.ndarray, positive: np.ndarray) -> float:
    """The largest share that a cut through the scores gets right."""
    order = np.argsort(-scores)
    gained = np.concatenate([[0], np.cumsum(np.where(positive[order], 1, -1))])
    return float((gained.max() + np.count_nonzero(~positive)) / len(scores))
