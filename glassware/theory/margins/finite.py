"""The exact minimum of cross-entropy + lambda |theta|^r, at any lambda: what training should end at.

Theorem 7.1 says what happens as lambda falls to 0. At the lambda of a run the minimum can be computed: cross-entropy is
convex in the outputs, and averaging over all relabellings (a, b, c) -> (ga, bh, gch) costs nothing, so the best outputs
are sums of characters with non-negative weights, which cost least as the neurons of ``maxmargin_group``. What is left
is convex in the norm's cube per irrep. Where all wrong labels tie at maximum margin with equal weights (Z_p for odd p,
parity) the minimum is a maximum-margin network at every lambda.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.optimize import brentq, minimize

from glassware.foundation.arrays import Float
from glassware.theory.margins.groups import Group
from glassware.theory.margins.optimum import gains, max_margin, max_margin_parity

PerIrrep: TypeAlias = Float[np.ndarray, " irreps"]
PerClass: TypeAlias = Float[np.ndarray, " classes"]


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best network of a group at a regularisation of lambda |theta|^3.

    Args:
        objective: cross-entropy + lambda |theta|^3.
        cross_entropy: its first part.
        norm_power: |theta|^3; 0 where lambda is so large that the zero network is best.
        shares: of it per irrep of ``real_irreps``; NaN for the zero network.
        gaps: right output minus wrong output, by the class of a b c^-1.
        ratio: normalised margin over gamma*; NaN for the zero network.
    """

    objective: float
    cross_entropy: float
    norm_power: float
    shares: PerIrrep
    gaps: PerClass
    ratio: float


@dataclass(frozen=True)
class TiedOptimum:
    """The best network where that is a maximum-margin network at every lambda: one gap for all labels, ratio 1."""

    objective: float
    cross_entropy: float
    norm_power: float
    gap: float


def finite_lambda(group: Group, lam: float) -> Optimum:
    """The best network for cross-entropy + lambda |theta|^3 on a group, given at least the width of ``max_margin``."""
    _check_positive(lam)
    gain, sizes = gains(group)[1:, 1:], group.class_sizes[1:]
    scale = gain.max()
    cost = lam / scale  # of one unit of x = scale * mu, in which gaps are of order one
    game = gain / scale

    def parts(x: PerIrrep) -> tuple[float, PerClass]:
        """Cross-entropy and the probability of each wrong class."""
        shifted = sizes * np.exp(-(x @ game))
        return math.log1p(shifted.sum()), shifted / (1 + shifted.sum())

    def scaled(x: PerIrrep) -> tuple[float, PerIrrep]:
        """The objective and its gradient over ``cost``, so that tolerances mean the same at every lambda."""
        loss, wrong = parts(x)
        return loss / cost + float(x.sum()), 1 - game @ wrong / cost

    start = np.full(len(game), max(math.log(group.order / min(cost, 1.0)), 1.0) / len(game))
    settings = {"maxiter": 5000, "maxfun": 50000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 30}
    x = minimize(scaled, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(game), options=settings).x
    slope = scaled(x)[1]
    if np.abs(np.where(x > 0, slope, np.minimum(slope, 0))).max() > 1e-6:
        raise ArithmeticError(f"the optimum of {group.name} at lambda = {lam:g} was not found in float64")
    loss, power = parts(x)[0], float(x.sum() / scale)
    gaps = np.append(0.0, x @ game)
    empty = power == 0
    shares = np.append(0.0, np.full(len(x), np.nan) if empty else x / x.sum())
    ratio = math.nan if empty else float(gaps[1:].min() / (power * max_margin(group).margin))
    return Optimum(loss + lam * power, loss, power, shares, gaps, ratio)


def finite_lambda_tied(margin: float, classes: int, lam: float) -> TiedOptimum:
    """The best network for r = nu, in closed form: with eps = lambda / gamma* the cross-entropy is -log(1 - eps).

    Args:
        margin: gamma*.
        classes: number of labels.
        lam: lambda; from gamma* (1 - 1/classes) on, the zero network is best.
    """
    _check_positive(lam)
    eps = lam / margin
    if eps >= 1 - 1 / classes:
        return TiedOptimum(math.log(classes), math.log(classes), 0.0, 0.0)
    gap = math.log((classes - 1) * (1 - eps) / eps)
    return TiedOptimum(-math.log1p(-eps) + eps * gap, -math.log1p(-eps), gap / margin, gap)


def finite_lambda_parity(k: int, lam: float) -> TiedOptimum:
    """The best network for cross-entropy + lambda |theta|^(k+1) on parity."""
    return finite_lambda_tied(max_margin_parity(k), 2, lam)


def finite_lambda_r(margin: float, classes: int, nu: float, lam: float, r: float) -> TiedOptimum:
    """The best network for cross-entropy + lambda |theta|^r, any r > 0, where all wrong labels tie (Z_p, parity).

    N = |theta|^nu minimises log(1 + (|Y| - 1) exp(-gamma* N)) + lambda N^(r/nu). For r < nu the zero network is a local
    minimum at every lambda, and the global one where lambda is large.
    """
    _check_positive(lam)
    if r <= 0:
        raise ValueError(f"r is {r}; the norm's power is positive")
    power = r / nu
    cost = lam * margin**-power  # of gap^power

    def value(gap: float) -> float:
        return math.log1p((classes - 1) * math.exp(-gap)) + cost * gap**power

    def slope(gap: float) -> float:
        wrong = (classes - 1) / (classes - 1 + math.exp(min(gap, 700.0)))
        return power * cost * gap ** (power - 1) - wrong

    # Stationary points lie where the slope changes sign from - to +; a fine grid brackets all of them.
    grid = np.geomspace(1e-9, 700.0, 4001)
    slopes = np.array([slope(gap) for gap in grid])
    brackets = np.flatnonzero((slopes[:-1] < 0) & (slopes[1:] >= 0))
    found = [0.0, *(brentq(slope, grid[i], grid[i + 1], xtol=1e-14, rtol=1e-14) for i in brackets)]
    gap = min(found, key=value)
    return TiedOptimum(value(gap), math.log1p((classes - 1) * math.exp(-gap)), gap / margin, gap)


def _check_positive(lam: float) -> None:
    if not lam > 0:
        raise ValueError(f"lambda is {lam}; without regularisation there is no best network, only a best direction")
