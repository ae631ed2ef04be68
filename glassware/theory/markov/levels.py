"""What a strategy costs: E KL(P_{x_t} || its prediction), at the last position, in nats.

From samples for any task; without sampling for two states under the flat prior, as t grows and, for strategies that
see only counts and the current token, at every t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from glassware.foundation.arrays import EitherArray, Float
from glassware.theory.markov.chains import Chains, enough, flat
from glassware.theory.markov.strategies import Laws, kl


@dataclass(frozen=True)
class Level:
    """An average over sequences.

    Args:
        mean: of the KL divergence.
        error: its standard error.
        count: of sequences.
    """

    mean: float
    error: float
    count: int


def level(truth: Laws, prediction: Laws) -> Level:
    """E KL(truth || prediction) over sequences; also a distance between two strategies, KL(first || second)."""
    each = np.asarray(kl(truth, prediction), np.float64).ravel()
    return Level(float(each.mean()), float(each.std(ddof=1) / math.sqrt(len(each))), len(each))


def uniform_limit(chains: Chains | None = None) -> float:
    """Of guessing 1/2, at any t: rows are weighted by pi, so under the flat prior this is not log 2 - 1/2."""
    chains = chains or flat(40, graded=True)
    return _mean_row(chains, np.full((len(chains.weight), 2, 2), 0.5))


def unigram_limit(chains: Chains | None = None) -> float:
    """Of predicting pi, which unigram statistics do as t grows."""
    chains = chains or flat(40, graded=True)
    return _mean_row(chains, np.repeat(chains.stationary[:, None], 2, axis=1))


@dataclass(frozen=True, eq=False)
class CountLaw:
    """How often the current token has occurred by position t, for two states under the flat prior.

    Args:
        probability: that it occurred n times, itself included; n from 0 to t.
        stays: the mean probability that it is repeated next, given n.
    """

    probability: Float[np.ndarray, " counts"]
    stays: Float[np.ndarray, " counts"]

    def level(self, prediction: Float[EitherArray, " counts"]) -> float:
        """Of a strategy that predicts a repetition with this probability after n occurrences."""
        stay, leave = self.stays, 1 - self.stays
        with np.errstate(divide="ignore"):
            cost = np.where(self.probability > 0, stay * np.log(prediction) + leave * np.log1p(-prediction), 0.0)
        return uniform_limit() - math.log(2) - float(self.probability @ cost)

    def unigram(self) -> float:
        """The level of ``unigram``."""
        t = len(self.probability) - 1
        return self.level((np.arange(t + 1) + 1) / (t + 2))

    def best(self) -> float:
        """The level of ``unigram_self``, the best that counts and the current token allow."""
        return self.level(np.where(self.probability > 0, self.stays, 0.5))

    def best_blind(self) -> float:
        """The best that counts alone allow: the current token is the one with n occurrences, or the other."""
        probability, stays = self.probability, self.stays
        # Reading the counts backwards is looking from the other token: n of the one are t - n of the other.
        joint = (probability * stays + (probability * (1 - stays))[::-1]) / 2
        total = (probability + probability[::-1]) / 2
        return self.level(joint / total)


def count_law(t: int) -> CountLaw:
    """The law of the count by recursion over positions, for every chain of a quadrature."""
    chains = flat(enough(t))
    half = len(chains.weight) // 2  # the mirror image exchanges the states: both are followed here instead
    a, b = chains.a[:half], chains.b[:half]
    pi, weight = chains.stationary[:half], 2 * chains.weight[:half]
    # first[n], second[n]: probability that state 1 has occurred n times so far and is (is not) the current one.
    none = np.zeros((1, half))
    first, second = np.stack([none[0], pi[:, 0]]), np.stack([pi[:, 1], none[0]])
    for _ in range(t - 1):
        arrives, leaves = first * a + second * (1 - b), first * (1 - a) + second * b
        first, second = np.concatenate([none, arrives]), np.concatenate([leaves, none])
    # Seen from the second state, n occurrences of its own are t - n of the first.
    probability = first @ weight + (second @ weight)[::-1]
    stays = first @ (weight * a) + (second @ (weight * b))[::-1]
    return CountLaw(probability, stays / np.where(probability > 0, probability, 1))


def _mean_row(chains: Chains, prediction: Float[np.ndarray, "chains 2 2"]) -> float:
    return float(chains.mean((chains.stationary * kl(chains.matrices, prediction)).sum(axis=-1)))
