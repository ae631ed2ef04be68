"""The first two gradient steps of the minimal model for two states (Lemma 8.4, proved as Lemma E.1).

Closed forms per chain [[a, 1-a], [1-b, b]], lambda = a + b - 1, from W = c 11^T and v = c 1. After one step W leans to
its diagonal and v to its first coordinate; after two the second coordinate leads, if t is large enough for the rate.
Powers of lambda are summed instead of divided by 1 - lambda, so that chains near a = b = 1 lose no digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from glassware.foundation.arrays import Float
from glassware.theory.boolean import Floats
from glassware.theory.markov.chains import Chains, enough, flat
from glassware.theory.markov.minimal import Minimal, sufficient_margin
from glassware.theory.markov.signal import expected_signal

A = (7 - 10 * math.log(2)) / 6  # growth of W off the diagonal, in units of c eta (t+1)(t+2)/6, as t grows
B = (8 * math.log(2) - 5) / 12  # on the diagonal; B/A = 3.98
D = 1.5 - 2 * math.log(2)  # growth of v_j, in units of (c eta / t) N(N+1)/2, N = t - j + 1


def grad_w_init(chains: Chains, t: int, c: float = 1.0) -> Float[np.ndarray, "chains 2 2"]:
    """-dL/dW of each chain where v = c 1, whatever W is (E.17)."""
    beta, gamma, lam = _parts(chains)
    matrix, pi, n = chains.matrices - 0.5, chains.stationary, np.arange(t)
    powers = lam[:, None] ** n
    sums = (
        powers @ ((n + 1) * (t - n)),
        powers @ ((t - n) * (t - n + 1) / 2),
        np.full(len(lam), t * (t + 1) * (t + 2) / 6),
    )
    terms = ((beta, beta, sums[0]), (beta, gamma, sums[1]), (gamma, beta, sums[1]), (gamma, gamma, sums[2]))
    total = sum(np.einsum("cmi,cim,cli,c->cml", matrix, back, to, factor) for back, to, factor in terms)
    return c / t * total * pi[:, None, :]


def grad_w_init_text(chains: Chains, t: int, c: float = 1.0) -> Float[np.ndarray, "chains 2 2"]:
    """The same as E.17 writes it, with I to IV; right, but for lambda = 0 and for lost digits near lambda = 1."""
    a, b, lam = chains.a, chains.b, chains.second
    beta = np.stack([np.stack([a - 1, 1 - a], -1), np.stack([1 - b, b - 1], -1)], -2)
    gamma = np.repeat(np.stack([b - 1, a - 1], -1)[:, None], 2, axis=1)
    less = lam - 1
    one = (lam - (t + 1) * lam ** (t + 1) + t * lam ** (t + 2)) / less**2
    one = one - (1 - lam**t) / ((1 - 1 / lam) * (1 - lam)) + t / less
    two = lam**2 * (1 - lam**t) / (1 - lam) - lam * t * (t + 3) / 2 + t * (t + 1) / 2
    three = t * lam / (1 - lam) - (lam**2 - lam ** (t + 2)) / less**2 - t * (t + 1) / 2
    factors = (
        (beta, beta, one / less),
        (beta, gamma, two / less**2),
        (gamma, beta, three / less),
        (gamma, gamma, np.full(len(a), t * (t + 1) * (t + 2) / 6)),
    )
    sign = np.array([1.0, -1.0])  # P_m2 - 1/2 is the negative of P_m1 - 1/2
    total = sum(np.einsum("i,cim,cli,c->cml", sign, back, to, factor) for back, to, factor in factors)
    scale = (chains.matrices[:, :, :1] - 0.5) * chains.stationary[:, None, :] / less[:, None, None] ** 2
    return c / t * total * scale


def grad_v_init(chains: Chains, t: int, c: float = 1.0) -> Float[np.ndarray, "chains t"]:
    """-dL/dv_j of each chain where W = c 11^T, whatever v is (E.28)."""
    pi, lam, N = chains.stationary, chains.second[:, None], t - np.arange(t)
    same, mixed = (pi**2).sum(axis=-1, keepdims=True), 2 * pi.prod(axis=-1, keepdims=True)
    return c / t * (N * (N + 1) / 2 * (same - 0.5) + mixed * lam * _twice(lam, t))


def grad_v_diag(chains: Chains, t: int, printed: bool = False) -> Float[np.ndarray, "chains t"]:
    """G_j: -dL/dv_j of each chain where W = I (E.37, E.38). With W = c' 11^T + (rho - c') I it is multiplied by
    rho - c' and added to c' times ``grad_v_init`` at c = 1.

    Args:
        chains: any.
        t: context length.
        printed: E.37 for j = 1, with (a-1)(b-1)/(lambda-1)^2 and t(t-1)/2; E.38 for the others, with lambda - 1 below
            lambda - lambda^{N+1}. They are lambda (a-1)(b-1)/(lambda-1)^3, t(t+1)/2 and 1 - lambda.
    """
    beta, gamma, lam = _parts(chains)
    matrix, pi, N = chains.matrices - 0.5, chains.stationary, t - np.arange(t)
    powers = lam[:, None] ** np.arange(t)
    inner = _twice(lam[:, None], t)  # (N - (lambda - lambda^{N+1}) / (1 - lambda)) / (1 - lambda)
    if printed:
        geometric = np.cumsum(lam[:, None] * powers, axis=1)[:, ::-1]
        mixed = (N + geometric) / chains.leave.sum(axis=-1, keepdims=True)
    else:
        mixed = inner

    def coefficient(back: Floats, to: Floats) -> Floats:
        return np.einsum("cl,cli,cil,cli->c", pi, matrix, back, to)[:, None]

    whole = N * (N + 1) / 2
    total = coefficient(beta, beta) * inner * powers + coefficient(beta, gamma) * mixed
    total = total + whole * (coefficient(gamma, beta) * powers + coefficient(gamma, gamma))
    if printed:
        leave = chains.leave
        less, product = leave.sum(axis=-1), leave.prod(axis=-1)
        first = (geometric[:, 0] - t) * product / less**2
        squares = leave[:, 1] ** 2 * (chains.a - 0.5) + leave[:, 0] ** 2 * (chains.b - 0.5)
        total[:, 0] = first + squares / less**2 * t * (t - 1) / 2
    return total / t


def lag_probability(chains: Chains, p: int, j: int, printed: bool = False) -> Float[np.ndarray, "chains 2 2"]:
    """sum over t' = j .. p of P[x_t' = i, x_{t'-j+1} = x_p = l] (E.32), indexed (i, l).

    Args:
        chains: any.
        p: position, at least j.
        j: lag + 1.
        printed: without brackets around the two factors, and divided by lambda - 1 once.
    """
    pi, n = chains.stationary[:, None, :], np.arange(p - j + 1)
    if printed:
        beta, gamma, lam = _parts(chains)
        less = -chains.leave.sum(axis=-1)[:, None, None]  # beta and gamma of the text are ours times this
        powers = (lam[:, None] ** n).sum(axis=-1)[:, None, None]
        turned = less * np.swapaxes(beta, -1, -2) * (lam ** (j - 1))[:, None, None]
        return pi * (beta * powers + len(n) * (gamma * turned + np.swapaxes(gamma, -1, -2)))
    step = chains.matrices
    to = np.swapaxes(np.linalg.matrix_power(step, j - 1), -1, -2)
    return pi * to * sum(np.linalg.matrix_power(step, int(m)) for m in n)


def match_probability(chains: Chains, p: int, j: int, printed: bool = False) -> Float[np.ndarray, " chains"]:
    """sum over t' = j .. p of P[x_t' = x_{p+1}, x_{t'-j+1} = x_p] (E.36).

    Args:
        chains: any.
        p: position, at least j.
        j: lag + 1.
        printed: weighted by pi_i, the law of x_t'. It is pi_l, that of x_{t'-j+1}.
    """
    lag, pi = lag_probability(chains, p, j), chains.stationary
    if printed:
        lag = lag / pi[:, None, :] * pi[:, :, None]
    return np.einsum("cil,cli->c", lag, chains.matrices)


def even_odd(j: int) -> float:
    """g_j = 4 E[(a-1)(b-1)^2 (a-1/2) lambda^{j-1} / (lambda-1)^3]: what favours even coordinates of v."""
    chains = flat(max(40, enough(2 * j)))
    p, q = chains.leave.T
    shape = p * q**2 * (chains.a - 0.5) / (p + q) ** 3
    return 4 * float(chains.mean(shape * chains.second ** (j - 1)))


def diagonal_growth(j: int, printed: bool = False) -> float:
    """kappa_j = g_j + 2B, the growth of v_j that the diagonal of W causes, in units of N(N+1)/(2t) as t grows.

    Args:
        j: 1 .. t.
        printed: for j = 2, E.43 with (5 - 8 log 2)/6, which is negative and would make v_1 lead. It is (8 log 2 - 5)/6.
    """
    if printed and j == 2:
        return (7 - 10 * math.log(2)) / 2 + (5 - 8 * math.log(2)) / 6
    return even_odd(j) + 2 * B


@dataclass(frozen=True, eq=False)
class TwoSteps:
    """Two population gradient steps from W = c 11^T, v = c 1.

    Args:
        first: after one step.
        v: after two.
        diagonal: G, the part of the second step's gradient that the diagonal of W causes, before its factor.
        margins: which of the loss suffice for the linear regime at each step.
    """

    first: Minimal
    v: Float[np.ndarray, " t"]
    diagonal: Float[np.ndarray, " t"]
    margins: tuple[float, float]

    @property
    def leader(self) -> int:
        """The largest coordinate of v, counted from 1."""
        return int(np.argmax(self.v)) + 1


def two_step(
    t: int, c: float = 0.02, eta: float = 0.03, chains: Chains | None = None, printed: bool = False
) -> TwoSteps:
    """Lemma E.1 with all its terms.

    Args:
        t: context length.
        c: initial value of W and v; the leader does not depend on it.
        eta: learning rate.
        chains: the law of the chains, flat unless given; exchanging the states must not change it.
        printed: E.37 and E.38 as they stand: their G, v_1 instead of v_j on the right, and a gradient of the first
            step that carries c besides c'.
    """
    chains = chains or flat(max(40, enough(2 * t)))
    tensor = expected_signal(chains, t)
    first = Minimal(c + eta * c * tensor.sum(axis=0), c + eta * c * tensor.sum(axis=(1, 2)))
    rho, off = first.W[0, 0], first.W[0, 1]
    diagonal = chains.mean(grad_v_diag(chains, t, printed=True)) if printed else np.trace(tensor, axis1=1, axis2=2)
    before = np.full(t, first.v[0]) if printed else first.v
    constant = off * (c if printed else 1.0) * tensor.sum(axis=(1, 2))
    v = before + eta * (constant + (rho - off) * diagonal)
    start = Minimal(np.full((2, 2), c), np.full(t, c))
    return TwoSteps(first, v, diagonal, (sufficient_margin(start), sufficient_margin(first)))


def _parts(chains: Chains) -> tuple[Floats, Floats, Floats]:
    """(beta, gamma) / (lambda - 1) and lambda: P^n = beta lambda^n + gamma, where the rows of gamma are pi."""
    gamma = np.repeat(chains.stationary[:, None, :], 2, axis=1)
    return np.eye(2) - gamma, gamma, chains.second


def _twice(lam: Floats, t: int) -> Floats:
    """sum over n < N of (N - n) lambda^n for N = t .. 1."""
    return np.cumsum(np.cumsum(lam ** np.arange(t), axis=-1), axis=-1)[..., ::-1]
