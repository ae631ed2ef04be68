"""Lemma A.8: how to split an error among the parts of a cover so that their sizes add up to as little as possible."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from glassware.foundation.arrays import Float


class Allocation(NamedTuple):
    """Shares of an error, and the sum they lead to."""

    shares: Float[np.ndarray, " n"]
    value: float


def allocate(sizes: Float[np.ndarray, " n"], costs: Float[np.ndarray, " n"], total: float) -> Allocation:
    """The x that make sum sizes / x^2 smallest under sum costs x = total.

    With gamma = sum sizes^(1/3) costs^(2/3) they are total / gamma (sizes / costs)^(1/3); the sum is gamma^3 / total^2.

    >>> allocate(np.array([1.0, 8.0]), np.array([1.0, 1.0]), 3.0)
    Allocation(shares=array([1., 2.]), value=3.0)
    """
    sizes, costs = np.asarray(sizes, float), np.asarray(costs, float)
    if (sizes < 0).any() or (costs <= 0).any() or total <= 0:
        raise ValueError("sizes must not be negative; costs and the error to be split must be positive")
    gamma = float(np.sum(np.cbrt(sizes) * np.cbrt(costs) ** 2))
    return Allocation(total / gamma * np.cbrt(sizes / costs), gamma**3 / total**2)


def allocate_numerically(
    sizes: Float[np.ndarray, " n"], costs: Float[np.ndarray, " n"], total: float, begin: Float[np.ndarray, " n"]
) -> float:
    """The same smallest sum by descent, for comparison; what each part spends is a softmax, starting at ``begin``."""

    def shares(free: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        spent = np.exp(free - free.max())
        return total * spent / spent.sum() / costs

    options = {"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-12, "maxfun": 100_000}
    found = minimize(lambda free: float(np.log(np.sum(sizes / shares(free) ** 2))), begin, options=options,
                     method="L-BFGS-B")  # fmt: skip
    return float(np.exp(found.fun))
