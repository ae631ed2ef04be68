"""From covering numbers to samples (A.1.1): Dudley's integral, Rademacher complexity, the generalisation bound."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.integrate import quad
from scipy.optimize import minimize_scalar

CONSTANT = 12.0  # of Dudley's integral; the text leaves it open


def rademacher_bound(C: float, m: float, A: float, constant: float = CONSTANT) -> float:
    """Corollary A.3: functions within ±A whose covers have logarithm at most C / eps^2, on m examples.

    c sqrt(C/m) (1 + log(A sqrt(m/C))), at delta = sqrt(C/m). Where that exceeds A the smallest value is c A, at
    delta = A; the formula would go on and turn negative.
    """
    delta = math.sqrt(C / m)
    return constant * (delta * (1 + math.log(A / delta)) if delta < A else A)


def dudley(C: float, m: float, A: float, constant: float = CONSTANT) -> float:
    """The same by quadrature and search: the smallest delta + integral from delta to A of sqrt(C / (m eps^2))."""
    root = math.sqrt(C / m)

    def value(log_delta: float) -> float:
        delta = math.exp(log_delta)
        return delta + float(quad(lambda eps: root / eps, delta, A, epsrel=1e-12)[0])

    ends = math.log(A) - 14, math.log(A)
    found = minimize_scalar(value, bounds=ends, method="bounded", options={"xatol": 1e-10})
    return constant * min(float(found.fun), value(ends[1]))


def generalisation_bound(
    C: float, m: float, A: float, *, lipschitz: float = 1.0, loss: float = 1.0, delta: float = 0.05
) -> float:
    """Lemma A.5: |risk - empirical risk| with probability 1 - delta, for a Lipschitz loss of at most ``loss``."""
    return 4 * lipschitz * rademacher_bound(C, m, A) + 2 * loss * math.sqrt(math.log(1 / delta) / (2 * m))


def samples_needed(capacity: Callable[[float], float], A: float, eps: float) -> float:
    """The smallest m at which the bound is eps; ``capacity`` gives C at m, which grows like log m.

    A number, not an integer, and far beyond any data: constants 36 and 12 are squared. What counts is how it grows.
    """
    low, high = 0.0, 200.0  # of log m
    for _ in range(200):
        middle = (low + high) / 2
        m = math.exp(middle)
        low, high = (low, middle) if generalisation_bound(capacity(m), m, A) <= eps else (middle, high)
    return math.exp(high)
