"""When to give up and start again: the cut-off that makes one success cheapest.

A training that may fail is a Las Vegas algorithm: its time to success T is random. Give up after c steps, start again
with fresh luck, and so on until one try succeeds: that costs E[min(T, c)] / P(T <= c) steps. Luby, Sinclair and
Zuckerman showed that with T's distribution known no way of restarting is cheaper than the best fixed c. Here the
distribution is that of finished runs, some of which their budget stopped before they could succeed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glassware.foundation.statistics import Estimate, wilson
from glassware.luck.lives import Lives

FEWEST_RUNS, FEWEST_SUCCESSES = 10, 3  # fewer say next to nothing about a distribution
RESAMPLES = 1000
SURE = 0.95


@dataclass(frozen=True)
class Restart:
    """A way to restart, and its price.

    Attributes:
        cutoff: steps after which a try is given up; infinite when no run succeeded.
        expected_steps: mean steps to one success, all tries together, with its 95% interval. Without a success only
            the lower end is known, and only for tries as long as the runs.
        success_probability: of one try, with its Wilson interval.
        observed_steps: the same mean on the very runs that chose the cut-off, hence too low.
        runs, successes: what all this rests on.
    """

    cutoff: float
    expected_steps: Estimate
    success_probability: Estimate
    observed_steps: float
    runs: int
    successes: int

    @property
    def tells(self) -> str:
        """What the runs can tell: ``price``, or why not: ``too few runs``, ``no success``, ``too few successes``."""
        if self.runs < FEWEST_RUNS:
            return "too few runs"
        if not self.successes:
            return "no success"
        return "price" if self.successes >= FEWEST_SUCCESSES else "too few successes"

    @property
    def tries(self) -> float:
        """Mean number of tries to one success."""
        return 1 / self.success_probability.value if self.successes else math.inf

    @property
    def tries_for_95(self) -> float:
        """Tries of which at least one succeeds with probability 95%."""
        p = self.success_probability.value
        if not self.successes:
            return math.inf
        return 1 if p >= SURE else math.ceil(math.log(1 - SURE) / math.log1p(-p))


def optimal_restart(
    times: Sequence[float],
    budgets: Sequence[float],
    *,
    diverged: Sequence[bool] | None = None,
    start: float = 0.0,
    seed: int = 0,
) -> Restart:
    """The cut-off that minimises E[min(T, c)] / P(T <= c), and what a success then costs.

    Only observed success times are candidates: between two of them a later cut-off costs more and wins nothing.

    The mean and its interval are quantiles of a Bayesian bootstrap (runs get random weights; a plain one would lose the
    few successes of a cell altogether). One more run that never succeeds is added to it: however many have succeeded in
    time, the next may not. The best of many cut-offs looks better than it is. How much is seen on the resamples, where
    the cut-off they would choose is compared with ours on both samples; mean and upper end are raised by this factor.

    Args:
        times: steps to success of each run; infinite for a failure.
        budgets: steps after which each failure was stopped; not looked at for a success.
        diverged: failures that ended by themselves and could not have succeeded later; the others are censored.
        start: what starting a try costs, in steps (the evaluation before the first step).
        seed: of the resamples.
    """
    lives = Lives.of(times, budgets, diverged)
    if not lives.successes:
        # So many may succeed at most (95%), hence at least so many tries, each as long as these.
        p = wilson(0, lives.runs)
        low = (start + float(lives.ends.mean())) / p.high if lives.runs else 0.0
        return Restart(math.inf, Estimate(math.inf, low, math.inf), p, math.inf, lives.runs, 0)
    cutoffs = lives.cutoffs()
    spent, chance = lives.until(cutoffs, np.ones((1, lives.runs)))
    observed = ((start + spent) / chance)[0]
    best = int(np.argmin(observed))
    rng = np.random.default_rng(seed)
    spent, drawn = lives.and_one_that_never_succeeds().until(cutoffs, rng.exponential(size=(RESAMPLES, lives.runs + 1)))
    costs = (start + spent) / drawn
    optimism = _optimism(observed, costs, best)
    low, middle, high = np.quantile(costs[:, best], [0.025, 0.5, 0.975])
    expected = Estimate(float(middle * optimism), float(low), float(high * optimism))
    p = _share(round(float(chance[0, best]), 12), lives.runs)  # 40 of 40 are all, whatever rounding says
    return Restart(float(cutoffs[best]), expected, p, float(observed[best]), lives.runs, lives.successes)


def _optimism(observed: np.ndarray, costs: np.ndarray, best: int) -> float:
    """By which factor the best cut-off looks better on the sample that chose it than on another; at least 1.

    A resample stands to the sample as the sample to the truth: its own choice is better there than ours (second
    factor) and worse on the sample (first).
    """
    if not observed[best]:  # every run succeeds before its first step
        return 1.0
    chosen = costs.argmin(1)
    gained = costs[:, best] / costs.min(1)
    return float(np.exp(np.mean(np.log(observed[chosen] / observed[best] * gained))))


def _share(p: float, runs: int) -> Estimate:
    """A probability with the Wilson interval of as many runs."""
    near = wilson(round(p * runs), runs)
    return Estimate(p, min(near.low, p), max(near.high, p))
