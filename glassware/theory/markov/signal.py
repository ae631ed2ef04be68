"""Gradient descent of the minimal model while no hinge rests, for a whole prior and any number of states.

There the loss is a constant minus sum_j sum_ml v_j W_ml K_jml, so one tensor K holds every gradient: with n steps from
t' to p and j-1 from s to t',

    K_jml = (1/t) pi_l sum_i (P_mi - 1/k) (P^{j-1})_li sum_{n < N} (N - n) (P^n)_im,   N = t - j + 1,

averaged over the prior. The first steps of Lemma 8.4 contract it with constant v, constant W, and the identity.
"""

from __future__ import annotations

import numpy as np

from glassware.foundation.arrays import Float
from glassware.theory.boolean import Floats
from glassware.theory.markov.chains import Chains, stationary
from glassware.theory.markov.minimal import Minimal

MOST_NUMBERS = 4_000_000  # held at once, per array


def signal(matrix: Float[np.ndarray, "*batch k k"], t: int) -> Float[np.ndarray, "*batch t k k"]:
    """K of given chains with stationary starts, by powers of their matrices; equation E.13 for any v."""
    k = matrix.shape[-1]
    powers = [np.broadcast_to(np.eye(k), matrix.shape)]
    for _ in range(t - 1):
        powers.append(powers[-1] @ matrix)
    power = np.stack(powers, axis=-3)
    # Summed twice: entry N-1 is the sum over n < N of (N - n) P^n; N = t - j + 1 reads it backwards.
    after = np.cumsum(np.cumsum(power, axis=-3), axis=-3)[..., ::-1, :, :]
    pull = np.swapaxes(matrix - 1 / k, -1, -2)[..., None, :, :] * after  # (j, i, m)
    return np.swapaxes(power @ pull, -1, -2) * stationary(matrix)[..., None, None, :] / t


def expected_signal(chains: Chains, t: int) -> Float[np.ndarray, "t 2 2"]:
    """K of two-state chains averaged over their law.

    P^n = limit + lambda^n rest, where all rows of the limit are pi: no division by 1 - lambda, nothing cancels.
    """
    weighted = chains.weight[:, None, None] * chains.stationary[:, None, :]
    limit = np.repeat(chains.stationary[:, None, :], 2, axis=1)
    rest, pull, second = np.eye(2) - limit, chains.matrices - 0.5, chains.second

    def coefficient(to: Floats, back: Floats) -> Floats:
        """sum_i (P_mi - 1/2) to_li back_im of each chain, times pi_l and its weight."""
        return np.einsum("cmi,cli,cim->cml", pull, to, back) * weighted

    stay, go = coefficient(limit, limit), coefficient(rest, limit)
    back, both = coefficient(limit, rest), coefficient(rest, rest)
    n = np.arange(t)
    plain = ((t - n) * (t - n + 1) / 2)[:, None, None]  # the double sum of 1
    total, chunk = plain * stay.sum(axis=0), max(1, MOST_NUMBERS // t)
    for first in range(0, len(second), chunk):
        part = slice(first, first + chunk)
        powers = second[part, None] ** n
        sums = np.cumsum(np.cumsum(powers, axis=1), axis=1)[:, ::-1]
        total = total + plain * np.tensordot(powers, go[part], axes=((0,), (0,)))
        total = total + np.tensordot(sums, back[part], axes=((0,), (0,)))
        total = total + np.tensordot(powers * sums, both[part], axes=((0,), (0,)))
    return total / t


def descend(
    model: Minimal, tensor: Float[np.ndarray, "t k k"], rate: float, decay: tuple[float, float] = (0.0, 0.0)
) -> Minimal:
    """One step of gradient descent on both blocks: theta <- (1 - decay) theta - rate gradient.

    Args:
        model: before the step.
        tensor: K.
        rate: eta.
        decay: decoupled weight decay of W and of v, not multiplied by the rate.
    """
    W = (1 - decay[0]) * model.W + rate * np.tensordot(model.v, tensor, axes=1)
    v = (1 - decay[1]) * model.v + rate * np.tensordot(tensor, model.W, axes=2)
    return Minimal(W, v)
