"""What the counts of a context say about the transition matrix (the dissertation, equations 8.1 to 8.3).

Rows are independent and Dirichlet a priori, and stay so if x_1 says nothing about the matrix. If it is drawn from pi
instead, one factor pi_{x_1} is missing here: ``strategies.bayes_exact`` has it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from glassware.foundation.arrays import Float, Integer
from glassware.theory.markov.strategies import one_hot


def transition_counts(tokens: Integer[np.ndarray, "*batch t"], states: int) -> Float[np.ndarray, "*batch k k"]:
    """c_ij: how often j follows i within the context."""
    row = one_hot(tokens, states)
    return np.einsum("...ti,...tj->...ij", row[..., :-1, :], row[..., 1:, :])


def dirichlet_posterior(
    counts: Float[np.ndarray, "*batch k k"], alpha: float | Sequence[float] = 1.0
) -> Float[np.ndarray, "*batch k k"]:
    """Parameters of the rows' Dirichlet laws, c_ij + alpha_j (8.1)."""
    return counts + np.asarray(alpha)


def beta_marginals(
    counts: Float[np.ndarray, "*batch k k"], alpha: float | Sequence[float] = 1.0
) -> tuple[Float[np.ndarray, "*batch k k"], Float[np.ndarray, "*batch k k"]]:
    """Parameters of the Beta law of each P_ij (8.2)."""
    up = dirichlet_posterior(counts, alpha)
    return up, up.sum(axis=-1, keepdims=True) - up


def posterior_mean(
    counts: Float[np.ndarray, "*batch k k"], alpha: float | Sequence[float] = 1.0, printed: bool = False
) -> Float[np.ndarray, "*batch k k"]:
    """E[P_ij | context] (8.3): row x_p of it is the bigram strategy.

    Args:
        counts: c_ij.
        alpha: of the prior, one for all states or one each.
        printed: divide by N + sum alpha, N all transitions. It is N_i + sum alpha, N_i those from i.
    """
    up = dirichlet_posterior(counts, alpha)
    if not printed:
        return up / up.sum(axis=-1, keepdims=True)
    weight = np.broadcast_to(np.asarray(alpha), counts.shape[-1:]).sum()
    return up / (counts.sum(axis=(-1, -2), keepdims=True) + weight)
