"""How a threshold grows with the size of a problem: one likelihood over all trials of all sizes.

At size T a trial with m examples succeeds with probability

    P = (1 - lapse) logistic((ln m - ln M(T)) / w(T) + c),  M(T) = a + b ((T/R)^lam - 1) / lam,  w(T) = w0 (T/R)^w1,

with c such that P = level where m = M(T), and R a size of reference. The exponent lam tells how M grows: 0 is
a + b ln(T/R), 1 is a straight line, below 0 it saturates. A common width would bias lam, hence w1. Intervals are those
of the profile likelihood (95%), which stay valid where the cells were chosen in view of earlier ones. Where cells of
ten trials and more scatter around the law by more than chance allows, intervals widen by as much (quasi-likelihood).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from glassware.foundation.errors import GlasswareError
from glassware.foundation.statistics import Estimate
from glassware.luck.curve import DROP, log_likelihood, offset

Vector: TypeAlias = npt.NDArray[np.float64]

# ln a, b over the scale of the samples, lam, ln w0, w1, lapse.
A, B, LAM = 0, 1, 2
BOUNDS = ((-2.0, 16.0), (-20.0, 20.0), (-3.0, 3.0), (math.log(0.03), math.log(1.5)), (-1.0, 1.0), (0.0, 0.1))
STARTS = (-0.5, 0.0, 0.5, 1.0)  # of lam
FEWEST_SIZES = 3  # M has three numbers
TINY = 1e-9
ENOUGH = 10  # trials of a cell whose scatter tells something
MOST_STEPS, REFINEMENTS = 14, 16  # along a profile: outwards, and between


class Trials(NamedTuple):
    """A cell: the size of the problem, examples, successes and trials."""

    size: float
    m: float
    won: int
    trials: int


@dataclass(frozen=True)
class Growth:
    """A fitted law of growth.

    Attributes:
        exponent: lam; an end beyond which the trials do not tell is infinite.
        slope: b, examples per nat of T where T = R: it grows where b > 0.
        reference: R.
        at_reference: a, the threshold at R.
        log_likelihood: of the best fit.
        theta: the numbers of the best fit, as the likelihood takes them.
        scale: of b among them.
        level: success rate at the threshold.
    """

    exponent: Estimate
    slope: Estimate
    reference: float
    at_reference: Estimate
    log_likelihood: float
    theta: tuple[float, ...]
    scale: float
    level: float

    def threshold(self, sizes: Sequence[float] | Vector) -> Vector:
        """M(T) of the best fit."""
        theta = np.array(self.theta)
        rise, _ = box_cox(np.log(np.asarray(sizes, float) / self.reference), theta[LAM])
        return np.exp(theta[A]) + self.scale * theta[B] * rise

    def chance(self, size: float, m: Vector) -> Vector:
        """Success at this size with so many examples, by the best fit."""
        cells = [Trials(size, float(one), 0, 1) for one in m]
        law = Likelihood(cells, self.level, self.reference)
        law.scale = self.scale
        return law.chance(np.array(self.theta))


UNKNOWN = Growth(
    exponent=Estimate(math.nan),
    slope=Estimate(math.nan),
    reference=math.nan,
    at_reference=Estimate(math.nan),
    log_likelihood=math.nan,
    theta=(),
    scale=math.nan,
    level=math.nan,
)


def fit_growth(cells: Sequence[Trials], level: float = 0.8, reference: float = 300.0) -> Growth:
    """The law of growth of a threshold, from the counts of all cells.

    Fewer than three sizes, or trials that all succeed or all fail, determine nothing: every estimate is unknown.

    Args:
        cells: sizes, examples, successes and trials.
        level: success rate at the threshold.
        reference: the size R at which ``at_reference`` is the threshold.

    >>> from glassware.luck.growth import Trials, fit_growth
    >>> rate = lambda T, m: 1 / (1 + (T**0.5 * 4 / m) ** 8)  # half of the trials at m = 4 sqrt(T)
    >>> cells = [Trials(T, m, round(200 * rate(T, m)), 200) for T in (25, 100, 400, 1600) for m in (10, 30, 80, 200)]
    >>> round(fit_growth(cells).exponent.value, 1)
    0.5
    """
    if not 0.05 <= level <= 0.89:
        raise GlasswareError(f"level must be between 0.05 and 0.89, which leaves room for lapses, not {level:g}")
    counts = [cell for cell in cells if cell.trials]
    won, trials = sum(cell.won for cell in counts), sum(cell.trials for cell in counts)
    if len({cell.size for cell in counts}) < FEWEST_SIZES or won in (0, trials):
        return UNKNOWN
    return _fitted(tuple(counts), level, reference)


@lru_cache(maxsize=64)  # several claims ask about the same rows
def _fitted(cells: tuple[Trials, ...], level: float, reference: float) -> Growth:
    law = Likelihood(cells, level, reference)
    best = law.fit()
    exponent, slope, at = (law.interval(best, which) for which in (LAM, B, A))
    return Growth(
        exponent=exponent,
        slope=Estimate(*(law.scale * end for end in slope)),
        reference=reference,
        at_reference=Estimate(*(math.exp(end) for end in at)),
        log_likelihood=-law(best)[0],
        theta=tuple(map(float, best)),
        scale=law.scale,
        level=level,
    )


def box_cox(log_size: Vector, lam: float) -> tuple[Vector, Vector]:
    """((T/R)^lam - 1) / lam, which is ln(T/R) at lam = 0, and its derivative in lam."""
    z = lam * log_size
    near = np.abs(z) < 1e-4
    safe = np.where(near, 1.0, z)
    value = log_size * np.where(near, 1 + z / 2 + z * z / 6, np.expm1(safe) / safe)
    slope = (safe * np.exp(safe) - np.expm1(safe)) / safe**2
    return value, log_size**2 * np.where(near, 0.5 + z / 3, slope)


class Likelihood:
    """Minus the log-likelihood of all cells, with its gradient, and profiles of it."""

    def __init__(self, cells: Sequence[Trials], level: float, reference: float) -> None:
        size, m, won, trials = (np.array(column, float) for column in zip(*cells, strict=True))
        self.size, self.m, self.won, self.trials = np.log(size / reference), np.log(m), won, trials
        self.level, self.scale = level, float(np.exp(self.m.mean()))

    def __call__(self, theta: Vector) -> tuple[float, Vector]:
        """The loss and its gradient."""
        ln_a, slope, lam, ln_w, w_slope, lapse = theta
        rise, rise_lam = box_cox(self.size, lam)
        a, width = math.exp(ln_a), np.exp(ln_w + w_slope * self.size)
        raw = a + self.scale * slope * rise
        # A threshold below nothing: success everywhere, whose loss is finite, so that a search can come back.
        threshold = np.maximum(raw, TINY)
        away = (self.m - np.log(threshold)) / width
        share = expit(away + offset(self.level, lapse))
        p = np.clip((1 - lapse) * share, 1e-12, 1 - 1e-12)
        loss = -float(np.sum(self.won * np.log(p) + (self.trials - self.won) * np.log1p(-p)))
        by_p = -(self.won / p - (self.trials - self.won) / (1 - p))
        by_away = by_p * (1 - lapse) * share * (1 - share)
        by_threshold = np.where(raw > TINY, -by_away / (threshold * width), 0.0)
        # c = logit(level / (1 - lapse)) moves with the lapse: its derivative is 1 / (1 - lapse - level).
        by_lapse = -by_p * share + by_away / (1 - lapse - self.level)
        gradient = [
            by_threshold.sum() * a,
            (by_threshold * self.scale * rise).sum(),
            (by_threshold * self.scale * slope * rise_lam).sum(),
            -(by_away * away).sum(),
            -(by_away * away * self.size).sum(),
            by_lapse.sum(),
        ]
        return loss, np.array(gradient)

    def fit(self) -> Vector:
        """The best of several starts."""
        begin = math.log(self.scale)
        starts = [np.array([begin, 0.3, lam, math.log(0.25), 0.0, 0.02]) for lam in STARTS]
        return min((self._descend(start) for start in starts), key=lambda theta: self(theta)[0])

    def _descend(self, start: Vector, fixed: int | None = None) -> Vector:
        """A minimum near the start, with one number held fixed."""
        from scipy.optimize import minimize  # takes a quarter of a second to import, and most commands do not fit

        bounds = [(start[i], start[i]) if i == fixed else BOUNDS[i] for i in range(len(BOUNDS))]
        found = minimize(self, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500})
        return np.asarray(found.x, float)

    def interval(self, best: Vector, which: int) -> Estimate:
        """One number with the ends of its profile-likelihood interval."""
        floor, step, goal = self(best)[0], self._spread(best, which), math.sqrt(DROP * self.dispersion(best))
        ends = [self._end(best, which, side * step, floor, goal) for side in (-1, 1)]
        return Estimate(float(best[which]), *ends)

    def _spread(self, best: Vector, which: int) -> float:
        """About half the interval, from the curvature at the best fit; where that tells nothing, a small number."""
        hair = 1e-4
        rows = [(self(best + hair * unit)[1] - self(best - hair * unit)[1]) / (2 * hair) for unit in np.eye(len(best))]
        try:
            variance = float(np.linalg.inv(np.array(rows) + 1e-3 * np.eye(len(best)))[which, which])
        except np.linalg.LinAlgError:
            variance = 0.0
        return 1.96 * math.sqrt(variance) if variance > 1e-8 else 0.2

    def dispersion(self, theta: Vector) -> float:
        """Deviance per degree of freedom of the cells with enough trials to tell; at least 1."""
        many = self.trials >= ENOUGH
        if many.sum() < 2 * len(theta):
            return 1.0
        won, trials = self.won[many], self.trials[many]
        at_best = log_likelihood(won / trials, won, trials).sum()
        fitted = log_likelihood(self.chance(theta)[many], won, trials).sum()
        return max(1.0, 2 * float(at_best - fitted) / (many.sum() - len(theta)))

    def chance(self, theta: Vector) -> Vector:
        """Of success, in every cell."""
        ln_a, slope, lam, ln_w, w_slope, lapse = theta
        threshold = np.maximum(math.exp(ln_a) + self.scale * slope * box_cox(self.size, lam)[0], TINY)
        away = (self.m - np.log(threshold)) / np.exp(ln_w + w_slope * self.size)
        return (1 - lapse) * expit(away + offset(self.level, lapse))

    def _end(self, best: Vector, which: int, step: float, floor: float, goal: float) -> float:
        """Where the root of the profile's height above its floor is ``goal``, in the direction of ``step``.

        The root is all but a straight line, so that false position needs few fits.
        """
        bound = BOUNDS[which][int(step > 0)]
        inside, outside, fit = (float(best[which]), 0.0), (math.nan, math.nan), best
        for count in range(1, MOST_STEPS + 1):
            there = float(best[which]) + step * 1.5 ** (count - 1)
            there = min(there, bound) if step > 0 else max(there, bound)
            found = self._at(fit, which, there)
            height = math.sqrt(max(0.0, self(found)[0] - floor))
            if height >= goal:
                outside = there, height
                break
            # Only fits within the interval are gone on from: one far outside may be in another valley.
            inside, fit = (there, height), found
            if there == bound:
                break
        if math.isnan(outside[0]):
            return math.copysign(math.inf, step)
        for _ in range(REFINEMENTS):
            share = (goal - inside[1]) / (outside[1] - inside[1])
            there = inside[0] + min(max(share, 0.1), 0.9) * (outside[0] - inside[0])
            found = self._at(fit, which, there)
            height = math.sqrt(max(0.0, self(found)[0] - floor))
            if abs(height - goal) < 0.005:
                return there
            if height < goal:
                inside, fit = (there, height), found
            else:
                outside = there, height
        return outside[0]

    def _at(self, start: Vector, which: int, value: float) -> Vector:
        """The best fit with one number given."""
        moved = start.copy()
        moved[which] = value
        return self._descend(moved, which)
