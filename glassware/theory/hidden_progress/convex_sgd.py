"""Stochastic gradient descent on a convex function: the textbook bound, and the frozen-feature hinge problem.

With u_0 = 0, stochastic gradients of norm at most rho and a minimiser of norm at most M, a constant step
M / (rho sqrt T) leaves the average loss at most M rho / sqrt T above the minimum (Hidden Progress, Theorem 9).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from glassware.theory.boolean import Floats


def bound_rate(length: float, gradient: float, steps: int) -> float:
    """The constant learning rate of the bound, M / (rho sqrt T)."""
    return length / (gradient * math.sqrt(steps))


def bound_excess(length: float, gradient: float, steps: int) -> float:
    """How far the average loss may be above the minimum, M rho / sqrt T."""
    return length * gradient / math.sqrt(steps)


@dataclass(frozen=True)
class HingeRun:
    """A trained linear read-out.

    Attributes:
        u: the last read-out weights.
        mean_loss: the minibatch losses before each step, averaged: an unbiased estimate of the average loss.
        largest_gradient: the largest norm of a stochastic gradient, the rho of the bound.
    """

    u: Floats
    mean_loss: float
    largest_gradient: float


def hinge_sgd(draw: Callable[[], tuple[Floats, Floats]], u: Floats, steps: int, lr: float) -> HingeRun:
    """Train f = u.h on the hinge loss; every call of ``draw`` returns features (batch, r) and labels (batch,)."""
    u = np.array(u, np.float64)
    total = longest = 0.0
    for _ in range(steps):
        h, y = draw()
        margin = 1.0 - y * (h @ u)
        total += float(np.maximum(margin, 0.0).mean())
        gradient = -(y * (margin > 0)) @ h / len(y)
        longest = max(longest, float(gradient @ gradient))
        u -= lr * gradient
    return HingeRun(u, total / steps, math.sqrt(longest))
