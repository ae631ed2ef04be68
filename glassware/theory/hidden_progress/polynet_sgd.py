"""SGD with batches of one on a disjoint-PolyNet, with the schedule of Hidden Progress, Theorem 13, executed.

Steps are normalised so that no weight moves by more than ``step`` at a time. Irrelevant weights then stay within 1/2 of
their start, relevant ones grow at a known rate, and after ``steps`` the error is small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from glassware.foundation.arrays import Bool
from glassware.foundation.errors import GlasswareError
from glassware.theory.boolean import Floats, random_signs
from glassware.theory.hidden_progress.polynet_error import exact_error

CHUNK = 512  # steps whose weights are stored and checked together


@dataclass(frozen=True)
class Theorem13:
    """The theorem's schedule for k blocks of n' coordinates.

    Attributes:
        block: coordinates of a block, n'.
        k: blocks.
        eps: the error wanted.
        delta: probability of failure, given that the relevant weights start with a positive product.
        steps: T, the solution of T = c ln(2nT/delta) ln(2k/eps) (3n' - 2)^(2k-1).
        step: eta_i times prod_{l != i} ||w_l||_1, the same at all times.
        target: size that every relevant weight reaches within T steps.
    """

    block: int
    k: int
    eps: float
    delta: float
    steps: int
    step: float
    target: float

    @property
    def growth(self) -> float:
        """The least that a relevant weight gains per step, on average."""
        return self.step * float(3 * self.block - 2) ** (1 - self.k)

    def least_size(self, t: Floats | int) -> Floats:
        """Lower bound on the size of every relevant weight after t steps, if the weights do not drift."""
        return 0.5 + self.growth * np.asarray(t, np.float64)

    def drift_chance(self) -> float:
        """Azuma's bound on the probability that some weight ever drifts by 1/2; the proof needs at most delta."""
        log_one = math.log(2) - 0.25 / (2 * self.steps * (2 * self.step) ** 2)
        return math.exp(log_one + math.log(self.block * self.k * self.steps))


def theorem13(block: int, k: int, eps: float, delta: float, printed: bool = False) -> Theorem13:
    """Solve for the number of steps by fixed-point iteration.

    The paper's step is too long by a factor of 2 for Azuma's inequality to give delta, and its error bound lacks a
    factor 2 in the exponent (Lemma 6). Half the step and sqrt 2 times the target take 8 times the steps: c is 48 where
    it prints 6.
    """
    if block < 2 or k < 2:
        raise GlasswareError(f"block is {block} and k is {k}; both must be at least 2")
    if not (0 < eps < 0.5 and 0 < delta < 1):
        raise GlasswareError(f"eps is {eps} and delta is {delta}; needs 0 < eps < 1/2 and 0 < delta < 1")
    c = (6 if printed else 48) * math.log(2 * k / eps) * float(3 * block - 2) ** (2 * k - 1)
    logarithm = lambda T: math.log(2 * block * k * T / delta)
    T = c
    for _ in range(100):  # contracts by c / T, far below one
        T = c * logarithm(T)
    T = math.ceil(T)
    step = 1.0 / ((2 if printed else 4) * math.sqrt(2 * T * logarithm(T)))
    target = 1.5 * math.sqrt((1 if printed else 2) * (block - 1) * math.log(2 * k / eps))
    return Theorem13(block, k, eps, delta, T, step, target)


@dataclass(frozen=True)
class SgdRuns:
    """What was recorded of many runs; every array has one entry per run.

    Attributes:
        positive: whether the relevant weights started with a positive product, as the theorem assumes.
        drift: the largest distance of an irrelevant weight from its start, over all weights and steps.
        undershoot: how far a relevant weight fell below its bound at the worst step; 0 or less if the theorem holds.
        first_hit: first evaluated step with an error of at most eps; infinite if there is none.
        final_error: exact error after the last step.
        weights: the last weights, (runs, k, n').
    """

    positive: Bool[np.ndarray, "..."]
    drift: Floats
    undershoot: Floats
    first_hit: Floats
    final_error: Floats
    weights: Floats


def _advance(path: Floats, x: Floats, step: float) -> None:
    """SGD through the examples x (t, k, n', runs): fills path (t + 1, k, n', runs) after its first entry."""
    k = x.shape[1]
    moves = step * x[:, :, :1].prod(1, keepdims=True) * x  # the label times the input
    others = np.array([[j for j in range(k) if j != i] for i in range(k)])
    both = np.empty((2, *x.shape[1:]))
    sums = np.empty((2, k, x.shape[-1]))
    # Per block: w.x and the 1-norm of w; their ratio is the block's normalised output.
    for t in range(len(x)):
        np.multiply(path[t], x[t], out=both[0])
        np.abs(path[t], out=both[1])
        np.add.reduce(both, axis=2, out=sums)
        ratio = sums[0] / sums[1]
        pull = ratio[::-1] if k == 2 else np.multiply.reduce(ratio[others], axis=1)
        np.multiply(moves[t], pull[:, None], out=both[0])
        np.add(path[t], both[0], out=path[t + 1])


def run_sgd(schedule: Theorem13, runs: int, rng: np.random.Generator, every: int = 64) -> SgdRuns:
    """Run the schedule from random signs, all runs side by side; drift and bound are checked at every step.

    Args:
        schedule: from ``theorem13``.
        runs: independent runs.
        rng: all randomness.
        every: steps between two computations of the exact error.
    """
    k, block = schedule.k, schedule.block
    path = np.empty((CHUNK + 1, k, block, runs))
    path[0] = start = random_signs(rng, (k, block, runs))
    signs = start[:, 0]
    drift, undershoot = np.zeros(runs), np.full(runs, -np.inf)
    first_hit = np.full(runs, np.inf)
    networks = lambda w: np.moveaxis(w, -1, -3)  # runs before blocks
    for done in range(0, schedule.steps, CHUNK):
        length = min(CHUNK, schedule.steps - done)
        _advance(path, random_signs(rng, (length, k, block, runs)), schedule.step)
        steps = np.arange(done + 1, done + length + 1, dtype=np.float64)
        walked = path[1 : length + 1]
        drift = np.maximum(drift, np.abs(walked[:, :, 1:] - start[:, 1:]).max((0, 1, 2)))
        short = schedule.least_size(steps)[:, None] - (signs * walked[:, :, 0]).min(1)
        undershoot = np.maximum(undershoot, short.max(0))
        looked = steps % every == 0
        hit = exact_error(networks(walked[looked])) <= schedule.eps
        times = np.where(hit, steps[looked, None], np.inf)
        first_hit = np.minimum(first_hit, times.min(0, initial=np.inf))
        path[0] = path[length]
    final = networks(path[0]).copy()
    return SgdRuns(signs.prod(0) > 0, drift, undershoot, first_hit, exact_error(final), final)
